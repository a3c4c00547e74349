import { RepriseError } from "@reprise/contracts";
import { type JoinedVariables, joinVariables, type Variables } from "./join-variables.ts";
import { SETTINGS, type Setting, type SettingName } from "./setting-table.ts";

/** Where a value came from; a later one in this list goes before an earlier one. */
export const SOURCES = ["default", "configuration", ".env", "environment", "flag"] as const;
export type Source = (typeof SOURCES)[number];

/** What was set, and where. A flag goes before the environment, that before `.env`, the configuration file and the default. */
export class Settings {
  /** The environment's, and those that `.env` may set. */
  readonly variables: Variables;
  /** Keys of the environment that are not used because `.env` sets the address they would be sent to. */
  readonly withheld: JoinedVariables["withheld"];
  readonly #flags: Readonly<Record<string, unknown>>;
  readonly #file: Variables;
  readonly #fromFile: ReadonlySet<string>;

  constructor(flags: Readonly<Record<string, unknown>>, environment: Variables, file: Variables = {}) {
    const { variables, fromFile, withheld } = joinVariables(environment, file);
    this.variables = variables;
    this.withheld = withheld;
    this.#flags = flags;
    this.#file = file;
    this.#fromFile = fromFile;
  }

  /** Whether a variable has its value from `.env`. */
  readonly isFromFile = (name: string): boolean =>
    this.#fromFile.has(name) || (this.variables[name] === undefined && this.#file[name] !== undefined);

  /** A variable that the configuration names. What the configuration names, `.env` may set. */
  named(name: string): string | undefined {
    const inFile = this.#file[name];
    if (this.sourceOf("config") !== ".env") return this.variables[name] ?? inFile;
    if (inFile !== undefined || this.variables[name] === undefined) return inFile;
    const message =
      "a configuration that .env names reads variables from .env only; name the configuration with --config or REPRISE_CONFIG";
    throw new RepriseError("CONFIG_INVALID", message, { details: { name } });
  }

  /** What was set, else what the configuration says, else the default. */
  value(name: SettingName, configured?: string): string | undefined {
    return this.#given(name)?.value ?? configured ?? settingOf(name).fallback;
  }

  /** The same for a setting that has a default. */
  text(name: SettingName, configured?: string): string {
    return this.value(name, configured) ?? "";
  }

  isOn(name: SettingName, configured: boolean = false): boolean {
    const given = this.#given(name)?.value;
    return given === undefined ? configured : !/^(|0|false|no|off)$/i.test(given);
  }

  /** A list with commas between its items. */
  list(name: SettingName, configured: readonly string[] = []): readonly string[] {
    const given = this.#given(name)?.value;
    if (given === undefined) return configured;
    return given
      .split(",")
      .map((item) => item.trim())
      .filter((item) => item !== "");
  }

  /** The flag as it is written, without its value. */
  flagOf(name: SettingName): string {
    return settingOf(name).flag.split(" ", 1)[0] ?? "";
  }

  sourceOf(name: SettingName): Source {
    return this.#given(name)?.source ?? "default";
  }

  #given(name: SettingName): { readonly value: string; readonly source: Source } | undefined {
    const flag = this.#flags[name];
    if (flag === true) return { value: "true", source: "flag" };
    if (typeof flag === "string") return { value: flag, source: "flag" };
    const { variable, alias = variable } = settingOf(name);
    const given = [variable, alias].flatMap((each) => {
      const value = this.variables[each]?.trim();
      // A variable that is set to nothing is not set.
      if (value === undefined || value === "") return [];
      const source: Source = this.isFromFile(each) ? ".env" : "environment";
      return [{ value, source }];
    });
    return given.find(({ source }) => source === "environment") ?? given[0];
  }
}

function settingOf(name: SettingName): Setting {
  const found = SETTINGS.find((setting) => setting.name === name);
  if (found === undefined) throw new Error(`There is no setting ${name}.`);
  return found;
}
