import fc from "fast-check";
import { describe, it } from "vitest";
import { assertConsistent } from "../support/assert-consistent.ts";
import { plans, poolSizes, toolCaps } from "./support/arbitraries.ts";
import { checkBatches } from "./support/check-batches.ts";
import type { PlannedCall } from "./support/plan.ts";
import { openStage, type Stage } from "./support/stage.ts";

const VERBS = [
  { action: "approve" },
  { action: "deny", reason: "No." },
  { action: "supply", result: "supplied" },
  { action: "edit", arguments: { tool: "look", ms: 1 } },
] as const;

type Verb = (typeof VERBS)[number];

const batches = fc.record({
  plan: plans({ ends: ["throws", "asks", "approval"] }, 9),
  pools: poolSizes,
  caps: toolCaps,
  mode: fc.constantFrom("parallel_streaming", "parallel_batch_approval", "sequential"),
  isEarly: fc.boolean(),
  /** Which of the open calls is decided next, how, and whether at once or when the run waits. */
  decisions: fc.array(fc.record({ pick: fc.nat(20), verb: fc.constantFrom(...VERBS), at: fc.nat(12) }), {
    minLength: 12,
    maxLength: 12,
  }),
});

type Batch = typeof batches extends fc.Arbitrary<infer Value> ? Value : never;

/** Decides now and then while the run is at work, and whatever is open when it waits, until it is done. */
async function playDecided(stage: Stage, decisions: Batch["decisions"]): Promise<string> {
  const run = await stage.start();
  const decide = async (pick: number, verb: Verb): Promise<void> => {
    const open = await stage.runtime.decisions.list({ runId: run.id });
    const call = open[pick % Math.max(open.length, 1)];
    // Another process may have been faster, or the run may be over.
    if (call !== undefined) await stage.runtime.decisions.decide(call.id, verb).catch(() => undefined);
  };
  const meanwhile = decisions.slice(0, 4).map(({ pick, verb, at }) => stage.at(at, () => decide(pick, verb)));
  for (let turn = 0; turn < 40; turn += 1) {
    const outcome = await stage.play(run.outcome());
    if (outcome.status !== "waiting") {
      await stage.play(Promise.all(meanwhile));
      return outcome.status;
    }
    const { pick, verb } = decisions[turn % decisions.length] ?? { pick: 0, verb: VERBS[0] };
    await decide(pick, verb);
  }
  return "undecided";
}

/** What the model was shown last: the calls it made, and their results. */
function lastRound({ model }: Stage): { readonly asked: readonly string[]; readonly answered: readonly string[] } {
  const messages = model.requests.at(-1)?.messages ?? [];
  return {
    asked: messages.flatMap(({ tool_calls }) => tool_calls?.map(({ id }) => id) ?? []),
    answered: messages.flatMap(({ tool_call_id }) => tool_call_id ?? []),
  };
}

/** What a call that nobody decided about must have come to. */
function unexpected({ tool, end }: PlannedCall, content: string, callId: string): boolean {
  if (tool === "ghost") return !content.includes("tool_not_found");
  if (end === "throws") return !content.includes("execution_failed");
  return end === undefined && content !== callId;
}

describe("in random batches", { timeout: 600_000 }, () => {
  it("results keep the model's order, one for each call, in whatever order they and the decisions came", async () => {
    await checkBatches(1_700, batches, async ({ plan, pools, caps, mode, isEarly, decisions }) => {
      const stage = await openStage({
        plan,
        pools,
        caps,
        agent: { toolExecutionMode: mode, startReadsEarly: isEarly },
      });
      const status = await playDecided(stage, decisions);
      await assertConsistent(stage.store.forTenant("default"), "t1");
      const { asked, answered } = lastRound(stage);
      const contents = (stage.model.requests.at(-1)?.messages ?? [])
        .filter(({ role }) => role === "tool")
        .map(({ content }) => String(content));
      const isPaired = asked.length === plan.length && answered.join() === asked.join();
      const wrong = plan.filter((call, index) => unexpected(call, contents[index] ?? "", asked[index] ?? ""));
      const executions = new Map<string, number>();
      for (const { callId } of stage.spans) executions.set(callId, (executions.get(callId) ?? 0) + 1);
      const repeated = plan.filter(({ end }, index) => {
        const most = end === "asks" ? 2 : 1;
        return (executions.get(asked[index] ?? "") ?? 0) > most;
      });
      return [
        ...(status === "done" ? [] : [`the run is ${status}`]),
        ...(isPaired ? [] : [`asked ${asked}, answered ${answered}`]),
        ...(stage.model.requests.length === 2 ? [] : [`${stage.model.requests.length} requests`]),
        ...wrong.map((call) => `the result of ${JSON.stringify(call)} is not its own`),
        ...repeated.map((call) => `${JSON.stringify(call)} was executed too often`),
      ];
    });
  });
});
