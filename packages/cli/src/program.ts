import { Command as Parser } from "commander";
import type { Command, CommandInput } from "./commands/command.ts";
import { COMMANDS } from "./commands/command-table.ts";
import { isModulePath } from "./module/module-path.ts";
import { usageFailure } from "./output/failure.ts";
import { OUTPUT_FLAGS, SETTINGS, type Setting } from "./settings/setting-table.ts";

/** What the first words of two-word commands are about. */
const GROUPS: Readonly<Record<string, string>> = {
  threads: "lists, shows and deletes threads",
  runs: "lists, shows, follows, exports and cancels runs",
  config: "checks and shows the configuration",
  eval: "plays recorded runs as tests, and saves runs as cases",
  keys: "makes, lists and revokes API keys",
  workflow: "runs, checks and draws workflows",
};

/** The command that was named, and what was said to it. */
export type Chosen = Pick<CommandInput, "arguments" | "options"> & { readonly command: Command };

const SCHEMA_FLAG = "--print-agent-config-schema";

/** Makes the parser of the command line out of the tables. `choose` gets what was said. */
export function createProgram(version: string, choose: (chosen: Chosen) => void): Parser {
  const program = new Parser("reprise")
    .description("An agent run you can stop, kill, move to another machine, resume, rewind, fork, and prove.")
    .version(version, "--version", "prints the version")
    .helpOption("-h, --help", "shows this help")
    .helpCommand("help [command]", "shows the help of a command")
    .option(SCHEMA_FLAG, "prints the JSON Schema of the configuration, as `config schema` does")
    .showHelpAfterError("Run it with --help to see its options.")
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
  parser.allowExcessArguments();
  const forms = [...(command.takesModule === true ? [MODULE] : []), ...(command.arguments ?? [])];
  // The parser fills arguments from the left; which of them may be left out is decided below.
  for (const { form, purpose } of forms) parser.argument(form.replace(/^<(.*)>$/, "[$1]"), purpose);
  parser.usage(["[options]", ...forms.map(({ form }) => form)].join(" "));
  for (const { form, purpose } of command.options ?? []) parser.option(form, purpose);
  const listed: readonly string[] = [...(command.settings ?? []), ...OUTPUT_NAMES];
  parser.configureHelp({
    showGlobalOptions: true,
    visibleGlobalOptions: () => program.options.filter((option) => listed.includes(option.attributeName())),
    styleTitle: (title) => (title === "Global Options:" ? "Settings:" : title),
  });
  parser.addHelpText("after", "\nEvery command takes every setting: reprise --help");
  parser.action(() => {
    const options = parser.optsWithGlobals();
    // Whatever else was said: it is a question, and nothing is done.
    if (isAboutSchema(options)) return choose({ command: SCHEMA, arguments: [], options: readOptions(options) });
    const { module, rest } = takeModule(command, parser.args);
    const named = module === undefined ? options : { ...options, agents: module };
    choose({ command, arguments: assignWords(command, forms, rest), options: readOptions(named) });
  });
}

const MODULE = { form: "[module]", purpose: "a module that exports agents, as in agents.ts; the same as --agents" };
const OUTPUT_NAMES: readonly string[] = OUTPUT_FLAGS.map(({ flag }) => flag.replace("--", ""));

/** Splits the module off the words of a command. */
function takeModule(
  { takesModule }: Command,
  words: readonly string[],
): { readonly module?: string; readonly rest: readonly string[] } {
  const [first, ...rest] = words;
  return takesModule === true && first !== undefined && isModulePath(first) ? { module: first, rest } : { rest: words };
}

/** Gives each argument its word. Those that are needed get theirs first, so that an optional one may stand before them. */
function assignWords(
  { name, arguments: forms = [] }: Command,
  shown: readonly { readonly form: string }[],
  words: readonly string[],
): CommandInput["arguments"] {
  const needed = forms.filter(({ form }) => form.startsWith("<")).length;
  const usage = `Usage: reprise ${[name, ...shown.map(({ form }) => form)].join(" ")}`;
  // The last argument may stand for several words.
  const takesMany = forms.at(-1)?.form.includes("...") === true;
  const extra = takesMany ? undefined : words[forms.length];
  if (extra !== undefined) throw usageFailure(`Unexpected argument ${JSON.stringify(extra)}.`, usage);
  if (words.length < needed) {
    const missing = forms.filter(({ form }) => form.startsWith("<"))[words.length]?.form;
    throw usageFailure(`Missing argument ${missing}.`, usage);
  }
  const left = [...words];
  let spare = words.length - needed;
  const assigned = forms.map(({ form }) => (form.startsWith("<") || spare-- > 0 ? left.shift() : undefined));
  return [...assigned, ...left];
}

function groupOf(program: Parser, name: string): Parser {
  const known = program.commands.find((command) => command.name() === name);
  return known ?? program.command(name).description(GROUPS[name] ?? "");
}

function readOptions(options: Readonly<Record<string, unknown>>): CommandInput["options"] {
  const entries = Object.entries(options).map(([name, value]) => [name, readOption(value)] as const);
  return Object.fromEntries(entries.filter(([, value]) => value !== undefined));
}

function readOption(value: unknown): CommandInput["options"][string] {
  if (Array.isArray(value)) return value.map(String);
  return typeof value === "string" || typeof value === "boolean" ? value : undefined;
}
