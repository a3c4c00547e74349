import { redactCredentials } from "@reprise/contracts";

/** Prints an error for whoever looks after the server. What others wrote is in it, so credentials are taken out. */
export function printError(error: unknown): void {
  console.error(redactCredentials(describe(error, 0)));
}

/** As deep as anybody looks. */
const MAX_CAUSES = 5;

function describe(error: unknown, depth: number): string {
  if (!(error instanceof Error)) return String(error);
  const own = error.stack ?? `${error.name}: ${error.message}`;
  if (error.cause === undefined || depth >= MAX_CAUSES) return own;
  return `${own}\ncaused by: ${describe(error.cause, depth + 1)}`;
}
