import {
  type Clock,
  describeThrown,
  isToolEffect,
  isToolSuspension,
  outcomeOf,
  type Tool,
  type ToolContext,
  ToolError,
  type ToolErrorCode,
  type ToolResult,
} from "@reprise/contracts";
import type { Json } from "@reprise/state";
import { TimeIsUp, withTimeout } from "../effects/with-timeout.ts";
import { readResult } from "../json/read-result.ts";

/** What a call came to, for a loop without a thread. Only the first two are shown to the model; the others end the turn. */
export type DispatchedCall =
  | { readonly outcome: "result"; readonly data: Json; readonly success: boolean }
  /** The model may ask again, better. */
  | { readonly outcome: "correctable"; readonly problem: string }
  /** A policy refuses it. Asking again would be refused again. */
  | { readonly outcome: "denied"; readonly message: string }
  | { readonly outcome: "failed"; readonly message: string }
  /** The host lacks what the tool needs. */
  | { readonly outcome: "incapable"; readonly message: string }
  | { readonly outcome: "cancelled" };

/** Thrown by a tool's context for what the host does not offer. */
export class CapabilityMissing extends Error {
  override readonly name = "CapabilityMissing";
}

export interface ToolDispatch {
  readonly arguments: Json;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  /** The context of one execution; its signal also ends with the tool's time. */
  readonly contextFor: (signal: AbortSignal) => ToolContext;
  /** Asked about a call that needs approval. Without it such calls are denied. */
  readonly approve?: (input: unknown) => Promise<boolean>;
  /** Awaited before a tool runs that is neither read-only nor idempotent. What it throws is thrown. */
  readonly announce?: () => Promise<void>;
}

/** Checks and executes one call of a tool that has no thread to write to. */
export async function dispatchTool(tool: Tool, dispatch: ToolDispatch): Promise<DispatchedCall> {
  const { id, class: kind, idempotent, timeout_ms } = tool.descriptor;
  const { signal, clock, contextFor } = dispatch;
  const admitted = await admit(tool, dispatch);
  if (signal.aborted) return CANCELLED;
  if (admitted.outcome !== "admitted") return admitted;
  if (kind !== "read_only" && !idempotent) await dispatch.announce?.();
  try {
    const returned = await withTimeout(clock, signal, timeout_ms, (own) =>
      tool.execute(admitted.input, contextFor(own)),
    );
    return readReturned(id, returned);
  } catch (error) {
    return signal.aborted ? CANCELLED : classify(id, error);
  }
}

const CANCELLED: DispatchedCall = { outcome: "cancelled" };

async function admit(
  tool: Tool,
  { arguments: given, approve }: ToolDispatch,
): Promise<DispatchedCall | { readonly outcome: "admitted"; readonly input: unknown }> {
  const { id } = tool.descriptor;
  try {
    const checked = await tool.check(given);
    if (!checked.ok) return { outcome: "correctable", problem: `Cannot call ${id}: ${checked.problem}.` };
    const { input } = checked;
    if (!(await tool.needsApproval(input))) return { outcome: "admitted", input };
    if (approve === undefined) return denied(`Tool ${id} needs approval, and nobody can be asked here.`);
    return (await approve(input)) ? { outcome: "admitted", input } : denied(`The call of tool ${id} was not approved.`);
  } catch (error) {
    return classify(id, error);
  }
}

function readReturned(id: string, returned: unknown): DispatchedCall {
  if (isToolEffect(returned) && returned.actions.length > 0) {
    return { outcome: "incapable", message: `Tool ${id} asks for changes of a thread, and there is none here.` };
  }
  const answer: unknown = isToolEffect(returned) ? returned.result : returned;
  if (ToolError.is(answer)) return classify(id, answer);
  if (isToolSuspension(answer)) return denied(`Tool ${id} asks for a decision, and nobody can be asked here.`);
  const result = readResult(id, answer);
  if (result.status === "pending") return denied(`Tool ${id} asks for a decision, and nobody can be asked here.`);
  if (outcomeOf(result) === "succeeded") return { outcome: "result", data: result.data, success: true };
  return refusalOf(id, result) ?? { outcome: "result", data: result.data, success: false };
}

/** A failure that a tool reports as its result is for the model, unless it is a refusal or the model's own mistake. */
function refusalOf(id: string, { data, message }: ToolResult): DispatchedCall | undefined {
  const error = typeof data === "object" && data !== null && "error" in data ? data.error : undefined;
  const code = typeof error === "object" && error !== null && "code" in error ? error.code : undefined;
  const said = message ?? `Tool ${id} failed.`;
  switch (code as ToolErrorCode | undefined) {
    case "denied":
    case "blocked":
      return denied(said);
    case "invalid_arguments":
      return { outcome: "correctable", problem: said };
    case "cancelled":
      return CANCELLED;
    case "invalid_output":
      return { outcome: "failed", message: said };
    default:
      return undefined;
  }
}

function classify(id: string, error: unknown): DispatchedCall {
  const message = describeThrown(error).toWellFormed();
  if (error instanceof CapabilityMissing) return { outcome: "incapable", message };
  if (error instanceof TimeIsUp) return { outcome: "failed", message: `Tool ${id} failed: ${message}` };
  if (!ToolError.is(error)) return { outcome: "failed", message: `Tool ${id} failed: ${message}` };
  switch (error.kind) {
    case "denied":
      return denied(message);
    case "invalid_arguments":
      return { outcome: "correctable", problem: message };
    case "cancelled":
      return CANCELLED;
    case "execution_failed":
    case "timeout":
      return { outcome: "failed", message: `Tool ${id} failed: ${message}` };
    default:
      return error.kind satisfies never;
  }
}

function denied(message: string): DispatchedCall {
  return { outcome: "denied", message };
}
