import { randomUUID } from "node:crypto";
import { decodeMessage } from "./buffer-message.ts";
import type { BufferPorts } from "./buffer-ports.ts";
import type { BufferedDriver } from "./buffered-driver.ts";

/** How long a thread is held while it is put right. */
const LEASE_MS = 30_000;

/** How many threads are looked at at the same time. */
const AT_ONCE = 8;

/**
 * Looks into the subjects below a prefix that have messages. Of a run that no worker has, what is there is stored; of one that
 * is over, it is in the database, and is forgotten here. Returns how many threads got something.
 */
export async function recoverThreads(ports: BufferPorts, driver: BufferedDriver, prefix: string): Promise<number> {
  const subjects = (await ports.stream.subjects(prefix)).values();
  const work = async (): Promise<number> => {
    let recovered = 0;
    for (const subject of subjects) if (await recoverThread(ports, driver, subject)) recovered += 1;
    return recovered;
  };
  const counts = await Promise.all(Array.from({ length: AT_ONCE }, work));
  return counts.reduce((sum, count) => sum + count, 0);
}

async function recoverThread(
  { inner, stream }: BufferPorts,
  driver: BufferedDriver,
  subject: string,
): Promise<boolean> {
  const last = await stream.last(subject);
  const message = last === null ? undefined : decodeMessage(last.data);
  if (last === null || message === undefined || message.kind === "damaged") return false;
  const { tenant, thread_id } = message;
  const head = await inner.reader.loadThread(tenant, thread_id);
  // Read after the message: whatever wrote it had its run stored as running before, and all of it before its end.
  if (head?.open_run?.status !== "running") {
    stream.trim(subject, last.seq + 1);
    return false;
  }
  const request = { owner: `recovery-${randomUUID()}`, lease_ms: LEASE_MS, needs: [] };
  const answer = await inner.execute({ operation: "claim", tenant, thread_id, request });
  if (answer === null) return false;
  await driver.takeOver(answer, request);
  await driver.execute({ operation: "release", tenant, thread_id, epoch: answer.claim.epoch });
  const stored = await inner.reader.loadThread(tenant, thread_id);
  return (stored?.thread.thread.version ?? 0) > head.thread.thread.version;
}
