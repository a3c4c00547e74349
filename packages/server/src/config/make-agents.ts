import type { AgentSpec, Plugin } from "@reprise/contracts";
import { unknownField } from "@reprise/contracts/shape";
import { type Agent, findSectionProblem, readAgentSpec } from "@reprise/runtime";
import type { Json } from "@reprise/state";
import type { Config } from "./config.ts";
import { type ConfigProblem, describeProblem, problemAt } from "./config-problem.ts";
import { sayKnown } from "./known-names.ts";

/** What an agent without a model speaks through. */
const DEFAULT_MODEL = "default";

/** Makes the agents of a configuration, with the sections that the configuration has for their plugins. */
export function makeAgents({ agents, plugins = {} }: Config): readonly Agent[] {
  return agents.map((entry) => {
    const spec = readAgentSpec(entry);
    const hasModel = spec.endpoint === undefined && spec.compose === undefined;
    const whole = withSections(hasModel ? { model: DEFAULT_MODEL, ...spec } : spec, plugins);
    return { id: whole.id, spec: whole, tools: [], plugins: [], stopPolicies: [] };
  });
}

/** A section of the agent's own goes before that of the configuration. */
function withSections(spec: AgentSpec, plugins: NonNullable<Config["plugins"]>): AgentSpec {
  const shared: { [section: string]: Json } = {};
  for (const id of spec.plugin_ids) if (Object.hasOwn(plugins, id)) Object.assign(shared, plugins[id]);
  return { ...spec, sections: { ...shared, ...spec.sections } };
}

/** Holds the sections of the configuration against the plugins they are for. */
export function findSectionProblems(
  { plugins: sections = {} }: Config,
  plugins: readonly Plugin[],
): readonly ConfigProblem[] {
  return Object.entries(sections).flatMap(([id, byName]) => {
    const path = ["plugins", id];
    const plugin = plugins.find((candidate) => candidate.id === id);
    if (plugin === undefined) {
      const known = plugins.map((candidate) => candidate.id);
      return [problemAt(path, ` is no plugin there is. ${sayKnown(id, known)}`)];
    }
    return Object.entries(byName).flatMap(([name, section]) => {
      const here = [...path, name];
      const schema = Object.hasOwn(plugin.sections, name) ? plugin.sections[name] : undefined;
      if (schema === undefined) return [describeProblem(unknownField(here, Object.keys(plugin.sections)))];
      const problem = findSectionProblem(schema, section);
      return problem === undefined ? [] : [problemAt(here, ` does not fit: ${problem}`)];
    });
  });
}
