import { type DecisionInput, translateDecision } from "@reprise/contracts";
import { getAt, type Json } from "@reprise/state";

/** The decisions in a request, and whether they came the way a stock client sends them. */
export interface ReadDecisions {
  readonly decisions: readonly DecisionInput[];
  /** Read off the parts of a message: the client waits for the message to continue. */
  readonly isContinuing: boolean;
}

/**
 * Reads decisions off the messages of a request. An explicit `tool-approval-response` counts wherever it is. How the part of a call stands
 * counts only in what follows the last words of the user, and in the message the client says it continues: it sends the whole
 * conversation each time. The latest decision about a call is the one that counts.
 */
export function readDecisions(messages: readonly Json[], continuedId?: string): ReadDecisions {
  const latest = new Map<string, DecisionInput>();
  let isContinuing = false;
  const note = (decision: DecisionInput | undefined): boolean => {
    if (decision === undefined) return false;
    // Taken out first, so that the order is that of the latest.
    latest.delete(decision.target_id);
    latest.set(decision.target_id, decision);
    return true;
  };
  const lastUser = messages.findLastIndex((message) => getAt(message, ["role"]) === "user");
  for (const [index, message] of messages.entries()) {
    const parts = getAt(message, ["parts"]);
    if (getAt(message, ["role"]) !== "assistant" || !Array.isArray(parts)) continue;
    const isCurrent = index > lastUser || (continuedId !== undefined && getAt(message, ["id"]) === continuedId);
    for (const part of parts) {
      if (getAt(part, ["type"]) === "tool-approval-response") note(readResponse(part));
      else if (isCurrent && note(readToolPart(part))) isContinuing = true;
    }
  }
  return { decisions: [...latest.values()], isContinuing };
}

/** `{ type: "tool-approval-response", approvalId, approved, reason?, remember? }` */
function readResponse(part: Json): DecisionInput | undefined {
  const target = textAt(part, "approvalId");
  return target === undefined ? undefined : readVerdict(target, part);
}

/** The part of a call that was answered in the browser: approved or denied, or done there. */
function readToolPart(part: Json): DecisionInput | undefined {
  const type = textAt(part, "type") ?? "";
  const callId = textAt(part, "toolCallId");
  if (callId === undefined || !(type.startsWith("tool-") || type === "dynamic-tool")) return undefined;
  switch (textAt(part, "state")) {
    case "approval-responded": {
      const approval = getAt(part, ["approval"]) ?? null;
      return { ...readVerdict(textAt(approval, "id") ?? callId, approval), ...bindingOf(approval) };
    }
    case "output-available":
      return { target_id: callId, action: "resume", result: getAt(part, ["output"]) ?? null };
    case "output-denied":
      return translateDecision(callId, { approved: false });
    case "output-error":
      return translateDecision(callId, { approved: false, error: textAt(part, "errorText") ?? "tool output error" });
    default:
      return undefined;
  }
}

/** What is not a clear yes is a no. */
function readVerdict(target: string, said: Json): DecisionInput {
  const reason = textAt(said, "reason");
  const remember = getAt(said, ["remember"]);
  return translateDecision(target, {
    approved: getAt(said, ["approved"]) === true,
    ...(reason !== undefined && { reason: reason.toWellFormed() }),
    ...(remember !== undefined && { remember }),
  });
}

/** What the question was about, when it came back with the answer: then the answer counts for nothing else. */
function bindingOf(approval: Json): Pick<DecisionInput, "binding_hash" | "suspension"> {
  const hash = getAt(approval, ["descriptor", "bindingHash"]);
  const suspension = getAt(approval, ["descriptor", "suspension"]);
  if (typeof hash !== "string" || typeof suspension !== "number") return {};
  return { binding_hash: hash, suspension };
}

function textAt(value: Json, key: string): string | undefined {
  const text = getAt(value, [key]);
  return typeof text === "string" && text !== "" ? text : undefined;
}
