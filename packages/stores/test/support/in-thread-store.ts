import type { BlobStore, Clock, Store } from "@reprise/contracts";
import { sealChangeset } from "../../src/codec/seal-changeset.ts";
import type { HeldWrite } from "../../src/kernel/held-write.ts";
import { createDurableStore } from "../../src/shell/create-durable-store.ts";
import type { StoreDriver } from "../../src/shell/driver.ts";
import { withBlobs } from "../../src/shell/with-blobs.ts";
import type { Connection } from "../../src/sqlite/connection.ts";
import { openFile } from "../../src/sqlite/open-file.ts";
import { createRunReads } from "../../src/sqlite/read-runs.ts";
import { createThreadReads } from "../../src/sqlite/read-threads.ts";
import { countDueThreads, selectDueNeeds } from "../../src/sqlite/select-needs.ts";
import { createSqliteBlobRows } from "../../src/sqlite/sqlite-blob-store.ts";
import { createSqliteDocuments } from "../../src/sqlite/sqlite-documents.ts";
import { contentStatements, headStatement } from "../../src/sqlite/write-statements.ts";
import { fromPlainError, writeBatch } from "../../src/sqlite/writer.ts";
import type { WriterTask } from "../../src/sqlite/writer-task.ts";
import { TableWorkers } from "../../src/tables/table-workers.ts";
import { makeStoreFolder } from "./temporary-store.ts";

/** A store whose writer works on this very thread: quick to open, and its statements can be looked at. */
export interface InThreadStore {
  readonly connection: Connection;
  readonly store: Store & { readonly blobs: BlobStore };
  /** How many writes were made without reading. */
  heldWrites(): number;
  close(): Promise<void>;
}

export function openInThreadStore(
  clock: Pick<Clock, "now"> = { now: Date.now },
  { holds = true }: { readonly holds?: boolean } = {},
): InThreadStore {
  const { file, remove } = makeStoreFolder();
  const connection = openFile(file, { busyTimeoutMs: 0 });
  // Nothing here is to survive anything.
  connection.exec("pragma synchronous = off");
  const write = async (task: WriterTask): Promise<never> => {
    const report = writeBatch(connection, [{ number: 1, task }], 1);
    const outcome = report.report === "done" ? report.outcomes[0] : undefined;
    if (outcome !== undefined && "error" in outcome) throw fromPlainError(outcome.error);
    // Each task is answered as its type says, and here it is the caller who knows it.
    return outcome?.answer as never;
  };
  let heldWrites = 0;
  const driver: StoreDriver = {
    durability: "none",
    reader: { ...createThreadReads(connection), ...createRunReads(connection) },
    documents: createSqliteDocuments({ connection, now: () => clock.now(), write }),
    execute: (request) => write({ task: "operation", now: clock.now(), request: request as never }),
    ...(holds && {
      writeHeld: async (held: HeldWrite): Promise<boolean> => {
        const content = contentStatements(held.tenant, held.writes);
        const isWritten = await write({ task: "held", head: headStatement(held), content, signals: held.signals });
        if (isWritten) heldWrites += 1;
        return isWritten;
      },
    }),
    estimateNow: () => clock.now(),
    seal: sealChangeset,
    claim: (request, limit) => write({ task: "claim", now: clock.now(), request, limit }),
    now: async () => clock.now(),
    workers: new TableWorkers().at(() => clock.now()),
    dueNeeds: async () => selectDueNeeds(connection, clock.now()),
    countDue: async (limit) => countDueThreads(connection, clock.now(), limit),
    findClaims: async () => [],
    findClaimed: async () => [],
    watch: () => () => {},
    async close() {
      connection.close();
      remove();
    },
  };
  const store = withBlobs(createDurableStore(driver), {
    rows: createSqliteBlobRows({ connection, now: () => clock.now(), write }),
    objects: undefined,
    now: () => clock.now(),
  });
  return { connection, store, heldWrites: () => heldWrites, close: () => store.close() };
}
