import { redactCredentials } from "../secret/redact-credentials.ts";

/**
 * What something thrown says, whatever it is: code that is not ours may throw anything. It goes into events, messages, records and
 * logs from here, so a credential in it ends here.
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
