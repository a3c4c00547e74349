import { DatabaseSync } from "node:sqlite";
import { openSqliteStore } from "../../../packages/stores/src/sqlite/index.ts";
import { repriseRuntime } from "../contestants/reprise-runtime.ts";
import { repriseStore } from "../contestants/reprise-store.ts";
import { openTalk } from "../load/long-thread.ts";
import { payloadsOf } from "../load/payloads.ts";
import type { ScriptMaker } from "../load/record-run.ts";
import { type BytesReport, measureBytes, nameOfSize, THREAD_COUNTS } from "../measure/bytes.ts";
import { processMeter } from "../measure/bytes-written.ts";
import { measureLoad, messageTexts } from "../measure/cold-load.ts";
import type { Effort } from "../measure/effort.ts";
import { measureLoop } from "../measure/event-loop.ts";
import { measureLatency } from "../measure/latency.ts";
import { measureLength } from "../measure/thread-length.ts";
import { measureThroughput, type Throughput } from "../measure/throughput.ts";
import { MINIMAL_SQLITE_EVENTS, minimalSqlite, minimalSqliteRows } from "../sqlite/minimal-raw.ts";
import { openSqlite } from "../sqlite/open-store.ts";
import { makeStoreFile } from "../sqlite/store-file.ts";
import { verify } from "../verify.ts";
import { CONCURRENCIES, type Progress, type Suite } from "./suite.ts";

export const SQLITE_STORE = "Reprise store, SQLite";
export const SQLITE_RUNTIME = "Reprise runtime, SQLite";

export async function measureSqlite(makeScript: ScriptMaker, effort: Effort, progress: Progress): Promise<Suite> {
  const payloads = payloadsOf(makeScript());
  const raw = minimalSqlite(payloads.messages);
  const rawWithEvents = minimalSqlite(payloads.withEvents, MINIMAL_SQLITE_EVENTS);
  const store = repriseStore(SQLITE_STORE, makeScript, openSqlite);
  const contestants = [raw, store, repriseRuntime(SQLITE_RUNTIME, openSqlite), rawWithEvents];
  for (const contestant of contestants) await verify(contestant);
  const throughput: Throughput[] = [];
  for (const concurrency of CONCURRENCIES) {
    progress(`sqlite: ${concurrency} at a time`);
    throughput.push(...(await measureThroughput(contestants, { concurrency, readBytes: processMeter }, effort)));
  }
  progress("sqlite: single transactions");
  const latency = await measureLatency([raw, store], effort);
  progress("sqlite: the event loop");
  const loop = [await measureLoop(raw, 20, effort), await measureLoop(store, 20, effort)];
  progress("sqlite: a long thread");
  const long = await measureLongThread(effort);
  progress("sqlite: bytes");
  const bytes: BytesReport[] = [];
  for (const threads of THREAD_COUNTS) bytes.push(await measureSize(effort, threads));
  return { title: "SQLite", contestants, throughput, statements: [], latency, loop, ...long, bytes };
}

async function measureLongThread(effort: Effort): Promise<Pick<Suite, "length" | "load">> {
  const { store, close } = await openSqlite();
  const talk = await openTalk(store);
  const messages = effort.longThread;
  const threadId = await talk.turns(messages / 2);
  const rows = minimalSqliteRows(await messageTexts(store, threadId));
  const load = await measureLoad({ name: "SQLite", store, rows }, { talk, threadId, messages }, effort);
  const length = await measureLength("SQLite", talk, { longThread: threadId, messages }, effort);
  await talk.close();
  await close();
  return { length: [length], load: [load] };
}

async function measureSize(effort: Effort, threads: number): Promise<BytesReport> {
  const { file, remove } = makeStoreFile();
  const store = await openSqliteStore({ file });
  const talk = await openTalk(store);
  const size = async (): Promise<number> => sizeOf(file);
  const turns = (count: number, threadId?: string): Promise<string> => talk.turns(count, threadId);
  const report = await measureBytes({ store: nameOfSize("SQLite", threads), turns, size }, effort, threads);
  await talk.close();
  await store.close();
  remove();
  return report;
}

/** With everything of the log in the file. */
function sizeOf(file: string): number {
  const database = new DatabaseSync(file);
  database.exec("pragma wal_checkpoint(truncate)");
  const [pages, size] = ["page_count", "page_size"].map((name) =>
    Number(Object.values(database.prepare(`pragma ${name}`).get() ?? {})[0]),
  );
  database.close();
  return (pages ?? 0) * (size ?? 0);
}
