import type { ToolCallRequest } from "@reprise/contracts";

/**
 * The arguments of a call as they go back to a model. Providers take objects only; what a model once wrote instead, it reads
 * inside of one.
 */
export function writtenArguments({ arguments: given }: ToolCallRequest): { readonly [key: string]: unknown } {
  return isObject(given) ? given : { invalid_arguments: given };
}

function isObject(value: unknown): value is { readonly [key: string]: unknown } {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
