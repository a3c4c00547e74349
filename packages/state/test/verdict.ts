import { expect } from "vitest";
import { StateError } from "../src/index.ts";

/** How a call ended: "passed", the code of a `StateError`, or the text of any other error, which is always a surprise. */
export function verdictOf(run: () => unknown): string {
  try {
    run();
    return "passed";
  } catch (error) {
    return StateError.is(error) ? error.code : `foreign ${String(error)}`;
  }
}

/** Runs every attack and lists those that did not end as allowed, so that one failure shows all of them. */
export function expectVerdicts(
  attacks: Iterable<readonly [label: string, attack: () => unknown]>,
  ...allowed: readonly string[]
): void {
  const surprises: string[] = [];
  for (const [label, attack] of attacks) {
    const verdict = verdictOf(attack);
    if (!allowed.includes(verdict)) surprises.push(`${label}: ${verdict}`);
  }
  expect(surprises).toEqual([]);
}
