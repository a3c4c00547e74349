import { RepriseError } from "@reprise/contracts";
import { describeProblem } from "@reprise/contracts/shape";
import { type ActionCreators, defineState, type Immutable, type StateDefinition } from "@reprise/state";
import { type Behavior, behavior, type KeptRule, type PermissionRule, ruleShape } from "./rule.ts";

/** The rules of a thread, and its default where it has one of its own. */
export interface PermissionPolicy {
  readonly default?: Behavior;
  readonly rules: readonly KeptRule[];
}

/** A rule with an end, as an author writes it. */
export interface TimedRule extends PermissionRule {
  /** The rule counts until this time (as of `Date.now()`); for good unless given. */
  readonly expiresAt?: number;
}

export type PermissionPolicyActions = {
  /** Sets the behaviour for calls that match no rule. */
  setDefault: [behavior: Behavior];
  /** Sets the behaviour for every call of one tool. */
  setTool: [toolId: string, behavior: Behavior];
  /** Adds a rule, in the place of one with the same pattern. */
  setRule: [rule: TimedRule];
  removeRule: [pattern: string];
  clear: [];
};

/** The rules of the thread: those that people asked to remember, and those that tools and the host set. No request can write it. */
export const permissionPolicy: StateDefinition<PermissionPolicy> & ActionCreators<PermissionPolicyActions> =
  defineState<PermissionPolicy, PermissionPolicyActions>({
    path: "permission_policy.thread",
    initial: (): PermissionPolicy => ({ rules: [] }),
    actions: {
      setDefault: (policy, wanted) => ({ ...policy, default: checkBehavior(wanted) }),
      setTool: (policy, toolId, wanted) => ({
        ...policy,
        rules: withRule(policy.rules, { tool: checkTool(toolId), behavior: wanted }),
      }),
      setRule: (policy, rule) => ({ ...policy, rules: withRule(policy.rules, rule) }),
      removeRule: (policy, removed) => ({ ...policy, rules: policy.rules.filter(({ tool }) => tool !== removed) }),
      clear: () => ({ rules: [] }),
    },
  });

/** The grants of a run. They end with it. */
export interface PermissionGrants {
  readonly rules: readonly KeptRule[];
}

export type PermissionGrantsActions = {
  /** Allows the calls that a pattern fits until the run ends, or until `expiresAt`. A deny still wins. */
  grant: [pattern: string, options?: { readonly expiresAt?: number }];
  revoke: [pattern: string];
};

/** Grants for the length of a run: a tool that activates something may widen what the agent can call without asking. */
export const permissionGrants: StateDefinition<PermissionGrants> & ActionCreators<PermissionGrantsActions> =
  defineState<PermissionGrants, PermissionGrantsActions>({
    path: "permission_policy.run",
    scope: "run",
    initial: (): PermissionGrants => ({ rules: [] }),
    actions: {
      grant: ({ rules }, tool, { expiresAt } = {}) => ({
        rules: withRule(rules, { tool, behavior: "allow", ...(expiresAt !== undefined && { expiresAt }) }),
      }),
      revoke: ({ rules }, removed) => ({ rules: rules.filter(({ tool }) => tool !== removed) }),
    },
  });

/** What the policy of a run above says, as it was when that run started this one. */
export interface InheritedPolicy {
  readonly default: Behavior;
  readonly rules: readonly KeptRule[];
}

export type InheritedPoliciesActions = {
  set: [policies: readonly InheritedPolicy[]];
  /** Notes that a person allowed calls that policies above ask about. */
  allow: [pattern: string];
};

/** The policies of the runs above, the nearest first. Each holds beside the run's own: of all verdicts on a call the strictest counts. */
export const inheritedPolicies: StateDefinition<readonly InheritedPolicy[]> & ActionCreators<InheritedPoliciesActions> =
  defineState<readonly InheritedPolicy[], InheritedPoliciesActions>({
    path: "permission_policy.inherited",
    scope: "run",
    initial: (): readonly InheritedPolicy[] => [],
    actions: {
      set: (_, policies) => policies,
      allow: (policies, tool) =>
        policies.map((policy) => ({ ...policy, rules: withRule(policy.rules, { tool, behavior: "allow" }) })),
    },
  });

/** The rules with one more, in the place of one with the same pattern. A rule that cannot be read is refused. */
export function withRule(
  rules: Immutable<readonly KeptRule[]>,
  { expiresAt, ...rule }: TimedRule,
): readonly KeptRule[] {
  const [problem] = ruleShape.problems(rule, []);
  if (problem !== undefined) throw invalid(describeProblem(problem));
  if (expiresAt !== undefined && !Number.isFinite(expiresAt)) throw invalid("expiresAt must be a time in milliseconds");
  const kept: KeptRule = { ...rule, ...(expiresAt !== undefined && { expires_at: expiresAt }) };
  return [...rules.filter(({ tool }) => tool !== rule.tool), kept];
}

function checkBehavior(wanted: Behavior): Behavior {
  const [problem] = behavior.problems(wanted, ["behavior"]);
  if (problem !== undefined) throw invalid(describeProblem(problem));
  return wanted;
}

/** One tool and not a pattern. */
function checkTool(toolId: string): string {
  if (/^[A-Za-z0-9_.:-]+$/.test(toolId)) return toolId;
  throw invalid(`${JSON.stringify(toolId)} is not the id of a tool; use setRule for a pattern`);
}

function invalid(problem: string): RepriseError {
  return new RepriseError("INVALID_REQUEST", `The permission rule cannot be set: ${problem}.`);
}
