import { type PhaseContext, RepriseError } from "@reprise/contracts";
import { describeProblem, type ObjectShape, toAuthorWords, toStoredNames } from "@reprise/contracts/shape";
import type { Json, JsonObject } from "@reprise/state";

/** The settings of one plugin: options from code, and the section of an agent's spec, which wins field by field. */
export interface PluginSettings<Settings extends object> {
  /** For `definePlugin`: the section with its JSON Schema. */
  readonly sections: { readonly [key: string]: JsonObject };
  /** For `definePlugin`, where the shape has rules that a JSON Schema cannot say. */
  findSectionProblem(key: string, section: Json): string | undefined;
  /** The settings for the agent of a phase. Cheap: settings are merged once per section. */
  read(context: Pick<PhaseContext, "section">): Settings;
}

/**
 * Describes the settings of a plugin once, for code and for configuration files. `shape` has the stored, snake_case names; authors write
 * `options` in camelCase. Options that do not fit are an `INVALID_DEFINITION`.
 */
export function definePluginSettings<Settings extends object>(
  plugin: string,
  shape: ObjectShape<Settings>,
  options: object,
): PluginSettings<Settings> {
  const given = toStoredNames(options, shape.schema);
  const [problem] = shape.problems(given, []);
  if (problem !== undefined) {
    const message = `Plugin ${plugin} has an invalid option: ${describeProblem(toAuthorWords(problem))}.`;
    throw new RepriseError("INVALID_DEFINITION", message, { details: { plugin } });
  }
  // Its shape was just checked.
  const base = given as Settings;
  const merged = new WeakMap<object, Settings>();
  return {
    sections: { [plugin]: shape.schema },
    findSectionProblem: (_key, section) => {
      const [problem] = shape.problems(section, []);
      return problem === undefined ? undefined : describeProblem(problem);
    },
    read: (context) => {
      const section = context.section(plugin);
      if (typeof section !== "object" || section === null) return base;
      let settings = merged.get(section);
      if (settings === undefined) {
        settings = { ...base, ...section };
        merged.set(section, settings);
      }
      return settings;
    },
  };
}
