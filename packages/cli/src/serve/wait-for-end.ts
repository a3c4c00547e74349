import type { Serving } from "./open-serving.ts";

/** Waits for SIGTERM or Ctrl-C, then closes. A second signal, or a close that is stuck, ends the process at once. */
export async function waitForEnd(
  { close, closesWithinMs }: Pick<Serving, "close" | "closesWithinMs">,
  note: (text: string) => void,
): Promise<void> {
  await new Promise<void>((resolve) => {
    process.once("SIGTERM", resolve);
    process.once("SIGINT", resolve);
  });
  note("Stopping; unfinished runs continue with the next start. Press Ctrl-C again to exit at once.");
  const leave = (): never => process.exit(130);
  process.on("SIGTERM", leave);
  process.on("SIGINT", leave);
  // Does not keep the process alive by itself, so it counts only while something else does, such as an open connection.
  setTimeout(() => process.exit(process.exitCode ?? 1), closesWithinMs).unref();
  await close();
}
