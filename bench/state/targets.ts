import type { Case } from "./cases.ts";
import type { Contestant } from "./contestant.ts";
import { IN_PLACE } from "./contestants/in-place.ts";
import { MUTATIVE_APPLY, MUTATIVE_CREATE } from "./contestants/mutative.ts";
import { PATH_COPY } from "./contestants/path-copy.ts";
import { REPRISE } from "./contestants/reprise.ts";
import { type Results, type Row, speedOf } from "./results.ts";

/** One comparison that we promised something about. */
export interface TargetRow {
  readonly target: "T1" | "T2" | "T3";
  readonly title: string;
  readonly reference: string;
  /** Our speed as a multiple of the reference's. */
  readonly speed: number;
  readonly required: number;
  readonly isMet: boolean;
}

export const TARGETS: Readonly<Record<TargetRow["target"], string>> = {
  T1: "Small state, each case, one patch at a time: at least 0.5x the hand-written path copy and 5x mutative (its faster form).",
  T2: "Large state, each case, one patch at a time: at least 0.8x the fastest other contestant that is immutable and keeps plain JSON.",
  T3: "Replay of 10,000 patches on the large state as one step: at most 10 times as long as in-place mutation.",
};

export function checkTargets(
  results: Results,
  cases: readonly Case[],
  contestants: readonly Contestant[],
): readonly TargetRow[] {
  const immutable = new Set(contestants.filter((contestant) => contestant.immutable).map(({ name }) => name));
  return cases.flatMap((testCase) => {
    const ours = results.row(testCase.id, "one by one", REPRISE);
    const others = results.rowsOf(testCase.id, "one by one").filter((row) => row !== ours);
    const named = (...names: string[]): Row[] => others.filter((row) => names.includes(row.contestant));
    const rowFor = (target: TargetRow["target"], reference: Row, required: number): TargetRow =>
      toTargetRow(target, testCase.title, ours, reference, required);

    if (testCase.size === "small") {
      return [
        rowFor("T1", fastest(named(PATH_COPY)), 0.5),
        rowFor("T1", fastest(named(MUTATIVE_APPLY, MUTATIVE_CREATE)), 5),
      ];
    }
    const rival = others.filter((row) => row.contestant !== REPRISE && immutable.has(row.contestant));
    const rows = [rowFor("T2", fastest(rival), 0.8)];
    if (testCase.kind === "replay") {
      const batched = results.row(testCase.id, "one step", REPRISE);
      const floor = results.row(testCase.id, "one step", IN_PLACE);
      rows.push(toTargetRow("T3", `${testCase.title}, one step`, batched, floor, 0.1));
    }
    return rows;
  });
}

function toTargetRow(
  target: TargetRow["target"],
  title: string,
  ours: Row,
  reference: Row,
  required: number,
): TargetRow {
  const speed = speedOf(ours, reference);
  return { target, title, reference: reference.contestant, speed, required, isMet: speed >= required };
}

function fastest(rows: readonly Row[]): Row {
  const [first, ...rest] = rows;
  if (first === undefined) throw new Error("There is nobody to compare with.");
  return rest.reduce((best, row) => (row.time.median < best.time.median ? row : best), first);
}
