import { Command as Parser } from "commander";
import type { Command, CommandInput } from "./commands/command.ts";
import { COMMANDS } from "./commands/command-table.ts";
import { OUTPUT_FLAGS, SETTINGS, type Setting } from "./settings/setting-table.ts";

/** What the words before a command's own are for. */
const GROUPS: Readonly<Record<string, string>> = {
  threads: "conversations that are kept",
  runs: "units of work on threads",
  config: "what to run, and on what",
  keys: "who may use the server",
};

/** The command that was named, and what was said to it. */
export type Chosen = Pick<CommandInput, "arguments" | "options"> & { readonly command: Command };

const SCHEMA_FLAG = "--print-agent-config-schema";

/** Makes the parser of the command line out of the tables. `choose` gets what was said. */
export function createProgram(version: string, choose: (chosen: Chosen) => void): Parser {
  const program = new Parser("reprise")
    .description("An agent run you can stop, kill, move to another machine, resume, rewind, fork, and prove.")
    .version(version, "--version", "prints the version")
    .helpOption("-h, --help", "shows this")
    .helpCommand("help [command]", "shows what a command takes")
    .option(SCHEMA_FLAG, "prints the JSON Schema of the configuration, as `config schema` does")
    .showHelpAfterError("Run it with --help to see what it takes.")
    .configureHelp({ showGlobalOptions: false });
  for (const { flag, purpose } of OUTPUT_FLAGS) program.option(flag, purpose);
  for (const setting of SETTINGS) program.option(setting.flag, describeSetting(setting));
  program.action((options: Record<string, unknown>) => {
    if (!isAboutSchema(options)) program.help({ error: true });
    choose({ command: SCHEMA, arguments: [], options: readOptions(options) });
  });
  for (const command of COMMANDS) addCommand(program, command, choose);
  return program;
}

const SCHEMA: Command = {
  name: "config schema",
  purpose: "",
  run: async (input) => (await import("./commands/config.ts")).printSchema(input),
};

function isAboutSchema(options: Readonly<Record<string, unknown>>): boolean {
  return options.printAgentConfigSchema === true;
}

function describeSetting({ purpose, variable, fallback }: Setting): string {
  return `${purpose} (${variable}${fallback === undefined ? "" : `; ${fallback}`})`;
}

function addCommand(program: Parser, command: Command, choose: (chosen: Chosen) => void): void {
  const [first = "", second] = command.name.split(" ");
  const parent = second === undefined ? program : groupOf(program, first);
  const parser = parent.command(second ?? first, { isDefault: command.isDefault ?? false });
  parser.description(command.purpose);
  for (const { form, purpose } of command.arguments ?? []) parser.argument(form, purpose);
  for (const { form, purpose } of command.options ?? []) parser.option(form, purpose);
  parser.action(() => {
    const options = parser.optsWithGlobals();
    // Whatever else was said: it is a question, and nothing is done.
    const meant = isAboutSchema(options) ? SCHEMA : command;
    choose({ command: meant, arguments: parser.processedArgs, options: readOptions(options) });
  });
}

function groupOf(program: Parser, name: string): Parser {
  const known = program.commands.find((command) => command.name() === name);
  return known ?? program.command(name).description(GROUPS[name] ?? "");
}

function readOptions(options: Readonly<Record<string, unknown>>): CommandInput["options"] {
  return Object.fromEntries(
    Object.entries(options).flatMap(([name, value]) =>
      typeof value === "string" || typeof value === "boolean" ? [[name, value]] : [],
    ),
  );
}
