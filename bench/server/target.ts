/** A figure beside what was wanted of it. */
export interface Target {
  readonly name: string;
  readonly measured: string;
  readonly wanted: string;
  readonly isMet: boolean;
}

export function atLeast(name: string, value: number, wanted: number, say: (value: number) => string): Target {
  return { name, measured: say(value), wanted: `at least ${say(wanted)}`, isMet: value >= wanted };
}

export function atMost(name: string, value: number, wanted: number, say: (value: number) => string): Target {
  return { name, measured: say(value), wanted: `at most ${say(wanted)}`, isMet: value <= wanted };
}
