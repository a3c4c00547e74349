import { StateError } from "@reprise/state";
import { type ErrorCode, errorEntry } from "./catalogue.ts";
import { describeThrown } from "./describe-thrown.ts";
import { ModelError, modelErrorCode } from "./model-error.ts";

export interface RepriseErrorOptions {
  /** Safe to log: ids, counts, types. No secrets, no model text. */
  readonly details?: Readonly<Record<string, unknown>>;
  readonly cause?: unknown;
}

/** The one error of the runtime. Callers branch on `code`, never on the message or the class. */
export class RepriseError extends Error {
  override readonly name = "RepriseError";
  readonly code: ErrorCode;
  readonly details: Readonly<Record<string, unknown>>;

  constructor(code: ErrorCode, message: string, { details = {}, cause }: RepriseErrorOptions = {}) {
    super(message, cause === undefined ? undefined : { cause });
    this.code = code;
    this.details = details;
  }

  get httpStatus(): number {
    return errorEntry(this.code).httpStatus;
  }

  get isRetryable(): boolean {
    return errorEntry(this.code).retryable;
  }

  /** Checks by name, not by class, so that two copies of the package agree. */
  static is(value: unknown, code?: ErrorCode): value is RepriseError {
    if (!(value instanceof Error) || value.name !== "RepriseError" || !("code" in value)) return false;
    return code === undefined || value.code === code;
  }
}

/** The only place where a foreign error becomes ours; the original is its cause. */
export function toRepriseError(thrown: unknown): RepriseError {
  if (RepriseError.is(thrown)) return thrown;
  if (ModelError.is(thrown)) {
    const message = `The model failed (${thrown.kind}): ${thrown.message}`;
    return new RepriseError(modelErrorCode(thrown.kind), message, { cause: thrown, details: { kind: thrown.kind } });
  }
  if (StateError.is(thrown)) {
    return new RepriseError("INVALID_REQUEST", thrown.message, {
      cause: thrown,
      details: { state_error: thrown.code },
    });
  }
  return new RepriseError("INTERNAL", describeThrown(thrown), { cause: thrown });
}

export function illegalTransition(machine: string, id: string, status: string, trigger: string): RepriseError {
  return new RepriseError("ILLEGAL_TRANSITION", `Cannot ${trigger} ${machine} ${id}: it is ${status}.`, {
    details: { id, status, trigger },
  });
}

export function notFound(
  code:
    | "AGENT_NOT_FOUND"
    | "THREAD_NOT_FOUND"
    | "RUN_NOT_FOUND"
    | "CALL_NOT_FOUND"
    | "TOOL_NOT_FOUND"
    | "MODEL_NOT_FOUND"
    | "PROVIDER_NOT_FOUND"
    | "PLUGIN_NOT_FOUND"
    | "STOP_POLICY_NOT_FOUND"
    | "ENTRY_NOT_FOUND"
    | "BUDGET_NOT_FOUND"
    | "BLOB_NOT_FOUND"
    | "CONFIG_NOT_FOUND"
    | "EVAL_NOT_FOUND"
    | "WORKFLOW_NOT_FOUND",
  what: string,
  id: string,
  known?: readonly string[],
): RepriseError {
  const hint = known === undefined ? "" : ` Known: ${known.join(", ") || "none"}.`;
  return new RepriseError(code, `There is no ${what} ${JSON.stringify(id)}.${hint}`, { details: { id } });
}

export function staleEpoch(threadId: string, epoch: number, current: number): RepriseError {
  return new RepriseError("STALE_EPOCH", `Cannot write to thread ${threadId} with epoch ${epoch}: it is ${current}.`, {
    details: { thread_id: threadId, epoch, current },
  });
}

export function versionConflict(threadId: string, expected: number, actual: number): RepriseError {
  const message = `Cannot commit to thread ${threadId} at version ${expected}: it is at ${actual}.`;
  return new RepriseError("VERSION_CONFLICT", message, { details: { thread_id: threadId, expected, actual } });
}

export function versionGone(threadId: string, version: number, oldest: number): RepriseError {
  const message = `Version ${version} of thread ${threadId} was pruned. The oldest version kept is ${oldest}.`;
  return new RepriseError("VERSION_GONE", message, { details: { thread_id: threadId, version, oldest } });
}

export function invalidRequest(message: string, details?: Readonly<Record<string, unknown>>): RepriseError {
  return new RepriseError("INVALID_REQUEST", message, details === undefined ? {} : { details });
}

/** `endedWith`: the termination code of the run, where it is known. */
export function runNotActive(runId: string, endedWith?: string): RepriseError {
  const message = `Run ${runId} is not active${endedWith === undefined ? "" : `: it ended with ${endedWith}`}.`;
  return new RepriseError("RUN_NOT_ACTIVE", message, { details: { run_id: runId } });
}

/** The winning decision, as a rival sees it. */
interface DecidedCall {
  readonly call_id: string;
  readonly decision_id: string;
  readonly action: "resume" | "cancel";
  readonly arguments?: unknown;
  readonly result?: unknown;
  readonly decided_by?: string;
  readonly updated_at: number;
}

/** Refuses a rival decision, and says which decision was made, by whom if that is known, when, and under which id. */
export function decisionConflict(winner: DecidedCall): RepriseError {
  const { call_id, decision_id, decided_by, updated_at } = winner;
  const who = decided_by === undefined ? "" : ` by ${decided_by}`;
  const time = new Date(updated_at).toISOString();
  const message = `Tool call ${call_id} was already ${verbOf(winner)}${who} at ${time} (decision ${decision_id}).`;
  return new RepriseError("DECISION_CONFLICT", message, { details: { winner } });
}

function verbOf({ action, arguments: edited, result }: DecidedCall): string {
  if (action === "cancel") return "denied";
  if (result !== undefined) return "answered with a result";
  return edited === undefined ? "approved" : "approved with edited arguments";
}
