import {
  type ActionOf,
  type BeforeInferenceContext,
  type BeforeToolExecuteContext,
  blockCall,
  canonicalJson,
  changeState,
  type Decision,
  emitEvent,
  excludeTool,
  type InheritanceContext,
  type PermissionFact,
  type PhaseContext,
  type Plugin,
  type SuspendOptions,
  type SuspendTicket,
  suspendCall,
} from "@reprise/contracts";
import { listOf, objectOf, optional, wholeNumberFrom } from "@reprise/contracts/shape";
import { definePlugin } from "@reprise/runtime";
import { getAt, type Json, type StateAction } from "@reprise/state";
import { definePluginSettings } from "../settings/plugin-settings.ts";
import { ALWAYS_KIND, openAlwaysRules } from "./always-rules.ts";
import { type InheritedPolicy, inheritedPolicies, permissionGrants, permissionPolicy } from "./permission-state.ts";
import { type Behavior, behavior, type KeptRule, type PermissionRule, ruleShape } from "./rule.ts";
import {
  type Evaluation,
  evaluate,
  evaluateAll,
  findAlwaysDenied,
  isAlwaysDenied,
  type Policy,
  RuleSet,
  type Scope,
} from "./rule-set.ts";

const ID = "permission";
const SOURCE = `plugin:${ID}`;

export interface PermissionOptions {
  /** The behaviour for calls that match no rule. Default: `ask`. */
  readonly default?: Behavior;
  readonly rules?: readonly PermissionRule[];
  /** How long a question stays open. After that the call is refused, and the model reads that no answer came. Default: no limit. */
  readonly askExpiresInMs?: number;
}

interface PermissionSettings {
  readonly default?: Behavior;
  readonly rules?: readonly PermissionRule[];
  readonly ask_expires_in_ms?: number;
}

const SETTINGS = objectOf<PermissionSettings>({
  default: optional(behavior, "What becomes of a call that no rule fits. `ask` unless given."),
  rules: optional(listOf(ruleShape), "Which calls run, are asked about, or are denied."),
  ask_expires_in_ms: optional(
    wholeNumberFrom(1),
    "How long a question stays open; then the call does not run. Without it the run waits.",
  ),
});

/**
 * Decides about every tool call by rules: allow, ask or deny. Deny beats allow, allow beats ask, and a call without a rule is asked about.
 * A person who is asked may have the answer remembered, for the thread or for good.
 */
export function permission(options: PermissionOptions = {}): Plugin {
  const settings = definePluginSettings(ID, SETTINGS, options);
  return definePlugin({
    id: ID,
    sections: settings.sections,
    findSectionProblem: settings.findSectionProblem,
    states: [permissionPolicy, permissionGrants, inheritedPolicies],
    inherit: (context) => passOn(context, settings.read(context)),
    hooks: {
      async beforeInference(context) {
        if (context.tools.length === 0) return undefined;
        return hideDenied(await policiesOf(context, settings.read(context)), context);
      },
      async beforeToolExecute(context) {
        const given = settings.read(context);
        return judge(await policiesOf(context, given), context, given);
      },
      async afterToolExecute(context) {
        const { call, decision, question, outcome } = context;
        if (outcome === "denied" && decision !== undefined && isOurs(question))
          return remember(context, decision, question, "deny");
        // A model that calls a tool which was hidden from it is refused before any rule is asked.
        const policies = outcome === "refused" ? await policiesOf(context, settings.read(context)) : [];
        if (!policies.some((policy) => isAlwaysDenied(policy, call.toolId))) return undefined;
        return [tell(context, evaluateAll(policies, call.toolId, call.arguments))];
      },
    },
  });
}

/** Evaluates rules for a call without an agent: for tests of rules, and for editors that show the effect of a rule. */
export function previewPermission(
  options: Pick<PermissionOptions, "default" | "rules">,
  call: { readonly tool: string; readonly arguments?: Json },
): { readonly decision: Behavior; readonly rule?: string; readonly reason?: string } {
  const { default: otherwise, rules = [] } = definePluginSettings(ID, SETTINGS, options).read({
    section: () => undefined,
  });
  const sets = [{ scope: "settings", rules: new RuleSet(rules) }] as const;
  const { behavior: decision, found } = evaluate(
    { default: otherwise ?? "ask", sets, now: 0 },
    call.tool,
    call.arguments ?? {},
  );
  if (found === undefined) return { decision };
  const { tool, reason } = found.rule;
  return { decision, rule: tool, ...(reason !== undefined && { reason }) };
}

