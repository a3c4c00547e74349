import { redactCredentials } from "@reprise/contracts";

/** Prints an error for the operator of the server. It may contain foreign text, so credentials are removed. */
export function printError(error: unknown): void {
  console.error(redactCredentials(describe(error, 0)));
}

/** How deep nested causes are printed. */
const MAX_CAUSES = 5;

function describe(error: unknown, depth: number): string {
  if (!(error instanceof Error)) return String(error);
  const own = error.stack ?? `${error.name}: ${error.message}`;
  if (error.cause === undefined || depth >= MAX_CAUSES) return own;
  return `${own}\ncaused by: ${describe(error.cause, depth + 1)}`;
}
