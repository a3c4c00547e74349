import type { Case } from "./cases.ts";
import { CALLS, openCase, playBare, type RoundPlayer } from "./round.ts";

/** Microseconds of CPU a call, over all samples. */
export interface Measurement {
  readonly name: string;
  readonly isTarget: boolean;
  readonly medianMicros: number;
  readonly leastMicros: number;
  readonly mostMicros: number;
}

export interface Effort {
  readonly repetitions: number;
  readonly rounds: number;
  readonly warmUp: number;
}

/** In every repetition each case takes one sample, so that a slow moment of the machine hits all of them. */
export async function measure(cases: readonly Case[], effort: Effort): Promise<readonly Measurement[]> {
  const bare = { name: "the functions alone", isTarget: false };
  const players: (Pick<Case, "name" | "isTarget"> & RoundPlayer)[] = [
    { ...bare, play: playBare, close: async () => undefined },
  ];
  for (const each of cases) players.push({ name: each.name, isTarget: each.isTarget, ...(await openCase(each)) });
  const samples = players.map((): number[] => []);
  for (const player of players) await sample(player, effort.warmUp);
  for (let repetition = 0; repetition < effort.repetitions; repetition++) {
    for (const [index, taken] of samples.entries()) {
      const player = players[index];
      if (player === undefined) continue;
      globalThis.gc?.({ type: "minor" });
      taken.push(await sample(player, effort.rounds));
    }
  }
  for (const player of players) await player.close();
  return players.map((player, index) => summarize(player, samples[index] ?? []));
}

/** What a call costs on average over some rounds. */
async function sample(player: RoundPlayer, rounds: number): Promise<number> {
  let micros = 0;
  for (let round = 0; round < rounds; round++) micros += await player.play();
  return micros / rounds / CALLS;
}

function summarize({ name, isTarget }: Pick<Case, "name" | "isTarget">, samples: readonly number[]): Measurement {
  const sorted = samples.toSorted((left, right) => left - right);
  const [leastMicros = Number.NaN] = sorted;
  const mostMicros = sorted.at(-1) ?? Number.NaN;
  return { name, isTarget, medianMicros: sorted[sorted.length >> 1] ?? Number.NaN, leastMicros, mostMicros };
}
