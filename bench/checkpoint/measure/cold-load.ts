import type { TenantStore } from "../../../packages/contracts/src/index.ts";
import { loadThread } from "../../../packages/runtime/src/thread/loaded-thread.ts";
import type { Effort } from "./effort.ts";
import { shuffle } from "./shuffle.ts";
import { summarize } from "./statistics.ts";

/** A thread that is not in memory, loaded as the runtime does it, beside its rows read again. */
export interface LoadReport {
  readonly store: string;
  readonly messages: number;
  readonly loadMs: number;
  /** The same statements by a bare loop, every row of them. */
  readonly rowsMs: number;
  /** The same, with every body parsed: without that nobody has a message. */
  readonly parsedMs: number;
  readonly ratioToRows: number;
  readonly ratioToParsed: number;
}

/** Reads again what loading a thread reads. `onRow` gets every row. */
export type Reread = (onRow: (row: Readonly<Record<string, unknown>>) => void) => Promise<void>;

export async function measureLoad(
  store: string,
  {
    tenant,
    threadId,
    messages,
  }: { readonly tenant: TenantStore; readonly threadId: string; readonly messages: number },
  reread: Reread,
  { loadRepetitions }: Effort,
): Promise<LoadReport> {
  const work = {
    load: async () => {
      const thread = await loadThread(tenant, threadId);
      if ((thread?.messages.length ?? 0) < messages) throw new Error("The thread has fewer messages than were said.");
    },
    rows: () => reread(() => {}),
    parsed: () => reread(parseBodies),
  };
  const times = { load: [] as number[], rows: [] as number[], parsed: [] as number[] };
  // The first repetitions only warm up.
  for (let repetition = -3; repetition < loadRepetitions; repetition++) {
    for (const kind of shuffle(["load", "rows", "parsed"] as const)) {
      // Only the young generation: a full collection throws compiled code away.
      globalThis.gc?.({ type: "minor" });
      const startedAt = performance.now();
      await work[kind]();
      if (repetition >= 0) times[kind].push(performance.now() - startedAt);
    }
  }
  const ratioTo = (other: readonly number[]): number =>
    summarize(times.load.map((time, index) => time / (other[index] ?? Number.NaN))).median;
  return {
    store,
    messages,
    loadMs: summarize(times.load).median,
    rowsMs: summarize(times.rows).median,
    parsedMs: summarize(times.parsed).median,
    ratioToRows: ratioTo(times.rows),
    ratioToParsed: ratioTo(times.parsed),
  };
}

const BODIES: readonly string[] = ["body", "patches", "metadata"];

/** Where somebody without our codec would get to. */
function parseBodies(row: Readonly<Record<string, unknown>>): void {
  for (const name of BODIES) {
    const body = row[name];
    if (typeof body === "string" && body !== "") JSON.parse(body);
  }
}
