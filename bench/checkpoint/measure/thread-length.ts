import type { Talk } from "../load/long-thread.ts";
import type { Effort } from "./effort.ts";
import { shuffle } from "./shuffle.ts";
import { summarize } from "./statistics.ts";

/** One more turn on a thread that is in memory, by how much the thread holds. */
export interface LengthReport {
  readonly store: string;
  readonly short: { readonly messages: number; readonly turnMs: number };
  readonly long: { readonly messages: number; readonly turnMs: number };
  /** How many times a turn on the short thread one on the long thread takes. */
  readonly ratio: number;
}

const SHORT = 10;
const TURNS_PER_SHORT_THREAD = 4;

/** `longThread` holds `messages`. Turns on it and on short threads take turns. */
export async function measureLength(
  store: string,
  talk: Talk,
  { longThread, messages }: { readonly longThread: string; readonly messages: number },
  { lengthRepetitions }: Effort,
): Promise<LengthReport> {
  const shortThreads: string[] = [];
  for (let made = 0; made < lengthRepetitions; made += TURNS_PER_SHORT_THREAD) {
    shortThreads.push(await talk.turns(SHORT / 2));
  }
  await talk.turns(3, longThread);
  const times = { short: [] as number[], long: [] as number[] };
  for (let repetition = 0; repetition < lengthRepetitions; repetition++) {
    for (const kind of shuffle(["short", "long"] as const)) {
      const thread = kind === "long" ? longThread : shortThreads[repetition % shortThreads.length];
      const startedAt = performance.now();
      await talk.turn(thread);
      times[kind].push(performance.now() - startedAt);
    }
  }
  const [short, long] = [summarize(times.short).median, summarize(times.long).median];
  return {
    store,
    short: { messages: SHORT, turnMs: short },
    long: { messages, turnMs: long },
    ratio: summarize(times.long.map((time, index) => time / (times.short[index] ?? Number.NaN))).median,
  };
}
