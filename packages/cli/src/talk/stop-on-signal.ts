import { RepriseError } from "@reprise/contracts";
import type { RunHandle } from "@reprise/runtime";

/** While it is in force, the first Ctrl-C asks the run to end, and the second leaves at once. Returns the way to take it back. */
export function stopOnSignal(run: RunHandle, note: (text: string) => void): () => void {
  let asked = 0;
  const stop = (): void => {
    asked += 1;
    if (asked > 1) process.exit(130);
    note("Stopping the run. Press Ctrl-C again to exit at once.");
    run.cancel("stopped at the terminal").catch((error: unknown) => {
      // It ended by itself in this moment.
      if (!RepriseError.is(error, "RUN_NOT_ACTIVE")) note(String(error));
    });
  };
  process.on("SIGINT", stop);
  return () => process.off("SIGINT", stop);
}
