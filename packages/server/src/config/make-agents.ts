import type { AgentSpec, Plugin } from "@reprise/contracts";
import { type Agent, findSectionProblem, readAgentSpec } from "@reprise/runtime";
import type { Json } from "@reprise/state";
import type { Config } from "./config.ts";
import type { ConfigProblem } from "./config-problem.ts";
import { unknownName } from "./known-names.ts";
import { unknownField } from "./object-shape.ts";
import { keyIn, problemAt, ROOT } from "./place.ts";

/** What an agent without a model speaks through. */
const DEFAULT_MODEL = "default";

/** Makes the agents of a configuration, with the sections that the configuration has for their plugins. */
export function makeAgents({ agents, plugins = {} }: Config): readonly Agent[] {
  return agents.map((entry) => {
    const spec = readAgentSpec(entry);
    const whole = withSections(spec.endpoint === undefined ? { model: DEFAULT_MODEL, ...spec } : spec, plugins);
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
    const place = keyIn(keyIn(ROOT, "plugins"), id);
    const plugin = plugins.find((candidate) => candidate.id === id);
    if (plugin === undefined) {
      const known = plugins.map((candidate) => candidate.id);
      return [unknownName({ ...place, name: "A key of `plugins`" }, id, known)];
    }
    return Object.entries(byName).flatMap(([name, section]) => {
      const here = keyIn(place, name);
      const schema = Object.hasOwn(plugin.sections, name) ? plugin.sections[name] : undefined;
      if (schema === undefined) return [unknownField(here, name, Object.keys(plugin.sections))];
      const problem = findSectionProblem(schema, section);
      return problem === undefined ? [] : [problemAt(here, `does not fit: ${problem}`)];
    });
  });
}
