import { redactCredentials } from "../secret/redact-credentials.ts";

/**
 * Describes a thrown value of any type, because foreign code may throw anything. The text goes into events, messages, records and logs,
 * so credentials are removed here.
 */
export function describeThrown(thrown: unknown): string {
  if (typeof thrown === "string") return redactCredentials(thrown);
  try {
    if (thrown instanceof Error) return redactCredentials(String(thrown.message));
  } catch {
    // Even a message can be a trap.
  }
  return "it threw something that is no error";
}
