import type { AgentSpec, Plugin } from "@reprise/contracts";
import type { ResolveWarning } from "./resolved-agent.ts";

/** Settings that only a plugin acts on, by the id of that plugin. */
const SETTINGS: readonly { readonly plugin: string; readonly setting: string; isSet(spec: AgentSpec): boolean }[] = [
  contextSetting("autocompact_threshold"),
  contextSetting("compaction_mode"),
  contextSetting("compaction_raw_suffix_messages"),
  skillSetting("allowed_skills"),
  skillSetting("allowed_skill_patterns"),
  skillSetting("excluded_skills"),
  skillSetting("excluded_skill_patterns"),
];

function contextSetting(name: "autocompact_threshold" | "compaction_mode" | "compaction_raw_suffix_messages") {
  return {
    plugin: "compaction",
    setting: `context_policy.${name}`,
    isSet: ({ context_policy = {} }: AgentSpec) => (context_policy[name] ?? null) !== null,
  };
}

function skillSetting(
  name: "allowed_skills" | "allowed_skill_patterns" | "excluded_skills" | "excluded_skill_patterns",
) {
  const isAllowing = name.startsWith("allowed");
  return {
    plugin: "skills",
    setting: name,
    isSet: (spec: AgentSpec) => (isAllowing ? spec[name] !== undefined : (spec[name] ?? []).length > 0),
  };
}

/** Settings that nothing acts on, because the agent does not have their plugin. */
export function warnOfSettings(spec: AgentSpec, plugins: readonly Plugin[]): readonly ResolveWarning[] {
  const unused = SETTINGS.filter(({ plugin, isSet }) => isSet(spec) && !plugins.some(({ id }) => id === plugin));
  return unused.map(({ plugin, setting }) => ({
    kind: "setting_without_plugin",
    agent_id: spec.id,
    subject: setting,
    message: `The setting \`${setting}\` of agent ${JSON.stringify(spec.id)} has no effect: the agent has no plugin ${JSON.stringify(plugin)}.`,
  }));
}
