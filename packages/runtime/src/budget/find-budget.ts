import { invalidRequest, type RunRequest } from "@reprise/contracts";
import { lookUpEntry } from "../resolve/look-up-agent.ts";
import type { Services } from "../services.ts";

/**
 * Says under which budget a request will run: that of the run above it, one of its own, or its agent's. Done when the request is
 * accepted, so that nothing that happens later, to the agent or to the run above, changes it.
 */
export async function withBudget(services: Services, tenant: string, request: RunRequest): Promise<RunRequest> {
  const { budget_id: _claimed, ...own } = request;
  const { parent_run_id, run_id, policy } = own;
  const parent =
    parent_run_id === undefined ? undefined : await services.store.forTenant(tenant).loadRun(parent_run_id);
  if (parent?.budget_id !== undefined) {
    if (policy?.budget !== undefined) {
      throw invalidRequest(
        `Run ${parent.run_id} shares its budget with the runs below it; they have none of their own.`,
      );
    }
    return { ...own, budget_id: parent.budget_id };
  }
  const budget = policy?.budget ?? lookUpEntry(services.agents.registries, request.agent_id).spec.budget;
  if (budget === undefined || run_id === undefined) return own;
  return { ...own, policy: { ...policy, budget }, budget_id: run_id };
}
