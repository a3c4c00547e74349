import { blockCall, type CallView, emitEvent, excludeTool, type Plugin } from "@reprise/contracts";
import { listOf, narrowed, nonEmptyText, objectOf, optional, type Shape } from "@reprise/contracts/shape";
import { definePlugin } from "@reprise/runtime";
import type { Json } from "@reprise/state";
import { definePluginSettings } from "../settings/plugin-settings.ts";
import { findPatternProblem, parseToolPattern } from "../tool-pattern/tool-pattern.ts";

const ID = "tool_policy";

export interface ToolPolicyOptions {
  /** The tools the agent may use: ids, globs and `/regular expressions/`. All of its tools unless given; an empty list allows none. */
  readonly allowedTools?: readonly string[];
  /** Tools the agent may not use, whatever `allowedTools` says. */
  readonly excludedTools?: readonly string[];
}

interface ToolPolicySettings {
  readonly allowed_tools?: readonly string[];
  readonly excluded_tools?: readonly string[];
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

/**
 * Limits an agent to some of its tools. The model does not see the others, and a call of one is refused before a person is asked about it: a
 * refusal beats a question, so the plugin counts before `permission`.
 */
export function toolPolicy(options: ToolPolicyOptions = {}): Plugin {
  const settings = definePluginSettings(ID, SETTINGS, options);
  const filters = new WeakMap<ToolPolicySettings, (id: string) => string | undefined>();
  const filterOf = (given: ToolPolicySettings): ((id: string) => string | undefined) => {
    let filter = filters.get(given);
    if (filter === undefined) {
      filter = createFilter(given);
      filters.set(given, filter);
    }
    return filter;
  };
  return definePlugin({
    id: ID,
    sections: settings.sections,
    findSectionProblem: settings.findSectionProblem,
    hooks: {
      beforeInference(context) {
        const findRefusal = filterOf(settings.read(context));
        // Not an allow list: of several of these the union would count, and another plugin could widen this one.
        const refused = context.tools.flatMap(({ id }) => (findRefusal(id) === undefined ? [] : [id]));
        return refused.length === 0 ? [] : [excludeTool(...refused)];
      },
      beforeToolExecute(context) {
        const { call } = context;
        const refusal = filterOf(settings.read(context))(call.toolId);
        if (refusal === undefined) return undefined;
        return [tell(call, refusal), blockCall(`Tool '${call.toolId}' is outside of this agent's tool policy.`)];
      },
      // A model that calls a tool which was hidden from it is refused before any plugin is asked.
      afterToolExecute(context) {
        const { call, outcome } = context;
        const refusal = outcome === "refused" ? filterOf(settings.read(context))(call.toolId) : undefined;
        return refusal === undefined ? undefined : [tell(call, refusal)];
      },
    },
  });
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

function tell({ callId, toolId }: CallView, rule: string): ReturnType<typeof emitEvent> {
  const fact = { id: callId, tool_id: toolId, decision: "deny", plugin: ID, source: "rule" } as const;
  return emitEvent("permission_evaluated", { ...fact, rule, scope: "settings" });
}
