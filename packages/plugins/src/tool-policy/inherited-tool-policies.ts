import { type ActionCreators, defineState, type StateDefinition } from "@reprise/state";

/** The lists of an agent, as they are stored. */
export type ToolPolicySettings = {
  readonly allowed_tools?: readonly string[];
  readonly excluded_tools?: readonly string[];
};

export type InheritedToolPoliciesActions = { set: [policies: readonly ToolPolicySettings[]] };

/** The policies of the runs above, the nearest first, as they were when those runs started this one. Each holds beside the agent's own. */
export const inheritedToolPolicies: StateDefinition<readonly ToolPolicySettings[]> &
  ActionCreators<InheritedToolPoliciesActions> = defineState<
  readonly ToolPolicySettings[],
  InheritedToolPoliciesActions
>({
  path: "tool_policy.inherited",
  scope: "run",
  initial: (): readonly ToolPolicySettings[] => [],
  actions: { set: (_, policies) => policies },
});
