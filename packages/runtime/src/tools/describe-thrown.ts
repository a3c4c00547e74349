/** What something thrown says, whatever it is: code that is not ours may throw anything. */
export function describeThrown(thrown: unknown): string {
  if (typeof thrown === "string") return thrown;
  try {
    if (thrown instanceof Error) return String(thrown.message);
  } catch {
    // Even a message can be a trap.
  }
  return "it threw something that is no error";
}