const compiled = new WeakMap<object, RuleSet>();

/** Rules of settings and of an unchanged state are the same list each time: compiled once. */
function compile(rules: readonly KeptRule[]): RuleSet {
  let set = compiled.get(rules);
  if (set === undefined) {
    set = new RuleSet(rules);
    compiled.set(rules, set);
  }
  return set;
}

const NO_RULES: readonly KeptRule[] = [];

/** Everything that is said about the calls of this run now: by its own policy, and by those of the runs above. */
async function policiesOf(context: PhaseContext, settings: PermissionSettings): Promise<readonly Policy[]> {
  const { state, now } = context;
  const above = state
    .get(inheritedPolicies)
    .map(
      ({ default: otherwise, rules }): Policy => ({ default: otherwise, sets: setsOf([["inherited", rules]]), now }),
    );
  return isNamedBy(context) ? [await ownPolicyOf(context, settings), ...above] : above;
}

/** An agent that does not name the plugin has no policy of its own. */
function isNamedBy({ agentSpec }: Pick<PhaseContext, "agentSpec">): boolean {
  return agentSpec.plugin_ids.includes(ID);
}

async function ownPolicyOf(context: PhaseContext, { default: otherwise, rules }: PermissionSettings): Promise<Policy> {
  const { state, now } = context;
  const thread = state.get(permissionPolicy);
  const sets = setsOf([
    ["run", state.get(permissionGrants).rules],
    ["thread", thread.rules],
    ["always", await alwaysRulesOf(context).list()],
    ["settings", rules ?? NO_RULES],
  ]);
  return { default: thread.default ?? otherwise ?? "ask", sets, now };
}

function setsOf(lists: readonly (readonly [scope: Scope, rules: readonly KeptRule[]])[]): Policy["sets"] {
  return lists.flatMap(([scope, rules]) => (rules.length === 0 ? [] : [{ scope, rules: compile(rules) }]));
}

/**
 * The policies that a run below is held to beside its own: that of this run, without the grants that end with it, and those that this run is held
 * to itself. What one of them denies or asks about, no rule of the run below allows.
 */
async function passOn(
  context: InheritanceContext,
  { default: otherwise, rules = NO_RULES }: PermissionSettings,
): Promise<StateAction | undefined> {
  const { state, now } = context;
  const above = state.get(inheritedPolicies);
  if (!isNamedBy(context)) return inheritedPolicies.set(above);
  const thread = state.get(permissionPolicy);
  const kept = [...thread.rules, ...(await alwaysRulesOf(context).list())];
  const own: InheritedPolicy = {
    default: thread.default ?? otherwise ?? "ask",
    rules: [...kept.filter(({ expires_at = now + 1 }) => expires_at > now), ...rules],
  };
  // An agent that has itself work for it need not be held to the same policy twice.
  const text = canonicalJson(own as unknown as Json);
  return inheritedPolicies.set([own, ...above.filter((each) => canonicalJson(each as unknown as Json) !== text)]);
}

function alwaysRulesOf({
  documents,
  agentId,
  resourceId,
}: Pick<PhaseContext, "documents" | "agentId" | "resourceId">): ReturnType<typeof openAlwaysRules> {
  return openAlwaysRules(documents(ALWAYS_KIND), { agentId, resourceId });
}

function hideDenied(
  policies: readonly Policy[],
  { tools }: BeforeInferenceContext,
): readonly ActionOf<"before_inference">[] {
  const denied = findAlwaysDenied(policies, tools);
  return denied.length === 0 ? [] : [excludeTool(...denied)];
}

