import type { FactData } from "@reprise/contracts";
import type { Json } from "@reprise/state";
import type { ModelAttempt, RouteSession } from "../route/route-session.ts";
import type { RunWorkspace } from "./run-workspace.ts";

/** Shows how an inference found its model, and counts what it cost. Nothing for a model that nothing had to be chosen for. */
export function showRoute(
  workspace: RunWorkspace,
  stepId: string,
  { attempts }: RouteSession,
  requested: string,
): void {
  if (attempts.length === 0) return;
  workspace.show("model_routed", describeRoute(attempts, requested), stepId);
  const costs = attempts.flatMap(({ model, usage, cost }) => (cost === undefined ? [] : [{ model, usage, cost }]));
  if (costs.length === 0) return;
  const microcents = costs.reduce((sum, { cost }) => sum + cost.microcents, 0);
  const total = (workspace.run.cost_microcents ?? 0) + microcents;
  workspace.setRun({ cost_microcents: total });
  const priced = costs.every(({ cost }) => cost.priced);
  workspace.show("cost_recorded", { cost_microcents: microcents, run_cost_microcents: total, priced }, stepId);
}

function describeRoute(attempts: readonly ModelAttempt[], requested: string): FactData {
  const candidates = [...new Set(attempts.map(({ model }) => model))];
  const selected = attempts.findLast(({ outcome }) => outcome === "succeeded")?.model;
  return {
    requested,
    candidates,
    ...(selected !== undefined && { selected }),
    reason: reasonFor(attempts, candidates.length, selected),
    chain: attempts.map(({ cost: _cost, usage: _usage, ...attempt }): Json => ({ ...attempt })),
  };
}

function reasonFor(attempts: readonly ModelAttempt[], candidates: number, selected: string | undefined): string {
  if (selected === undefined) return "no model answered";
  if (attempts[0]?.model !== selected) return "those before it failed or were passed over";
  return candidates === 1 ? "single candidate" : "first choice";
}
