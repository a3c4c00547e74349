import { type Case, openCase, PHASES_A_RUN } from "./cases.ts";

export interface Effort {
  /** Fresh runtimes of every case, one after the other. */
  readonly rounds: number;
  /** Runs of each runtime. */
  readonly runs: number;
  readonly warmUp: number;
}

/** Microseconds of CPU: of the quieter runs, and of half of them. */
export interface Measurement {
  readonly quietMicros: number;
  readonly medianMicros: number;
}

/** Refuses to measure a case whose hooks are not asked as often as the figures are divided by. */
export async function verify(cases: readonly Case[]): Promise<void> {
  for (const each of cases) {
    const { runtime, asked } = await openCase(each);
    const outcome = await runtime.runToCompletion({ agent: "agent", input: "go" });
    await runtime.close();
    const expected = each.hook === undefined ? 0 : PHASES_A_RUN * each.plugins;
    const isWhole = outcome.status === "done" && outcome.termination.type === "natural_end";
    if (!isWhole) throw new Error(`A run of the case "${each.name}" is ${outcome.status}.`);
    if (asked() !== expected) throw new Error(`The case "${each.name}" asked ${asked()} hooks, not ${expected}.`);
  }
}

/** CPU of single runs of every case. The cases take turns run by run, so that a slow moment of the machine hits all of them. */
export async function sampleRuns(cases: readonly Case[], effort: Effort): Promise<readonly (readonly number[])[]> {
  const samples = cases.map((): number[] => []);
  for (let round = 0; round < effort.rounds; round++) {
    const open = await Promise.all(cases.map(openCase));
    for (let time = -effort.warmUp; time < effort.runs; time++) {
      for (const [index, { runtime }] of open.entries()) {
        const micros = await timeRun(() => runtime.runToCompletion({ agent: "agent", input: "go" }));
        if (time >= 0) samples[index]?.push(micros);
      }
    }
    for (const { runtime } of open) await runtime.close();
  }
  return samples;
}

async function timeRun(run: () => Promise<unknown>): Promise<number> {
  globalThis.gc?.({ type: "minor" });
  const start = process.cpuUsage();
  await run();
  const { user, system } = process.cpuUsage(start);
  return user + system;
}

/** What a case takes more than another, divided. */
export function compare(samples: readonly number[], baseline: readonly number[], divisor: number): Measurement {
  const [taken, base] = [summarize(samples), summarize(baseline)];
  return {
    quietMicros: (taken.quietMicros - base.quietMicros) / divisor,
    medianMicros: (taken.medianMicros - base.medianMicros) / divisor,
  };
}

export function summarize(samples: readonly number[]): Measurement {
  const sorted = samples.toSorted((left, right) => left - right);
  const at = (part: number): number => sorted[Math.floor(sorted.length * part)] ?? Number.NaN;
  return { quietMicros: at(0.25), medianMicros: at(0.5) };
}
