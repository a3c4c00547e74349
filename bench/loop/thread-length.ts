import type { LanguageModel } from "../../packages/contracts/src/index.ts";
import type { Runtime } from "../../packages/runtime/src/index.ts";
import { sweepYoung } from "./collect-garbage.ts";
import { openRuntimeWith } from "./contestants/reprise.ts";
import { cpuMs } from "./cpu.ts";
import type { Effort } from "./effort.ts";
import { shuffle } from "./measure.ts";
import { summarize } from "./statistics.ts";

export const LENGTHS: readonly number[] = [10, 100, 1_000, 5_000];

const THREADS = 4;
const RUNS_PER_THREAD = 3;

export interface LengthResult {
  readonly messages: number;
  /** CPU from the start of a run until the model is asked, per run. */
  readonly toModelMs: number;
  /** CPU of the whole run, whose model says one word. */
  readonly wholeMs: number;
  /** Both against the shortest thread, in the same repetition. */
  readonly toModelRatio: number;
  readonly wholeRatio: number;
}

interface Sample {
  readonly toModelMs: number;
  readonly wholeMs: number;
}

/** One more run on a thread that is in memory, by the number of messages it holds. */
export async function measureLengths(effort: Effort): Promise<readonly LengthResult[]> {
  let askedAt = 0;
  const model: LanguageModel = {
    id: "brief",
    async *stream() {
      askedAt = cpuMs();
      yield { type: "text_delta", delta: "Yes." };
      yield { type: "finish", stop_reason: "end_turn" };
    },
  };
  const repetitions: Map<number, Sample>[] = [];
  // The first repetition only warms up.
  for (let repetition = 0; repetition <= effort.lengthRepetitions; repetition++) {
    const samples = new Map<number, Sample>();
    for (const length of shuffle(LENGTHS)) samples.set(length, await sampleLength(model, length, () => askedAt));
    if (repetition > 0) repetitions.push(samples);
  }
  return LENGTHS.map((length) => describeLength(length, repetitions));
}

async function sampleLength(model: LanguageModel, length: number, askedAt: () => number): Promise<Sample> {
  const runtime = await openRuntimeWith(model);
  const threads: string[] = [];
  for (let thread = 0; thread < THREADS; thread++) threads.push(await fillThread(runtime, length));
  sweepYoung();
  const samples: Sample[] = [];
  for (let round = 0; round < RUNS_PER_THREAD; round++) {
    for (const threadId of threads) {
      const before = cpuMs();
      await readRun(runtime, threadId, "And now?");
      samples.push({ toModelMs: askedAt() - before, wholeMs: cpuMs() - before });
    }
  }
  await runtime.close();
  return {
    toModelMs: summarize(samples.map((sample) => sample.toModelMs)).median,
    wholeMs: summarize(samples.map((sample) => sample.wholeMs)).median,
  };
}

/** A thread with so many messages, the last of which its first run has answered. */
async function fillThread(runtime: Runtime, length: number): Promise<string> {
  const messages = Array.from({ length: length - 1 }, (_, index) => ({
    role: index % 2 === 0 ? ("user" as const) : ("assistant" as const),
    content: `Message ${index}, which says about as much as a short line of a conversation does.`,
  }));
  return readRun(runtime, undefined, messages);
}

type Input = Parameters<Runtime["start"]>[0]["input"];

async function readRun(runtime: Runtime, threadId: string | undefined, input: Input): Promise<string> {
  const run = await runtime.start({ agent: "bench", input, ...(threadId !== undefined && { threadId }) });
  let last: string | undefined;
  for await (const { type } of run.events()) last = type;
  if (last !== "run_finish") throw new Error(`A run on a long thread ended with ${last}.`);
  return run.threadId;
}

function describeLength(messages: number, repetitions: readonly ReadonlyMap<number, Sample>[]): LengthResult {
  const shortest = LENGTHS[0] ?? 0;
  const medianOf = (pick: (own: Sample, reference: Sample) => number): number =>
    summarize(
      repetitions.flatMap((samples) => {
        const own = samples.get(messages);
        const reference = samples.get(shortest);
        return own === undefined || reference === undefined ? [] : [pick(own, reference)];
      }),
    ).median;
  return {
    messages,
    toModelMs: medianOf((own) => own.toModelMs),
    wholeMs: medianOf((own) => own.wholeMs),
    toModelRatio: medianOf((own, reference) => own.toModelMs / reference.toModelMs),
    wholeRatio: medianOf((own, reference) => own.wholeMs / reference.wholeMs),
  };
}
