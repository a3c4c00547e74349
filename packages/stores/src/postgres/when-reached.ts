import { setTimeout as pause } from "node:timers/promises";
import { RepriseError } from "@reprise/contracts";

/** How long until a server that could not be reached is tried again. */
const AGAIN_MS = 2_000;

interface Patience {
  readonly waitMs?: number;
  readonly onWait?: (problem: RepriseError) => void;
}

/** Does something that needs the server, again and again while it cannot be reached and patience lasts. */
export async function whenReached(work: () => Promise<void>, { waitMs = 0, onWait = say }: Patience): Promise<void> {
  const giveUpAt = performance.now() + waitMs;
  for (;;) {
    try {
      return await work();
    } catch (error) {
      if (!RepriseError.is(error, "STORE_UNAVAILABLE") || performance.now() >= giveUpAt) throw error;
      onWait(error);
      await pause(AGAIN_MS);
    }
  }
}

function say({ message }: RepriseError): void {
  console.warn(`Postgres cannot be reached and is tried again in ${AGAIN_MS / 1_000} s: ${message}`);
}
