import type { ToolErrorCode } from "./tool-result.ts";

/** The kinds of failure a tool itself can know of. */
export const TOOL_ERROR_KINDS = ["invalid_arguments", "execution_failed", "denied", "timeout", "cancelled"] as const;

export type ToolErrorKind = Extract<ToolErrorCode, (typeof TOOL_ERROR_KINDS)[number]>;

/**
 * A failure that a tool means: the model gets its kind and its message. Thrown or returned, it is the same result. Any other thrown
 * error is `execution_failed`, and is logged.
 */
export class ToolError extends Error {
  override readonly name = "ToolError";
  readonly kind: ToolErrorKind;

  constructor(kind: ToolErrorKind, message: string, options?: ErrorOptions) {
    super(message, options);
    this.kind = kind;
    // Code without types may have made up a word.
    if (TOOL_ERROR_KINDS.includes(kind)) return;
    throw new TypeError(
      `The kind of a ToolError must be ${TOOL_ERROR_KINDS.join(", ")} (got ${JSON.stringify(kind)}).`,
    );
  }

  /** Checks by name, not by class, so that two copies of the package agree. */
  static is(value: unknown): value is ToolError {
    const kinds: readonly unknown[] = TOOL_ERROR_KINDS;
    return value instanceof Error && value.name === "ToolError" && "kind" in value && kinds.includes(value.kind);
  }
}
