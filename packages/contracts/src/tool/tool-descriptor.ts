import type { Json, JsonObject } from "@reprise/state";

/** `read_only` calls may run beside each other and again after a crash; `mutating` ones change the world. */
export type ToolClass = "read_only" | "mutating";

/**
 * What happens to a running call when its run is cancelled or interrupted.
 * - `cancel`: it is stopped at once.
 * - `finish`: it may come to its end and its result is kept; the other calls of the round are stopped.
 * - `block`: the interruption waits until the call is over; nothing else is disturbed before.
 */
export type InterruptBehavior = "cancel" | "finish" | "block";

/** What a model and the runtime know of a tool without running it. */
export interface ToolDescriptor {
  readonly id: string;
  readonly name: string;
  readonly description: string;
  /** JSON Schema of the arguments. */
  readonly parameters: JsonObject;
  readonly class: ToolClass;
  /** Whether every call, or those a function picks, waits for a human first. */
  readonly needs_approval: boolean | "by_arguments";
  readonly is_destructive: boolean;
  readonly is_recursive: boolean;
  /** Running it again with the same idempotency key does nothing more. */
  readonly idempotent: boolean;
  readonly interrupt_behavior: InterruptBehavior;
  readonly timeout_ms: number | null;
  readonly capabilities: readonly string[];
  /** The author's version, empty unless given. With parameters, class and `idempotent` it is what a decision is bound to. */
  readonly version: string;
  readonly metadata: { readonly [key: string]: Json };
}
