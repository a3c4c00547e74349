import { INVARIANTS } from "../checker/check-history.ts";
import { ruleOfThree } from "./rule-of-three.ts";
import type { Tally } from "./tally.ts";

/** How often something was done to processes or stores: what the verdict counts. */
function countFaults({ faults }: Tally): { readonly count: number; readonly what: string } {
  const done = Object.entries(faults).filter(([name]) => name.startsWith("die at ") || !/ at |^\(/.test(name));
  const isKillsOnly = done.every(([name]) => name === "kill" || name.startsWith("die at "));
  return { count: sum(done), what: isKillsOnly ? "kills" : "faults" };
}

/** The report of a session, as it is printed. */
export function formatReport(title: string, tally: Tally): string {
  const interventions = Object.entries(tally.faults).filter(
    ([name]) => / at /.test(name) && !name.startsWith("die at "),
  );
  const others = Object.entries(tally.faults).filter(([name]) => !/ at /.test(name));
  const points = Object.keys(tally.faults).filter((name) => name.startsWith("die at ")).length;
  return [
    title,
    line("faults", [
      ...others.map(([name, count]) => `${name} ${count}`),
      ...(points > 0 ? [`died at ${points} fault points`] : []),
    ]),
    line("clients", [
      `${sum(interventions)} interventions in ${interventions.length} kinds`,
      `${tally.threads} threads`,
    ]),
    line("runs", [
      ...counts(tally.runs),
      ...(tally.runsBelow > 0 ? [`${tally.runsBelow} of them below others`] : []),
      ...(tally.scheduled > 0 ? [`${tally.scheduled} by a schedule`] : []),
    ]),
    line("decisions", [
      `${tally.decisions} stored`,
      `${tally.unknownOutcomes} unknown outcomes`,
      `${tally.expired} ran out of time`,
      ...counts(tally.answers),
    ]),
    line("streams", [`${tally.events} events in ${tally.streams} streams`, `${tally.withdrawals} withdrawals`]),
    line("work", [
      `${tally.versions} versions`,
      `${tally.effects} effects`,
      `${tally.modelCalls} model calls`,
      ...(tally.nodes > 0 ? [`${tally.nodes} nodes of workflows`] : []),
      `${tally.activations} later activations`,
      `${tally.losses} owners replaced alive`,
      `${tally.verified} runs replayed`,
    ]),
    line("went on after a kill", describePauses(tally.pausesMs)),
    ...(tally.returnsMs.length > 0 ? [line("went on once the store was back", describePauses(tally.returnsMs))] : []),
    ...Object.entries(INVARIANTS).map(([name, { title: says }]) => {
      const broken = tally.violations.filter(({ invariant }) => invariant === name).length;
      return line(`${name} ${says}`, [broken === 0 ? "holds" : `BROKEN ${broken} times`]);
    }),
    formatVerdict(tally),
  ].join("\n");
}

function formatVerdict(tally: Tally): string {
  const { count, what } = countFaults(tally);
  const violations = tally.violations.length;
  if (violations > 0) return `${violations} violations in ${count} ${what}`;
  const percent = ruleOfThree(count) * 100;
  const bound = percent < 10 ? percent.toPrecision(2) : percent.toFixed(0);
  return `0 violations in ${count} ${what}: at most ${bound} % of them violate anything, with 95 % confidence (rule of three)`;
}

function line(name: string, parts: readonly string[]): string {
  return `  ${name.padEnd(44)} ${parts.join(" · ")}`;
}

function counts(record: Readonly<Record<string, number>>): readonly string[] {
  return Object.entries(record)
    .toSorted(([, left], [, right]) => right - left)
    .map(([name, count]) => `${name} ${count}`);
}

function sum(entries: readonly (readonly [string, number])[]): number {
  return entries.reduce((total, [, count]) => total + count, 0);
}

function describePauses(pauses: readonly number[]): readonly string[] {
  const sorted = pauses.toSorted((left, right) => left - right);
  if (sorted.length === 0) return ["nothing to measure"];
  const at = (share: number): string => `${sorted[Math.ceil(sorted.length * share) - 1] ?? 0} ms`;
  return [`p50 ${at(0.5)}`, `p99 ${at(0.99)}`, `max ${at(1)}`, `${sorted.length} times`];
}
