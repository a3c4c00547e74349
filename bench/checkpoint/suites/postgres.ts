import { randomUUID } from "node:crypto";
import { openPostgresStore } from "../../../packages/stores/src/postgres/index.ts";
import type { Contestant } from "../contestant.ts";
import { openLangGraph } from "../contestants/langgraph.ts";
import { repriseRuntime } from "../contestants/reprise-runtime.ts";
import { repriseStore } from "../contestants/reprise-store.ts";
import { openTalk } from "../load/long-thread.ts";
import { payloadsOf } from "../load/payloads.ts";
import type { ScriptMaker } from "../load/record-run.ts";
import { textOf } from "../load/workload.ts";
import { type BytesReport, measureBytes, nameOfSize, THREAD_COUNTS } from "../measure/bytes.ts";
import { postgresMeter } from "../measure/bytes-written.ts";
import { measureLoad, messageTexts } from "../measure/cold-load.ts";
import type { Effort } from "../measure/effort.ts";
import { measureLatency } from "../measure/latency.ts";
import { measureStatements } from "../measure/statements.ts";
import { measureLength } from "../measure/thread-length.ts";
import { measureThroughput, type Throughput } from "../measure/throughput.ts";
import { langGraph, openSaver } from "../postgres/langgraph.ts";
import { MINIMAL_POSTGRES_EVENTS, minimalPostgres, minimalPostgresRows } from "../postgres/minimal-raw.ts";
import { openPostgres } from "../postgres/open-store.ts";
import { saverAlone } from "../postgres/saver-alone.ts";
import { dropSchema, execute, freshSchema } from "../postgres/schemas.ts";
import { verify } from "../verify.ts";
import { CONCURRENCIES, type Progress, type Suite } from "./suite.ts";

export const POSTGRES_STORE = "Reprise store, Postgres";
export const POSTGRES_RUNTIME = "Reprise runtime, Postgres";

export async function measurePostgres(
  url: string,
  makeScript: ScriptMaker,
  effort: Effort,
  progress: Progress,
): Promise<Suite> {
  const contestants = contestantsOn(url, makeScript);
  const [raw, store] = contestants;
  for (const contestant of contestants) await verify(contestant);
  const throughput: Throughput[] = [];
  for (const concurrency of CONCURRENCIES) {
    progress(`postgres: ${concurrency} at a time`);
    throughput.push(...(await measureThroughput(contestants, { concurrency, readBytes: postgresMeter(url) }, effort)));
  }
  progress("postgres: single transactions");
  const latency = await measureLatency([raw, store], effort);
  progress("postgres: a long thread");
  const long = await measureLongThread(url, effort);
  progress("postgres: bytes");
  const bytes: BytesReport[] = [];
  for (const threads of THREAD_COUNTS) bytes.push(await measureSize(url, effort, threads));
  bytes.push(await measureSaverSize(url, effort));
  progress("postgres: statements");
  const statements = await measureStatements((other) => contestantsOn(other, makeScript), effort);
  return { title: "Postgres", contestants, throughput, statements, latency, loop: [], ...long, bytes };
}

function contestantsOn(url: string, makeScript: ScriptMaker): readonly [Contestant, Contestant, ...Contestant[]] {
  const open = () => openPostgres(url);
  const payloads = payloadsOf(makeScript());
  return [
    minimalPostgres(url, payloads.messages),
    repriseStore(POSTGRES_STORE, makeScript, open),
    repriseRuntime(POSTGRES_RUNTIME, open),
    minimalPostgres(url, payloads.withEvents, MINIMAL_POSTGRES_EVENTS),
    saverAlone(url),
    langGraph(url, "async"),
    langGraph(url, "sync"),
  ];
}

async function measureLongThread(url: string, effort: Effort): Promise<Pick<Suite, "length" | "load">> {
  const { store, close } = await openPostgres(url);
  const talk = await openTalk(store);
  const messages = effort.longThread;
  const threadId = await talk.turns(messages / 2);
  const rows = await minimalPostgresRows(url, await messageTexts(store, threadId));
  const load = await measureLoad({ name: "Postgres", store, rows }, { talk, threadId, messages }, effort);
  const length = await measureLength("Postgres", talk, { longThread: threadId, messages }, effort);
  await talk.close();
  await close();
  return { length: [length], load: [load] };
}

async function measureSize(url: string, effort: Effort, threads: number): Promise<BytesReport> {
  const schema = freshSchema();
  const store = await openPostgresStore({ url, schema });
  const talk = await openTalk(store);
  const turns = (count: number, threadId?: string): Promise<string> => talk.turns(count, threadId);
  const keeper = { store: nameOfSize("Postgres", threads), turns, size: () => sizeOf(url, schema) };
  const report = await measureBytes(keeper, effort, threads);
  await talk.close();
  await store.close();
  await dropSchema(url, schema);
  return report;
}

/** One thread is enough: every checkpoint holds all messages again, so it soon is large. */
async function measureSaverSize(url: string, effort: Effort): Promise<BytesReport> {
  const { saver, schema, close } = await openSaver(url, 4);
  let said = 0;
  const say = openLangGraph(saver, "sync", () => textOf(2 * said + 1));
  const turns = async (count: number, threadId: string = randomUUID()): Promise<string> => {
    for (let turn = 0; turn < count; turn++) {
      said += 1;
      await say(threadId, textOf(2 * said));
    }
    return threadId;
  };
  const keeper = { store: "LangGraph PostgresSaver", turns, size: () => sizeOf(url, schema) };
  const report = await measureBytes(keeper, effort, 1);
  await close();
  return report;
}

/** Tables with their indexes, and what lies beside them. */
async function sizeOf(url: string, schema: string): Promise<number> {
  const [row] = await execute(
    url,
    `select sum(pg_total_relation_size(oid))::float8 as size from pg_class
     where relnamespace = '${schema}'::regnamespace and relkind = 'r'`,
  );
  return Number(row?.size ?? 0);
}
