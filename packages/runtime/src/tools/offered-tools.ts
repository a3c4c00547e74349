import type { RunPolicy, Tool, ToolDescriptor } from "@reprise/contracts";
import { freezeDeep } from "../json/freeze-deep.ts";
import type { AgentView, RunView } from "../run/ports.ts";

/** Whether a run may use a tool: on the list when there is one, and not excluded. */
export function isAllowed({ allowed_tools, excluded_tools }: RunPolicy, toolId: string): boolean {
  if (excluded_tools?.includes(toolId) === true) return false;
  return allowed_tools?.includes(toolId) ?? true;
}

type Tools = ReadonlyMap<string, Tool>;
type Descriptors = readonly ToolDescriptor[];

// Neither the tools of a resolved agent nor the policy of a run change, an agent may have thousands of tools, and every step asks.
const described = new WeakMap<Tools, Descriptors>();
const offered = new WeakMap<RunPolicy, { readonly of: Descriptors; readonly tools: Descriptors }>();

/** The tools a run may use: the agent's, less what its policy leaves out. The same array in every step. */
export function offeredTools({ agent, policy }: Pick<AgentView, "agent"> & Pick<RunView, "policy">): Descriptors {
  const all = describeAll(agent.tools);
  if (policy.allowed_tools === undefined && policy.excluded_tools === undefined) return all;
  const known = offered.get(policy);
  if (known?.of === all) return known.tools;
  const tools = freezeDeep(all.filter(({ id }) => isAllowed(policy, id)));
  offered.set(policy, { of: all, tools });
  return tools;
}

function describeAll(tools: Tools): Descriptors {
  let all = described.get(tools);
  if (all === undefined) {
    all = freezeDeep(Array.from(tools.values(), ({ descriptor }) => descriptor));
    described.set(tools, all);
  }
  return all;
}
