import type { ExitCode } from "../output/exit-code.ts";
import type { Output } from "../output/output.ts";
import type { SettingName } from "../settings/setting-table.ts";
import type { Settings } from "../settings/settings.ts";

/** What a command has to work with. */
export interface CommandInput {
  readonly settings: Settings;
  readonly output: Output;
  /** The whole command line, as it was written. */
  readonly words: readonly string[];
  /** In the order of its forms; one that was left out is undefined. A form with dots, as in `<files...>`, stands for all words that are left. */
  readonly arguments: readonly (string | undefined)[];
  /** By name, in camel case; flags without a value are true, and those that may be repeated are lists. */
  readonly options: Readonly<Record<string, string | boolean | readonly string[] | undefined>>;
}

/** One thing the command line can do. Data, so that help and the reference page cannot say anything else. */
export interface Command {
  /** One or two words: `serve`, `threads list`. */
  readonly name: string;
  readonly purpose: string;
  /** Forms as in `<agent>` for what is needed and `[agent]` for what may be left out. The last may be `<files...>`: one or more. */
  readonly arguments?: readonly { readonly form: string; readonly purpose: string }[];
  readonly options?: readonly { readonly form: string; readonly purpose: string }[];
  /** Its first word may be a module: the same as `--agents`. */
  readonly takesModule?: true;
  /** The settings its help lists. It takes every other one too. */
  readonly settings?: readonly SettingName[];
  /** What is done when only the first word is said. */
  readonly isDefault?: true;
  /** Loaded when it is run: `--help` needs none of it. */
  run(input: CommandInput): Promise<ExitCode>;
}

/** The value of an option; undefined when it was not given. */
export function textOption({ options }: CommandInput, name: string): string | undefined {
  const value = options[name];
  return typeof value === "string" ? value : undefined;
}
