import { defineState, gSet } from "@reprise/state";
import fc from "fast-check";
import { describe, it } from "vitest";
import { plans, poolSizes, toolCaps } from "./support/arbitraries.ts";
import { checkBatches } from "./support/check-batches.ts";
import { KINDS, type PlannedCall, splitByKind } from "./support/plan.ts";
import { openStage } from "./support/stage.ts";

/** Who has written. It merges, so that writes at the same time are no conflict. */
const written = defineState({
  path: "written",
  initial: () => ({ by: [] as readonly string[] }),
  fields: { by: { lattice: gSet } },
  actions: { add: ({ by }, key: string) => ({ by: [...by, key] }) },
});

const batches = fc.record({
  plan: plans({ ends: ["throws", "approval"] }, 9),
  pools: poolSizes,
  caps: toolCaps,
  mode: fc.constantFrom("parallel_streaming", "parallel_batch_approval"),
  isEarly: fc.boolean(),
});

const leavesTrace = ({ tool, end }: PlannedCall) =>
  end === undefined && KINDS[tool] !== "reading" && KINDS[tool] !== "missing";

/** Which writes a call must see, and which it may see besides: those of its own part of the round. */
function visibleTo(plan: readonly PlannedCall[], index: number) {
  const groups = splitByKind(plan);
  const own = groups.findIndex((group) => group.includes(index));
  const keysOf = (indexes: readonly number[]) =>
    plan.flatMap((call, other) => (indexes.includes(other) && leavesTrace(call) ? [String(other)] : []));
  const inOwn = keysOf((groups[own] ?? []).filter((other) => other !== index));
  const isSerial = KINDS[plan[index]?.tool ?? "ghost"] === "writing";
  const before = keysOf(groups.slice(0, own).flat());
  return isSerial
    ? { must: [...before, ...inOwn.filter((other) => Number(other) < index)], may: [] }
    : { must: before, may: inOwn };
}

describe("in random batches", { timeout: 600_000 }, () => {
  it("a call sees every write before its part of the round, promoted or not, and none after it", async () => {
    await checkBatches(1_700, batches, async ({ plan, pools, caps, mode, isEarly }) => {
      const seen = new Map<number, readonly string[]>();
      const keyed = plan.map((call, index) => ({ ...call, key: String(index) }));
      const stage = await openStage({
        plan: keyed,
        pools,
        caps,
        agent: { toolExecutionMode: mode, startReadsEarly: isEarly },
        act: ({ tool, key = "" }, { state }) => {
          seen.set(Number(key), state.get(written).by);
          if (KINDS[tool] !== "reading") state.apply(written.add(key));
          return state.get(written).by;
        },
      });
      const run = await stage.start();
      const outcome = await stage.play(run.outcome());
      const problems = [...seen].flatMap(([index, keys]) => {
        const { must, may } = visibleTo(plan, index);
        const missing = must.filter((key) => !keys.includes(key));
        const extra = keys.filter((key) => !must.includes(key) && !may.includes(key));
        return [
          ...missing.map((key) => `call ${index} did not see what ${key} wrote`),
          ...extra.map((key) => `call ${index} saw what ${key} wrote`),
        ];
      });
      const kept = written.read(await stage.runtime.threads.state("t1")).by;
      const expected = plan.flatMap((call, index) => (leavesTrace(call) ? [String(index)] : []));
      const isKept = kept.toSorted().join() === expected.toSorted().join();
      return [
        ...problems,
        ...(isKept ? [] : [`written by ${kept}, not ${expected}`]),
        ...(outcome.status === "failed" ? [outcome.error] : []),
      ];
    });
  });
});
