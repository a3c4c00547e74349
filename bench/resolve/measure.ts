import type { Env } from "@reprise/contracts";
import type { RegistrySet } from "../../packages/runtime/src/resolve/registry-set.ts";
import { resolveAgent } from "../../packages/runtime/src/resolve/resolve-agent.ts";
import type { Case } from "./cases.ts";

/** Microseconds of CPU one resolve took, over all samples. */
export interface Measurement {
  readonly name: string;
  readonly medianMicros: number;
  readonly leastMicros: number;
  readonly mostMicros: number;
}

export interface Effort {
  readonly repetitions: number;
  readonly resolves: number;
  readonly warmUp: number;
}

/** Refuses to measure a resolve that does not come to what it should. */
export function verify(registries: RegistrySet, env: Env, cases: readonly Case[]): void {
  for (const [index, { name, tools }] of cases.entries()) {
    const { size } = resolveAgent(registries, `case_${index}`, { env }).tools;
    if (size !== tools) throw new Error(`The case "${name}" has ${size} tools, not ${tools}.`);
  }
}

/** In every repetition each case takes one sample, so that a slow moment of the machine hits all of them. */
export function measure(registries: RegistrySet, env: Env, cases: readonly Case[], effort: Effort): Measurement[] {
  const samples = cases.map((): number[] => []);
  for (const index of cases.keys()) resolveOften(registries, env, index, effort.warmUp);
  for (let repetition = 0; repetition < effort.repetitions; repetition++) {
    for (const [index, taken] of samples.entries()) {
      globalThis.gc?.({ type: "minor" });
      taken.push(resolveOften(registries, env, index, effort.resolves));
    }
  }
  return cases.map(({ name }, index) => summarize(name, samples[index] ?? []));
}

function resolveOften(registries: RegistrySet, env: Env, index: number, times: number): number {
  const start = process.cpuUsage();
  for (let time = 0; time < times; time++) resolveAgent(registries, `case_${index}`, { env });
  const { user, system } = process.cpuUsage(start);
  return (user + system) / times;
}

function summarize(name: string, samples: readonly number[]): Measurement {
  const sorted = samples.toSorted((left, right) => left - right);
  const [leastMicros = Number.NaN] = sorted;
  const mostMicros = sorted.at(-1) ?? Number.NaN;
  return { name, medianMicros: sorted[sorted.length >> 1] ?? Number.NaN, leastMicros, mostMicros };
}
