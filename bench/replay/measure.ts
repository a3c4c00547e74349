import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createNodeEnv } from "../../packages/node/src/index.ts";
import type { Runtime } from "../../packages/runtime/src/index.ts";
import { createMemoryBlobStore, createMemoryStore } from "../../packages/stores/src/memory/index.ts";
import { openSqliteStore } from "../../packages/stores/src/sqlite/index.ts";
import { openRuntime, replayOnce, runOnce } from "./workload.ts";

/** Of one sample, milliseconds a run: live and replayed. */
export interface Sample {
  readonly live: { readonly cpuMs: number; readonly clockMs: number };
  readonly replay: { readonly cpuMs: number; readonly clockMs: number };
}

/** Runs on a disk take longer; so many make a sample. */
const MOST_RUNS_ON_SQLITE = 50;

// A process of its own for one store: `measure.ts <store> <repetitions> <runs> <warm-up>`. Sends its samples.
const [store, ...numbers] = process.argv.slice(2);
const [repetitions = 0, runs = 0, warmUp = 0] = numbers.map(Number);
process.send?.(store === "memory" ? await measureMemory() : await measureSqlite());
process.disconnect?.();

async function measureMemory(): Promise<readonly Sample[]> {
  const env = createNodeEnv();
  return measure(await openRuntime(createMemoryStore(env), createMemoryBlobStore(env)), runs);
}

async function measureSqlite(): Promise<readonly Sample[]> {
  const folder = mkdtempSync(join(tmpdir(), "reprise-bench-"));
  const file = await openSqliteStore({ file: join(folder, "bench.db") });
  try {
    return await measure(await openRuntime(file, file.blobs), Math.min(runs, MOST_RUNS_ON_SQLITE));
  } finally {
    await file.close();
    rmSync(folder, { recursive: true });
  }
}

async function measure(runtime: Runtime, runsEach: number): Promise<readonly Sample[]> {
  await sample(runtime, Math.min(warmUp, runsEach * 10));
  const samples: Sample[] = [];
  for (let repetition = 0; repetition < repetitions; repetition += 1) samples.push(await sample(runtime, runsEach));
  await runtime.close();
  return samples;
}

async function sample(runtime: Runtime, runs: number): Promise<Sample> {
  const ids: string[] = [];
  const live = await timed(runs, async () => void ids.push(await runOnce(runtime)));
  const replay = await timed(runs, (index) => replayOnce(runtime, ids[index] ?? ""));
  return { live, replay };
}

async function timed(runs: number, work: (index: number) => Promise<void>): Promise<Sample["live"]> {
  globalThis.gc?.({ type: "minor" });
  const startedAt = performance.now();
  const before = process.cpuUsage();
  for (let index = 0; index < runs; index += 1) await work(index);
  const { user, system } = process.cpuUsage(before);
  return { cpuMs: (user + system) / 1_000 / runs, clockMs: (performance.now() - startedAt) / runs };
}
