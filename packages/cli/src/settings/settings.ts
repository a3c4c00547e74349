import { SETTINGS, type Setting, type SettingName } from "./setting-table.ts";

/** Where a value came from; a later one in this list goes before an earlier one. */
export const SOURCES = ["default", "configuration", "environment", "flag"] as const;
export type Source = (typeof SOURCES)[number];

/** What was set, and where. A flag goes before the environment, that before `.env`, the configuration file and the default. */
export class Settings {
  readonly variables: Readonly<Record<string, string | undefined>>;
  readonly #flags: Readonly<Record<string, unknown>>;

  /** `variables` holds what `.env` says where the environment says nothing. */
  constructor(flags: Readonly<Record<string, unknown>>, variables: Readonly<Record<string, string | undefined>>) {
    this.#flags = flags;
    this.variables = variables;
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

  sourceOf(name: SettingName): Source {
    return this.#given(name)?.source ?? "default";
  }

  #given(name: SettingName): { readonly value: string; readonly source: Source } | undefined {
    const flag = this.#flags[name];
    if (flag === true) return { value: "true", source: "flag" };
    if (typeof flag === "string") return { value: flag, source: "flag" };
    // A variable that is set to nothing is not set.
    const value = this.variables[settingOf(name).variable]?.trim();
    return value === undefined || value === "" ? undefined : { value, source: "environment" };
  }
}

function settingOf(name: SettingName): Setting {
  const found = SETTINGS.find((setting) => setting.name === name);
  if (found === undefined) throw new Error(`There is no setting ${name}.`);
  return found;
}
