import type { Store } from "../../../packages/contracts/src/index.ts";
import { openTalk, type Talk } from "../load/long-thread.ts";
import type { Effort } from "./effort.ts";
import { summarize } from "./statistics.ts";

/** One more turn on a long thread by a runtime that has never seen it, beside one that has it in memory. */
export interface LoadReport {
  readonly store: string;
  readonly messages: number;
  readonly coldMs: number;
  readonly warmMs: number;
  /** The thread's messages as rows of minimal raw, read and parsed. */
  readonly rowsMs: number;
}

/** The messages of a thread in the table of minimal raw. */
export interface MinimalRows {
  read(): Promise<readonly string[]>;
  close(): Promise<void>;
}

export async function measureLoad(
  { name, store, rows }: { readonly name: string; readonly store: Store; readonly rows: MinimalRows },
  { talk, threadId, messages }: { readonly talk: Talk; readonly threadId: string; readonly messages: number },
  { loadRepetitions }: Effort,
): Promise<LoadReport> {
  const times = { cold: [] as number[], warm: [] as number[], rows: [] as number[] };
  const take = async (kind: keyof typeof times, work: () => Promise<unknown>): Promise<void> => {
    globalThis.gc?.({ type: "minor" });
    const startedAt = performance.now();
    await work();
    times[kind].push(performance.now() - startedAt);
  };
  for (let repetition = 0; repetition < loadRepetitions; repetition++) {
    const stranger = await openTalk(store);
    await take("cold", () => stranger.turn(threadId));
    await stranger.close();
    // What the other runtime did is read first, and is not of interest.
    await talk.turn(threadId);
    await take("warm", () => talk.turn(threadId));
    await take("rows", async () => (await rows.read()).map((text): unknown => JSON.parse(text)));
  }
  await rows.close();
  const median = (samples: readonly number[]): number => summarize(samples).median;
  return { store: name, messages, coldMs: median(times.cold), warmMs: median(times.warm), rowsMs: median(times.rows) };
}

/** The texts of a thread's messages, as minimal raw keeps them: a row each. */
export async function messageTexts(store: Store, threadId: string): Promise<readonly string[]> {
  const { messages } = await store.forTenant("default").readMessages(threadId, 0);
  return messages.map((message) => JSON.stringify(message));
}
