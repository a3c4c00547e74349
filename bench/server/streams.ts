import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { PAUSE_MS } from "./agents.ts";
import { Child } from "./child.ts";
import { countFrames, open, startRun } from "./client.ts";
import { median, quantile, timed } from "./statistics.ts";
import { atLeast, atMost, type Target } from "./target.ts";

const STREAMS = 100;
const EVENTS = 500;

/** Many streams at once: how many events a second, and how late they are at half of that. */
export async function measureStreams(repetitions: number): Promise<readonly Target[]> {
  const ours = await Child.start("./serve.ts");
  const folder = mkdtempSync(join(tmpdir(), "reprise-bench-"));
  const file = join(folder, "frames.json");
  writeFileSync(file, JSON.stringify(await record(ours.port)));
  const raw = await Child.start("./serve-raw.ts", file);
  rmSync(folder, { recursive: true });
  try {
    for (const { port } of [ours, raw, ours, raw]) await saturate(port);
    const rates: { readonly ours: number; readonly raw: number }[] = [];
    for (let repetition = 0; repetition < repetitions; repetition += 1) {
      rates.push({ raw: await saturate(raw.port), ours: await saturate(ours.port) });
    }
    const ratio = median(rates.map((rate) => rate.ours / rate.raw));
    const saturated = median(rates.map((rate) => rate.ours));
    // Each stream says so much at a time that all of them together say half of what they could.
    const burst = Math.max(1, Math.round((saturated / 2 / STREAMS) * (PAUSE_MS / 1_000)));
    const added: number[] = [];
    for (let repetition = 0; repetition < repetitions; repetition += 1) {
      const bare = quantile(await measureDelays(raw.port, burst), 0.99);
      added.push(quantile(await measureDelays(ours.port, burst), 0.99) - bare);
    }
    const rate = (value: number): string => `${Math.round(value / 1_000)}k/s`;
    return [
      atLeast(
        `${STREAMS} streams of ${EVENTS} events (${rate(saturated)}), of a bare writer of the same frames`,
        ratio,
        0.6,
        (value) => `${value.toFixed(2)}x`,
      ),
      atMost(
        `their delay at half that rate (${burst} every ${PAUSE_MS} ms each), p99, beyond the bare writer's`,
        median(added),
        20,
        (value) => `${value.toFixed(1)} ms`,
      ),
    ];
  } finally {
    await Promise.all([ours.stop(), raw.stop()]);
  }
}

/** The frames of one run, for the bare writer to repeat. */
async function record(port: number): Promise<readonly { readonly id: string; readonly event: unknown }[]> {
  let text = "";
  await startRun(port, `words ${EVENTS}`, (bytes) => {
    text += bytes.toString();
  }).ended;
  const frames = text.matchAll(/^id: (.+)\ndata: (.+)$/gm);
  return Array.from(frames, ([, id = "", data = ""]) => ({ id, event: JSON.parse(data) }));
}

/** Events a second of all streams together. */
async function saturate(port: number): Promise<number> {
  let frames = 0;
  const count = (bytes: Buffer): void => {
    frames += countFrames(bytes);
  };
  const ms = await timed(() =>
    Promise.all(Array.from({ length: STREAMS }, () => startRun(port, `words ${EVENTS}`, count).ended)),
  );
  if (frames < STREAMS * EVENTS) throw new Error(`Only ${frames} events came.`);
  return frames / (ms / 1_000);
}

/** How long after it was said each word was read, in milliseconds. */
async function measureDelays(port: number, burst: number): Promise<readonly number[]> {
  const delays: number[] = [];
  const read = (bytes: Buffer): void => {
    const now = Number(process.hrtime.bigint() / 1_000n);
    // The whole answer comes once more at the end, and is no news.
    for (const [, said] of bytes.toString("latin1").matchAll(/"delta":"@(\d+)@"/g)) {
      delays.push((now - Number(said)) / 1_000);
    }
  };
  await Promise.all(Array.from({ length: STREAMS }, () => startRun(port, `paced ${EVENTS} ${burst}`, read).ended));
  return delays;
}

const IDLE = 5_000;

/** What a stream costs that nothing happens on. */
export async function measureIdle(): Promise<Target> {
  const server = await Child.start("./serve.ts");
  try {
    const runId = await startStalled(server.port);
    const before = await server.footprint();
    await openIdle(server.port, runId);
    const after = await server.footprint();
    return atMost(
      `memory of an idle stream, of ${IDLE}`,
      (after.rss - before.rss) / IDLE / 1_000,
      30,
      (value) => `${value.toFixed(1)} kB`,
    );
  } finally {
    await server.stop();
  }
}

async function startStalled(port: number): Promise<string> {
  return new Promise((resolve) => {
    let text = "";
    startRun(port, "stall", (bytes) => {
      text += bytes.toString();
      const [, runId] = /"run_id":"([^"]+)"/.exec(text) ?? [];
      if (runId !== undefined && text.includes("text_delta")) resolve(runId);
    });
  });
}

async function openIdle(port: number, runId: string): Promise<void> {
  for (let opened = 0; opened < IDLE; opened += 100) {
    await Promise.all(Array.from({ length: 100 }, () => follow(port, runId)));
  }
}

/** Resolves when the stream has begun. */
function follow(port: number, runId: string): Promise<void> {
  return new Promise((resolve) => {
    let text = "";
    const reading = open({ port, path: `/v1/runs/${runId}/events` }, (bytes) => {
      text += bytes.toString();
      if (text.includes("text_delta")) resolve();
    });
    reading.ended.catch(() => undefined);
  });
}