async function judge(
  policies: readonly Policy[],
  context: BeforeToolExecuteContext,
  { ask_expires_in_ms: expiresInMs }: PermissionSettings,
): Promise<readonly ActionOf<"before_tool_execute">[]> {
  const { call, decision, question } = context;
  // Approved and edited calls are evaluated too: no decision overrides a deny.
  const evaluation = evaluateAll(policies, call.toolId, call.arguments);
  if (evaluation.behavior === "deny") {
    return [tell(context, evaluation), blockCall(describeDenial(call.toolId, evaluation))];
  }
  if (decision !== undefined && isOurs(question)) {
    const kept = await remember(context, decision, question, "allow");
    return [tell(context, { behavior: "allow" }, decision), ...kept];
  }
  if (evaluation.behavior === "allow") return [tell(context, evaluation)];
  const asked = askAbout(context, evaluation);
  return [tell(context, evaluation), suspendCall(expiresInMs === undefined ? asked : { ...asked, expiresInMs })];
}

function isOurs(question: SuspendTicket | undefined): question is SuspendTicket {
  return question?.asked_by === SOURCE;
}

function describeDenial(toolId: string, { found }: Evaluation): string {
  if (found?.rule.reason !== undefined) return found.rule.reason;
  const why = found === undefined ? "no rule allows it" : `the rule ${JSON.stringify(found.rule.tool)} denies it`;
  return `Tool '${toolId}' is not permitted: ${why}.`;
}

const RESPONSE_SCHEMA: NonNullable<SuspendOptions["responseSchema"]> = {
  type: "object",
  properties: {
    approved: { type: "boolean" },
    reason: { type: "string" },
    remember: { enum: ["once", "thread", "always", true, false] },
  },
  required: ["approved"],
};

/** A person sees the arguments that will run, the rule that asks, and which calls a remembered answer will cover. */
function askAbout({ call }: BeforeToolExecuteContext, { found }: Evaluation): SuspendOptions {
  const { callId, toolId, arguments: given } = call;
  // A question about some calls of a tool, once answered for good, is answered for those and not for the whole tool.
  const remembers = found === undefined || found.isUnconditional ? toolId : found.rule.tool;
  const matched = found === undefined ? {} : { matched_rule: found.rule.tool };
  const shown = { tool_name: toolId, tool_args: given, ...matched };
  const reason = found?.rule.reason;
  return {
    action: "tool:PermissionConfirm",
    message: `Permission required to run tool '${toolId}'${reason === undefined ? "" : `: ${reason}`}`,
    parameters: { ...shown, remembers },
    responseSchema: RESPONSE_SCHEMA,
    resumeMode: "replay_tool_call",
    pending: { id: `fc_${callId}`, name: "PermissionConfirm", arguments: shown },
  };
}

/** Makes a rule of a decision that is to be remembered. The question says about which calls; no client can change that. */
async function remember(
  context: PhaseContext,
  decision: Decision,
  question: SuspendTicket,
  wanted: Behavior,
): Promise<readonly ReturnType<typeof changeState>[]> {
  const tool = getAt(question.suspension.parameters ?? null, ["remembers"]);
  if (decision.remember === undefined || typeof tool !== "string") return [];
  const rule = { tool, behavior: wanted };
  // Also for the thread: it may be no document could be named after its owner.
  if (decision.remember === "always") await alwaysRulesOf(context).set(rule);
  const isAskedAbove = wanted === "allow" && context.state.get(inheritedPolicies).length > 0;
  return [
    changeState(permissionPolicy.setRule(rule)),
    ...(isAskedAbove ? [changeState(inheritedPolicies.allow(tool))] : []),
  ];
}

function tell(
  { call }: Pick<BeforeToolExecuteContext, "call">,
  { behavior: said, found }: Evaluation,
  decision?: Decision,
): ReturnType<typeof emitEvent> {
  const fact: PermissionFact = {
    id: call.callId,
    tool_id: call.toolId,
    decision: said,
    plugin: ID,
    source: decision !== undefined ? "decision" : found === undefined ? "default" : "rule",
    ...(found !== undefined && { rule: found.rule.tool, scope: found.scope }),
    ...(found?.rule.expires_at !== undefined && { expires_at: found.rule.expires_at }),
    ...(decision !== undefined && { decision_id: decision.decision_id }),
    ...(decision?.remember !== undefined && { remember: decision.remember }),
  };
  return emitEvent("permission_evaluated", fact);
}
