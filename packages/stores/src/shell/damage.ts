import { RepriseError } from "@reprise/contracts";
import type { StoreDriver } from "./driver.ts";

/** Reads something of a thread; when it turns out to be damaged, the thread is closed for writing. */
export type ThreadGuard = <Result>(threadId: string, read: () => Promise<Result>) => Promise<Result>;

export function createThreadGuard(tenant: string, driver: Pick<StoreDriver, "execute">): ThreadGuard {
  return async (threadId, read) => {
    try {
      return await read();
    } catch (error) {
      if (isDamage(error)) await reportDamage(tenant, threadId, driver, error);
      throw error;
    }
  };
}

/** A text from a newer version is no damage: the thread is fine, we are old. */
function isDamage(error: unknown): error is RepriseError {
  return RepriseError.is(error, "CORRUPT_DATA") && error.details.damage === true;
}

async function reportDamage(
  tenant: string,
  thread_id: string,
  driver: Pick<StoreDriver, "execute">,
  { message }: RepriseError,
): Promise<void> {
  // Readers get the error either way; failing to store the mark is the smaller problem.
  await driver.execute({ operation: "report_damage", tenant, thread_id, damage: message }).catch(() => undefined);
}
