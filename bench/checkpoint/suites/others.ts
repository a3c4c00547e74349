import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { memory } from "../../../packages/reprise/src/index.ts";
import { openFileStore } from "../../../packages/stores/src/file/index.ts";
import { openNatsBufferedStore } from "../../../packages/stores/src/nats-buffered/index.ts";
import { startNats } from "../../../packages/stores/test/nats/start-nats.ts";
import { findService } from "../../../scripts/services/find-service.mjs";
import { repriseRuntime } from "../contestants/reprise-runtime.ts";
import { type OpenedStore, repriseStore } from "../contestants/reprise-store.ts";
import type { ScriptMaker } from "../load/record-run.ts";
import { processMeter } from "../measure/bytes-written.ts";
import type { Effort } from "../measure/effort.ts";
import { measureThroughput, type Throughput } from "../measure/throughput.ts";
import { dropSchema, freshSchema } from "../postgres/schemas.ts";
import { verify } from "../verify.ts";
import { CONCURRENCIES, type Progress, type Suite } from "./suite.ts";

/** Our other stores, for orientation: nothing is promised of them here. */
export async function measureOthers(
  url: string,
  makeScript: ScriptMaker,
  effort: Effort,
  progress: Progress,
): Promise<Suite> {
  const nats = findService("nats");
  const server = nats.found ? await startNats(nats) : undefined;
  try {
    const opens: readonly (readonly [string, () => Promise<OpenedStore>])[] = [
      ["memory", openMemory],
      ["files", openFiles],
      ...(server === undefined ? [] : [["NATS before Postgres", () => openBuffered(server.url, url)] as const]),
    ];
    const contestants = opens.flatMap(([name, open]) => [
      repriseStore(`Reprise store, ${name}`, makeScript, open),
      repriseRuntime(`Reprise runtime, ${name}`, open),
    ]);
    for (const contestant of contestants) await verify(contestant);
    const throughput: Throughput[] = [];
    for (const concurrency of CONCURRENCIES) {
      progress(`other stores: ${concurrency} at a time`);
      throughput.push(...(await measureThroughput(contestants, { concurrency, readBytes: processMeter }, effort)));
    }
    const nothing = { statements: [], latency: [], loop: [], length: [], load: [], bytes: [] };
    return { title: "Other stores", contestants, throughput, ...nothing };
  } finally {
    await server?.stop();
  }
}

async function openMemory(): Promise<OpenedStore> {
  const store = memory();
  return { store, close: () => store.close() };
}

async function openFiles(): Promise<OpenedStore> {
  const folder = mkdtempSync(join(tmpdir(), "reprise-bench-files-"));
  const store = await openFileStore({ folder });
  return {
    store,
    async close() {
      await store.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

async function openBuffered(natsUrl: string, url: string): Promise<OpenedStore> {
  const schema = freshSchema();
  const options = { nats: { servers: natsUrl }, postgres: { url, schema }, stream: schema, prefix: schema };
  const store = await openNatsBufferedStore(options);
  return {
    store,
    async close() {
      await store.close();
      await dropSchema(url, schema);
    },
  };
}
