import type { Json, JsonObject } from "@reprise/state";

/** `read_only` calls may run beside each other and again after a crash; `mutating` ones change the world. */
export type ToolClass = "read_only" | "mutating";

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
  /** Whether a cancelled run waits for the tool or leaves it. */
  readonly interrupt_behavior: "cancel" | "wait";
  readonly timeout_ms: number | null;
  readonly capabilities: readonly string[];
  /** Part of what an approval is bound to. A hash of the parameters unless the author gives one. */
  readonly version: string;
  readonly category?: string;
  readonly metadata: { readonly [key: string]: Json };
}
