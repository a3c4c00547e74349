export type { Command, CommandInput } from "./commands/command.ts";
export { COMMANDS } from "./commands/command-table.ts";
export type { ExitCode } from "./output/exit-code.ts";
export { EXIT_CODES } from "./output/exit-code.ts";
export type { Streams } from "./output/output.ts";
export { runCommandLine } from "./run-command-line.ts";
export type { Setting, SettingName } from "./settings/setting-table.ts";
export { OUTPUT_FLAGS, PROVIDER_VARIABLES, SETTINGS } from "./settings/setting-table.ts";
