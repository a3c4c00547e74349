import type { RunRecord } from "@reprise/contracts";
import { expect, it, vi } from "vitest";
import { describeWithService } from "../../../../test/support/describe-with-service.ts";
import type { Worker } from "./support/start-worker.ts";
import { type Fleet, useFleets } from "./support/use-fleet.ts";

// Processes take their time to start on a busy machine.
vi.setConfig({ testTimeout: 180_000 });

const ROUNDS = 200;
const AT_A_TIME = 10;
const SUB_RUNS = 10;

/** As much as an answer can be at most, so that a single one too many shows. */
const ANSWER_TOKENS = 16_384;
/** Room for five answers and their questions, which take less than an answer together. */
const LIMIT = Math.round(5.5 * ANSWER_TOKENS);

const spend = JSON.stringify([{ text: "spent" }, { usage: { promptTokens: 1, completionTokens: ANSWER_TOKENS } }]);
const greet = JSON.stringify([{ text: "hello" }, { usage: { promptTokens: 1, completionTokens: 1 } }]);

describeWithService("postgres", "a budget that runs in two processes share", (service) => {
  const openFleet = useFleets(service);

  it(`is never exceeded by ten at once, ${ROUNDS} times of ${ROUNDS}`, async () => {
    const fleet = await openFleet();
    const workers = await Promise.all([fleet.start(), fleet.start()]);
    let kept = 0;
    const refused = new Set<number>();
    for (let first = 0; first < ROUNDS; first += AT_A_TIME) {
      const rounds = Array.from({ length: AT_A_TIME }, (_, index) => playRound(fleet, workers, first + index));
      for (const { runs, spent } of await Promise.all(rounds)) {
        const used = runs.reduce((sum, { input_tokens, output_tokens }) => sum + input_tokens + output_tokens, 0);
        if (used <= LIMIT && spent.tokens === used) kept += 1;
        refused.add(runs.filter(({ termination_code }) => termination_code === "error").length);
      }
    }
    expect(kept).toBe(ROUNDS);
    // Whatever the order, those for whom there was room got it, the last of them a shorter answer: a refusal is never for want of luck.
    expect(Math.max(...refused)).toBeLessThanOrEqual(4);
    expect(Math.min(...refused)).toBeGreaterThan(0);
    const where = await Promise.all(workers.map(async (worker) => (await worker.ask("asked", {})).length));
    expect(Math.min(...where)).toBeGreaterThan(ROUNDS / 4);
  });
});

interface Round {
  readonly runs: readonly RunRecord[];
  readonly spent: { readonly tokens: number };
}

async function playRound({ tenant }: Fleet, workers: readonly Worker[], round: number): Promise<Round> {
  const [one] = workers;
  if (one === undefined) throw new Error("There is no worker.");
  const budget = { limit_tokens: LIMIT };
  const root = await one.ask("start", { threadId: `root-${round}`, agent: "other", input: greet, budget });
  await one.ask("outcome", { runId: root });
  const started = Array.from({ length: SUB_RUNS }, async (_, index) => {
    const worker = workers[index % workers.length] ?? one;
    const runId = await worker.ask("start", {
      threadId: `${round}-${index}`,
      agent: "other",
      input: spend,
      parentRunId: root,
    });
    await worker.ask("outcome", { runId });
    return runId;
  });
  const ids = [root, ...(await Promise.all(started))];
  const runs = await Promise.all(ids.map(async (id) => (await tenant.loadRun(id)) as RunRecord));
  const document = await tenant.loadDocument("budget", root);
  // Written by the runtime, which keeps budgets under this kind.
  return { runs, ...(document?.body as unknown as Pick<Round, "spent">) };
}
