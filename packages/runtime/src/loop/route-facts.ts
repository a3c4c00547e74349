import type { FactData } from "@reprise/contracts";
import type { Json } from "@reprise/state";
import { describeBudget } from "../budget/tell-budget.ts";
import type { ModelAttempt } from "../route/route-session.ts";
import type { TurnFacts } from "./model-turn.ts";
import type { RunWorkspace } from "./run-workspace.ts";

/** Shows how an inference found its model, and counts what it cost. Nothing for a model that nothing had to be chosen for. */
export function showRoute(workspace: RunWorkspace, stepId: string, facts: TurnFacts): void {
  const { attempts } = facts;
  if (attempts.length === 0) return;
  workspace.show("model_routed", describeRoute(facts), stepId);
  const costs = attempts.flatMap(({ model, usage, cost }) => (cost === undefined ? [] : [{ model, usage, cost }]));
  if (costs.length === 0) return;
  const microcents = costs.reduce((sum, { cost }) => sum + cost.microcents, 0);
  const total = (workspace.run.cost_microcents ?? 0) + microcents;
  const priced = costs.every(({ cost }) => cost.priced);
  workspace.setRun({ cost_microcents: total, ...(!priced && { is_unpriced: true }) });
  workspace.show("cost_recorded", { cost_microcents: microcents, run_cost_microcents: total, priced }, stepId);
}

function describeRoute({ model: requested, attempts, candidates, requirements, budget }: TurnFacts): FactData {
  const selected = attempts.findLast(({ outcome }) => outcome === "succeeded")?.model;
  const passedOver = attempts.filter(({ reason }) => reason === "cooling_down" || reason === "breaker_open");
  return {
    requested,
    requirements,
    candidates,
    ...(selected !== undefined && { selected }),
    reason: reasonFor(attempts, candidates.length, selected),
    rate: passedOver.map(({ provider, model, reason = "" }): Json => ({ provider, model, state: reason })),
    ...(budget !== undefined && { budget: describeBudget(budget) }),
    chain: attempts.map(
      ({ cost, usage: _usage, ...attempt }): Json => ({
        ...attempt,
        ...(cost !== undefined && { cost_microcents: cost.microcents }),
      }),
    ),
  };
}

function reasonFor(attempts: readonly ModelAttempt[], candidates: number, selected: string | undefined): string {
  if (selected === undefined) return "no model answered";
  if (attempts[0]?.model !== selected) return "those before it failed or were passed over";
  return candidates === 1 ? "single candidate" : "first choice";
}
