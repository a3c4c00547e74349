import type { Json, JsonObject } from "@reprise/state";

/** `read_only` calls may run in parallel and again after a crash. `mutating` calls change the world. */
export type ToolClass = "read_only" | "mutating";

/**
 * How a running call ends when its run is cancelled or interrupted.
 * - `cancel`: the call is stopped at once.
 * - `finish`: the call runs to its end and its result is kept; the other calls of the round are stopped.
 * - `block`: the interruption waits until the call is over.
 */
export type InterruptBehavior = "cancel" | "finish" | "block";

/** The description of a tool that models and the runtime see. */
export interface ToolDescriptor {
  readonly id: string;
  readonly name: string;
  readonly description: string;
  /** JSON Schema of the arguments. */
  readonly parameters: JsonObject;
  readonly class: ToolClass;
  /** Whether every call, or the calls that a function picks, need approval. */
  readonly needs_approval: boolean | "by_arguments";
  readonly is_destructive: boolean;
  readonly is_recursive: boolean;
  /** Executing it again with the same idempotency key has no further effect. */
  readonly idempotent: boolean;
  readonly interrupt_behavior: InterruptBehavior;
  readonly timeout_ms: number | null;
  readonly capabilities: readonly string[];
  /** The author's version, empty unless given. Decisions are bound to it, the parameters, the class and `idempotent`. */
  readonly version: string;
  readonly metadata: { readonly [key: string]: Json };
}
