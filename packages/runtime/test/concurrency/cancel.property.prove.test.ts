import fc from "fast-check";
import { describe, it } from "vitest";
import { plans, poolSizes, toolCaps } from "./support/arbitraries.ts";
import { checkBatches } from "./support/check-batches.ts";
import type { PlannedCall } from "./support/plan.ts";
import { reportRound } from "./support/report.ts";
import { openStage, type Span } from "./support/stage.ts";

const ENDS = ["throws", "asks", "approval", "stays"] as const;
/** How long calls may take that stay until they are stopped. */
const TIMEOUT = 60_000;

function batches(when: readonly NonNullable<PlannedCall["when"]>[]) {
  return fc.record({
    plan: plans({ ends: ENDS, when, longest: 12 }, 8),
    pools: poolSizes,
    caps: toolCaps,
    mode: fc.constantFrom("parallel_streaming", "parallel_batch_approval", "sequential"),
    isEarly: fc.boolean(),
    // Never at the same moment as something else.
    cancelAt: fc.integer({ min: 0, max: 20 }).map((ms) => ms + 0.5),
  });
}

type Batch = ReturnType<typeof batches> extends fc.Arbitrary<infer Value> ? Value : never;

async function play({ plan, pools, caps, mode, isEarly, cancelAt }: Batch) {
  const stage = await openStage({ plan, pools, caps, agent: { toolExecutionMode: mode, startReadsEarly: isEarly } });
  const run = await stage.start();
  await stage.play(stage.at(cancelAt, () => run.cancel().catch(() => undefined)));
  // What stays although the run is cancelled has its time limit, counted from its own beginning.
  const lasting = stage.spans.filter(({ end }) => end === undefined).map(({ startedAt }) => startedAt + TIMEOUT);
  const limits = [...new Set(lasting)].map((at) => stage.at(at, () => undefined));
  const outcome = await stage.play(run.outcome());
  for (const limit of limits) limit.catch(() => undefined);
  return { stage, outcome, ...(await reportRound(stage, run)) };
}

/** When a call would have ended by itself, or at its limit. */
function ownEnd({ startedAt }: Span, { ms, end }: PlannedCall): number {
  return startedAt + (end === "stays" ? TIMEOUT : ms);
}

/** The status a call must have by how it was executed. */
function expectedStatus(span: Span | undefined, call: PlannedCall, isLimited: boolean): readonly string[] {
  if (call.tool === "ghost") return ["failed", "cancelled"];
  if (span === undefined || span.end === "asked") return ["cancelled"];
  // At its limit it has failed, unless the last call that held the interruption off ended in the same moment.
  if (span.end === "stopped") return isLimited ? ["failed", "cancelled"] : ["cancelled"];
  return [span.end === "threw" ? "failed" : "succeeded"];
}

function findProblems(
  { plan, cancelAt }: Batch,
  { stage, outcome, statuses, results, events }: Awaited<ReturnType<typeof play>>,
): readonly string[] {
  // It came to its end, or to a question, before anybody cancelled it: other tests look at that.
  if (outcome.status === "done") return [];
  // Every span belongs to a call of the plan.
  const callOf = (span: Span) => plan[span.index] as PlannedCall;
  const blocking = stage.spans.filter((span) => callOf(span).when === "block" && span.startedAt < cancelAt);
  const heldUntil = Math.max(cancelAt, ...blocking.map((span) => ownEnd(span, callOf(span))));
  const late = stage.spans.filter(({ startedAt }) => startedAt > cancelAt);
  const wrongEnds = stage.spans.filter((span) => {
    const end = ownEnd(span, callOf(span));
    const isLeft = callOf(span).when === "finish" || callOf(span).when === "block";
    return span.endedAt !== (isLeft ? end : Math.min(end, heldUntil));
  });
  const wrongStatuses = plan.flatMap((call, index) => {
    const span = stage.spans.findLast((candidate) => candidate.index === index);
    const isLimited = span !== undefined && span.endedAt === span.startedAt + TIMEOUT;
    const expected = expectedStatus(span, call, isLimited);
    return expected.includes(statuses[index] ?? "") ? [] : [`call ${index} is ${statuses[index]}, not ${expected}`];
  });
  const told = new Set(events.flatMap((event) => (event.type === "tool_call_cancelled" ? [event.data.id] : [])));
  const untold = statuses.filter((status) => status === "cancelled").length - told.size;
  return [
    ...(outcome.status === "cancelled" ? [] : [`the run is ${outcome.status}`]),
    ...late.map(({ index, startedAt }) => `call ${index} began at ${startedAt}`),
    ...wrongEnds.map(({ index, endedAt, end }) => `call ${index} ${end} at ${endedAt}`),
    ...wrongStatuses,
    ...(results.every((result) => result !== undefined) ? [] : ["a call has no result"]),
    ...(untold === 0 ? [] : [`${untold} cancelled calls without a fact`]),
  ];
}

describe("in random batches", { timeout: 600_000 }, () => {
  it("cancelling lets nothing more begin, stops what may be stopped, and gives every call its end", async () => {
    await checkBatches(1_500, batches(["cancel", "finish"]), async (batch) => findProblems(batch, await play(batch)));
  });

  it("cancelling waits for calls at work that hold it off, and lets nothing more begin meanwhile", async () => {
    await checkBatches(500, batches(["cancel", "block", "block", "finish"]), async (batch) =>
      findProblems(batch, await play(batch)),
    );
  });
});
