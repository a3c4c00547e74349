import {
  blockCall,
  type CallView,
  canonicalJson,
  emitEvent,
  excludeTool,
  type PhaseContext,
  type Plugin,
} from "@reprise/contracts";
import { listOf, narrowed, nonEmptyText, objectOf, optional, type Shape } from "@reprise/contracts/shape";
import { definePlugin } from "@reprise/runtime";
import type { Json } from "@reprise/state";
import { definePluginSettings } from "../settings/plugin-settings.ts";
import { findPatternProblem, parseToolPattern } from "../tool-pattern/tool-pattern.ts";
import { inheritedToolPolicies, type ToolPolicySettings } from "./inherited-tool-policies.ts";

const ID = "tool_policy";

export interface ToolPolicyOptions {
  /** The tools the agent may use: ids, globs and `/regular expressions/`. All of its tools unless given; an empty list allows none. */
  readonly allowedTools?: readonly string[];
  /** Tools the agent may not use, whatever `allowedTools` says. */
  readonly excludedTools?: readonly string[];
}

/** A pattern of tools, without conditions on arguments: these are for permission rules. */
const tool: Shape<string> = narrowed(nonEmptyText, (text: Json) => {
  const problem = findPatternProblem(text);
  if (problem !== undefined || !parseToolPattern(String(text)).hasArguments) return problem;
  return "conditions on arguments belong into a rule of the plugin permission";
});

const SETTINGS = objectOf<ToolPolicySettings>({
  allowed_tools: optional(listOf(tool), "The tools the agent may use: ids, globs, /regular expressions/."),
  excluded_tools: optional(listOf(tool), "Tools the agent may not use, whatever is allowed."),
});

/** Why a tool is refused: a setting, of the agent or of a run above. */
interface Refusal {
  readonly rule: string;
  readonly scope: "settings" | "inherited";
}

type Filter = (id: string) => string | undefined;

/**
 * Limits an agent, and every run that works for it, to some tools. The model does not see the others, and a call of one is refused before a person
 * is asked about it: a refusal beats a question, so the plugin counts before `permission`.
 */
export function toolPolicy(options: ToolPolicyOptions = {}): Plugin {
  const settings = definePluginSettings(ID, SETTINGS, options);
  const filters = new WeakMap<ToolPolicySettings, Filter>();
  const filterOf = (given: ToolPolicySettings): Filter => {
    let filter = filters.get(given);
    if (filter === undefined) {
      filter = createFilter(given);
      filters.set(given, filter);
    }
    return filter;
  };
  /** Each policy holds: that of the agent, and those of the runs above. */
  const createRefusals = (
    context: Pick<PhaseContext, "agentSpec" | "section" | "state">,
  ): ((id: string) => Refusal | undefined) => {
    const own = isNamedBy(context) ? filterOf(settings.read(context)) : undefined;
    const above = context.state.get(inheritedToolPolicies).map(filterOf);
    return (id) => {
      const rule = own?.(id);
      if (rule !== undefined) return { rule, scope: "settings" };
      const [inherited] = above.flatMap((filter) => filter(id) ?? []);
      return inherited === undefined ? undefined : { rule: inherited, scope: "inherited" };
    };
  };
  return definePlugin({
    id: ID,
    sections: settings.sections,
    findSectionProblem: settings.findSectionProblem,
    states: [inheritedToolPolicies],
    inherit(context) {
      const above = context.state.get(inheritedToolPolicies);
      const own = isNamedBy(context) ? listsOf(settings.read(context)) : undefined;
      if (own === undefined) return above.length === 0 ? undefined : inheritedToolPolicies.set(above);
      // An agent that has itself work for it need not be held to the same policy twice.
      const text = canonicalJson(own as Json);
      return inheritedToolPolicies.set([own, ...above.filter((each) => canonicalJson(each as Json) !== text)]);
    },
    hooks: {
      beforeInference(context) {
        const findRefusal = createRefusals(context);
        // Not an allow list: of several of these the union would count, and another plugin could widen this one.
        const refused = context.tools.flatMap(({ id }) => (findRefusal(id) === undefined ? [] : [id]));
        return refused.length === 0 ? [] : [excludeTool(...refused)];
      },
      beforeToolExecute(context) {
        const { call } = context;
        const refusal = createRefusals(context)(call.toolId);
        return refusal === undefined ? undefined : [tell(call, refusal), blockCall(describe(call, refusal))];
      },
      // A model that calls a tool which was hidden from it is refused before any plugin is asked.
      afterToolExecute(context) {
        const { call, outcome } = context;
        const refusal = outcome === "refused" ? createRefusals(context)(call.toolId) : undefined;
        return refusal === undefined ? undefined : [tell(call, refusal)];
      },
    },
  });
}

/** An agent that does not name the plugin has no policy of its own: it has the plugin from a run above. */
function isNamedBy({ agentSpec }: Pick<PhaseContext, "agentSpec">): boolean {
  return agentSpec.plugin_ids.includes(ID);
}

/** A policy to pass on; none where it limits nothing. */
function listsOf({ allowed_tools, excluded_tools = [] }: ToolPolicySettings): ToolPolicySettings | undefined {
  if (allowed_tools === undefined && excluded_tools.length === 0) return undefined;
  return { ...(allowed_tools !== undefined && { allowed_tools }), excluded_tools };
}

/** Says by which setting a tool is refused. */
function createFilter({ allowed_tools, excluded_tools }: ToolPolicySettings): (id: string) => string | undefined {
  const allowed = allowed_tools?.map(parseToolPattern);
  const excluded = excluded_tools?.map(parseToolPattern) ?? [];
  const verdicts = new Map<string, string | undefined>();
  const find = (id: string): string | undefined => {
    const exclusion = excluded.find((pattern) => pattern.tool.matches(id));
    if (exclusion !== undefined) return exclusion.source;
    return allowed === undefined || allowed.some((pattern) => pattern.tool.matches(id)) ? undefined : "allowed_tools";
  };
  return (id) => {
    if (!verdicts.has(id)) verdicts.set(id, find(id));
    return verdicts.get(id);
  };
}

function describe({ toolId }: CallView, { scope }: Refusal): string {
  const whose = scope === "settings" ? "this agent's tool policy" : "the tool policy of a run above";
  return `Tool '${toolId}' is outside of ${whose}.`;
}

function tell({ callId, toolId }: CallView, refusal: Refusal): ReturnType<typeof emitEvent> {
  const fact = { id: callId, tool_id: toolId, decision: "deny", plugin: ID, source: "rule" } as const;
  return emitEvent("permission_evaluated", { ...fact, ...refusal });
}
