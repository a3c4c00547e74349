import type { RunPolicy, Tool, ToolDescriptor } from "@reprise/contracts";
import { freezeDeep } from "../json/freeze-deep.ts";
import type { AgentView, RunView } from "../run/ports.ts";

/** Whether a run may use a tool: on the list when there is one, and not excluded. */
export function isAllowed({ allowed_tools, excluded_tools }: RunPolicy, toolId: string): boolean {
  if (excluded_tools?.includes(toolId) === true) return false;
  return allowed_tools?.includes(toolId) ?? true;
}

// The tools of a resolved agent never change, an agent may have thousands of them, and every step asks.
const described = new WeakMap<ReadonlyMap<string, Tool>, readonly ToolDescriptor[]>();

/** The tools a run may use: the agent's, less what its policy leaves out. The same array for every step of agents without such a policy. */
export function offeredTools({
  agent,
  policy,
}: Pick<AgentView, "agent"> & Pick<RunView, "policy">): readonly ToolDescriptor[] {
  let all = described.get(agent.tools);
  if (all === undefined) {
    all = freezeDeep(Array.from(agent.tools.values(), ({ descriptor }) => descriptor));
    described.set(agent.tools, all);
  }
  const { allowed_tools, excluded_tools } = policy;
  if (allowed_tools === undefined && excluded_tools === undefined) return all;
  return all.filter(({ id }) => isAllowed(policy, id));
}
