import { RepriseError } from "@reprise/contracts";
import { demandOf } from "../kernel/operations.ts";
import type { OpenPostgres } from "../postgres/open-postgres-store.ts";
import { type DemandedRows, type DemandOnThread, DemandRead } from "../postgres/read-demands.ts";
import type { BufferPorts } from "./buffer-ports.ts";

interface Waiting {
  readonly wanted: DemandOnThread;
  resolve(found: DemandedRows): void;
  reject(error: unknown): void;
}

/** How many round trips may be under way: while one is, those who come share the next. */
const LANES = 2;

/** The most looks in one round trip. */
const MAX_BATCH = 100;

/** Looks at the rows of commits in Postgres; those of many threads share a round trip. */
export function createLook({ database, now }: Pick<OpenPostgres, "database" | "now">): BufferPorts["look"] {
  let queue: Waiting[] = [];
  let underWay = 0;

  const start = (): void => {
    if (underWay >= LANES || queue.length === 0) return;
    const batch = queue.slice(0, MAX_BATCH);
    queue = queue.slice(MAX_BATCH);
    underWay += 1;
    void readAll(batch).finally(() => {
      underWay -= 1;
      start();
    });
  };

  /** Never rejects: everybody in the batch is told. */
  const readAll = async (batch: readonly Waiting[]): Promise<void> => {
    try {
      const read = new DemandRead(
        batch.map(({ wanted }) => wanted),
        { onlyLooks: true },
      );
      const found = read.take(await database.read(read.queries));
      for (const [index, { resolve, reject }] of batch.entries()) {
        const rows = found[index];
        if (rows === undefined) reject(new RepriseError("INTERNAL", "The rows of a commit are missing."));
        else resolve(rows);
      }
    } catch (error) {
      for (const { reject } of batch) reject(error);
    }
  };

  return async (request) => {
    const wanted = { demand: demandOf(request), thread_id: request.changeset.thread_id };
    const found = await new Promise<DemandedRows>((resolve, reject) => {
      queue.push({ wanted, resolve, reject });
      // After this turn of the event loop: who comes in the same one goes along.
      setImmediate(start);
    });
    return { rows: found.open(), now: now(found.now) };
  };
}
