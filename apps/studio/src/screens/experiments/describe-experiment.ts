import type { EvalResult, Experiment } from "../../api/types.ts";

type Totals = Experiment["totals"];

/** An experiment by what people call it. */
export function nameOf({ name, id }: Pick<Experiment, "name" | "id">): string {
  return name ?? `Experiment ${id.slice(-8)}`;
}

/** Who answered in each mode. */
export const MODES: Readonly<Record<Experiment["mode"], string>> = {
  verify: "everything recorded, compared commit by commit",
  rescript: "recorded answers, played to the agents of today",
  rerun: "live models, recorded tools",
  live: "live models and live tools",
};

/** `3 passed, 1 failed`: what there is none of is left out. */
export function sayTotals({ passed, warned, failed }: Totals): string {
  const parts = [
    [failed, "failed"],
    [warned, "warned"],
    [passed, "passed"],
  ] as const;
  const said = parts.filter(([count]) => count > 0).map(([count, word]) => `${count} ${word}`);
  return said.length === 0 ? "no cases" : said.join(", ");
}

/** `1 case`, `2 cases`. */
export function sayCount(count: number, one: string, several: string = `${one}s`): string {
  return `${count} ${count === 1 ? one : several}`;
}

type Check = EvalResult["trials"][number]["checks"][number];

/** What went wrong in a case, each thing once, whatever the number of trials it went wrong in; what failed first. */
export interface Problem {
  readonly name: string;
  readonly verdict: Check["verdict"];
  readonly message: string;
  readonly values?: { readonly expected: unknown; readonly actual: unknown };
  readonly trials: number;
}

export function problemsOf({
  trials,
  regressions = [],
}: Pick<EvalResult, "trials" | "regressions">): readonly Problem[] {
  const found = new Map<string, Problem>();
  for (const check of trials.flatMap(({ checks }) => checks)) {
    if (check.verdict === "passed") continue;
    const { name, verdict, message, expected, actual } = check;
    const key = JSON.stringify([name, message]);
    const known = found.get(key);
    const hasValues = expected !== undefined && actual !== undefined;
    const problem = { name, verdict, message, trials: 1, ...(hasValues && { values: { expected, actual } }) };
    found.set(key, known === undefined ? problem : { ...known, trials: known.trials + 1 });
  }
  const worse = regressions.map(({ metric, baseline, actual, verdict, unpriced }) => {
    const unknown = unpriced === "actual" ? "the cost" : "that of the baseline";
    const compared = `${baseline} before, ${actual} now`;
    return {
      name: `baseline ${metric.replaceAll("_", " ")}`,
      verdict,
      message: unpriced === undefined ? compared : `${compared}; ${unknown} is not wholly known`,
      trials: 1,
    };
  });
  const all = [...found.values(), ...worse];
  return [...all.filter(({ verdict }) => verdict === "failed"), ...all.filter(({ verdict }) => verdict !== "failed")];
}
