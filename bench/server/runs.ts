import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createRuntime, type Runtime, sqlite } from "../../packages/reprise/src/index.ts";
import { agent } from "./agents.ts";
import { Child } from "./child.ts";
import { startRun } from "./client.ts";
import { median, timed } from "./statistics.ts";
import { atLeast, atMost, type Target } from "./target.ts";

const AT_ONCE = 20;
const RUNS = 200;
const ORDER = "rounds 2";

/** Complete runs on SQLite, over HTTP and in process; and how long the first word takes. */
export async function measureRuns(repetitions: number): Promise<readonly Target[]> {
  const folder = mkdtempSync(join(tmpdir(), "reprise-bench-"));
  const server = await Child.start("./serve.ts", join(folder, "server.db"));
  const store = await sqlite(join(folder, "here.db"));
  const runtime = await createRuntime({ agents: [agent], store });
  try {
    await inProcess(runtime, RUNS);
    await overHttp(server.port, RUNS);
    const ratios: number[] = [];
    const added: number[] = [];
    for (let repetition = 0; repetition < repetitions; repetition += 1) {
      const here = await timed(() => inProcess(runtime, RUNS));
      const there = await timed(() => overHttp(server.port, RUNS));
      ratios.push(here / there);
      const words = { here: [] as number[], there: [] as number[] };
      for (let index = 0; index < 50; index += 1) {
        words.here.push(await firstWordHere(runtime));
        words.there.push(await firstWordThere(server.port));
      }
      added.push(median(words.there) - median(words.here));
    }
    return [
      atLeast(
        `complete runs of three steps over HTTP on SQLite, ${AT_ONCE} at a time, of those in process`,
        median(ratios),
        0.35,
        (value) => `${value.toFixed(2)}x`,
      ),
      atMost("first word over HTTP, p50, beyond in process", median(added), 5, (value) => `${value.toFixed(1)} ms`),
    ];
  } finally {
    await runtime.close();
    await store.close();
    await server.stop();
    rmSync(folder, { recursive: true });
  }
}

async function inProcess(runtime: Runtime, runs: number): Promise<void> {
  await inParallel(runs, async () => {
    const run = await runtime.start({ agent: "bench", input: ORDER });
    for await (const _ of run.events());
  });
}

async function overHttp(port: number, runs: number): Promise<void> {
  await inParallel(runs, async () => {
    let bytes = 0;
    await startRun(port, ORDER, (chunk) => {
      bytes += chunk.length;
    }).ended;
    if (bytes < 3_000) throw new Error("A run came to nothing.");
  });
}

async function inParallel(times: number, work: () => Promise<void>): Promise<void> {
  let left = times;
  await Promise.all(
    Array.from({ length: AT_ONCE }, async () => {
      while (left-- > 0) await work();
    }),
  );
}

async function firstWordHere(runtime: Runtime): Promise<number> {
  return timed(async () => {
    const run = await runtime.start({ agent: "bench", input: "words 1" });
    for await (const { type } of run.events()) if (type === "text_delta") break;
  });
}

async function firstWordThere(port: number): Promise<number> {
  let text = "";
  return timed(
    () =>
      new Promise<void>((resolve) => {
        startRun(port, "words 1", (bytes) => {
          text += bytes.toString("latin1");
          if (text.includes("text_delta")) resolve();
        });
      }),
  );
}
