import type { EventData, ToolResult } from "@reprise/contracts";
import { getAt, type Json, type JsonObject } from "@reprise/state";
import type { KnownCall } from "./encoder-state.ts";

/** Longer texts are cut: a fact is for an overview, and names where the rest is. */
const MOST_CHARS = 2_000;

/** A value as text that a person can glance at. */
function preview(value: Json): { readonly preview: string; readonly isTruncated: boolean } {
  const text = typeof value === "string" ? value : JSON.stringify(value);
  const isTruncated = text.length > MOST_CHARS;
  return { preview: isTruncated ? text.slice(0, MOST_CHARS).toWellFormed() : text, isTruncated };
}

/** Arguments as they may be repeated: whole when they are small, otherwise by reference alone. */
export function safeArguments(given: Json, ref: string): JsonObject {
  return { ...(JSON.stringify(given).length <= MOST_CHARS && { arguments: given }), argumentsRef: ref };
}

/** What a call came to, without its output: that is where `resultRef` says. */
export function endedCall(
  { name, policy, approvalRef, hooks }: KnownCall,
  { result, message_id, outcome }: EventData["tool_call_done"],
): JsonObject {
  const files = [...findFiles(result.data), ...findFiles(result.metadata)];
  const images = files.filter(({ mediaType }) => String(mediaType ?? "").startsWith("image/"));
  const artifacts = files.filter((file) => !images.includes(file));
  const evidence = refsIn(result, "evidence_refs");
  const sandbox = refsIn(result, "sandbox_refs");
  return {
    toolName: name,
    status: outcome,
    resultRef: `message:${message_id}`,
    ...preview(result.message ?? result.data),
    ...(images.length > 0 && { images }),
    ...(artifacts.length > 0 && { artifacts }),
    ...(evidence !== undefined && { evidenceRefs: evidence }),
    ...(sandbox !== undefined && { sandboxRefs: sandbox }),
    ...(policy !== undefined && { policy }),
    ...(approvalRef !== undefined && { approvalRef }),
    ...(hooks !== undefined && { hooks }),
  };
}

/** References that a tool names in the metadata of its result. */
function refsIn({ metadata }: ToolResult, key: string): readonly string[] | undefined {
  const refs = metadata[key];
  return Array.isArray(refs) ? refs.filter((ref) => typeof ref === "string") : undefined;
}

const MOST_FILES = 20;

/** Files and images that a value names: anything with a `url` or `ref` of a blob, and its media type. */
function findFiles(value: Json, depth = 0): readonly JsonObject[] {
  if (typeof value !== "object" || value === null || depth > 6) return [];
  if (Array.isArray(value))
    return value
      .slice(0, 1_000)
      .flatMap((item) => findFiles(item, depth + 1))
      .slice(0, MOST_FILES);
  const named = [getAt(value, ["url"]), getAt(value, ["ref"])].find(
    (ref) => typeof ref === "string" && ref.startsWith("blob:"),
  );
  if (named !== undefined) {
    const type = getAt(value, ["media_type"]);
    return [{ ref: named, ...(typeof type === "string" && { mediaType: type }) }];
  }
  return Object.values(value)
    .flatMap((item) => findFiles(item, depth + 1))
    .slice(0, MOST_FILES);
}

interface FailureTells {
  readonly retryable: boolean;
  readonly advice: string;
}

/** Each kind of failure, explained to the reader of a fact. */
const FAILURES: Readonly<Record<string, FailureTells>> = {
  invalid_arguments: { retryable: true, advice: "The model reads what is wrong and can call again." },
  execution_failed: {
    retryable: true,
    advice: "The tool threw; look at its message, and call it again when the cause is gone.",
  },
  denied: { retryable: false, advice: "A person or a policy said no." },
  tool_not_found: { retryable: false, advice: "The agent has no such tool; check its catalogue." },
  timeout: { retryable: true, advice: "The tool took too long; raise its time limit or make it faster." },
  cancelled: { retryable: true, advice: "The run was cancelled; start another one." },
  blocked: { retryable: false, advice: "A plugin refused the call; its reason is in the message." },
  superseded: { retryable: true, advice: "A new message took the place of this run." },
  expired: { retryable: true, advice: "Nobody decided in time; ask again, or allow more time." },
  interrupted: { retryable: true, advice: "The call was interrupted; start the run again." },
  incompatible_definition: {
    retryable: true,
    advice: "The tool changed while the call waited; the model may call the new one.",
  },
  invalid_output: { retryable: false, advice: "The tool returned something that is not JSON; correct the tool." },
  unknown_outcome: {
    retryable: false,
    advice: "The process died during the call; find out what the call did before it is repeated.",
  },
};

/** Why a call failed, whether trying again makes sense, and what to do. */
export function describeFailure({ data }: ToolResult): JsonObject {
  const code = getAt(data, ["error", "code"]);
  const category = typeof code === "string" ? code : "execution_failed";
  const known = Object.hasOwn(FAILURES, category) ? FAILURES[category] : undefined;
  const { retryable = false, advice = "Look at the message of the result." } = known ?? {};
  return { category, retryable, advice };
}
