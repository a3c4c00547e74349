import { setTimeout as pause } from "node:timers/promises";

/** Waits until something is true, which other threads and sockets have to make so. */
export async function until(isTrue: () => boolean | Promise<boolean>, what: string): Promise<void> {
  const end = Date.now() + 20_000;
  while (!(await isTrue())) {
    if (Date.now() > end) throw new Error(`Waited for ${what} in vain.`);
    await pause(5);
  }
}
