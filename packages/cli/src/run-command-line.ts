import { findNearest } from "@reprise/contracts/shape";
import { CommanderError } from "commander";
import { COMMANDS } from "./commands/command-table.ts";
import { EXIT_CODES, type ExitCode } from "./output/exit-code.ts";
import { type CommandFailure, usageFailure } from "./output/failure.ts";
import { Output, type Streams } from "./output/output.ts";
import { toFailure } from "./output/to-failure.ts";
import { readVersion } from "./package-file.ts";
import { type Chosen, createProgram } from "./program.ts";
import { readEnvFile } from "./settings/read-env-file.ts";
import { Settings } from "./settings/settings.ts";

/** Does what a command line says. Never throws: whatever happens is said, and is an exit code. */
export async function runCommandLine(words: readonly string[], streams: Streams): Promise<ExitCode> {
  // Also what cannot be read is to be said in the way that was asked for.
  const early = { isJson: words.includes("--json"), isVerbose: words.includes("--verbose") };
  try {
    const chosen = parse(words, streams);
    if (typeof chosen === "number") return chosen;
    const { command, options } = chosen;
    const output = new Output(streams, { isJson: options.json === true, isVerbose: options.verbose === true });
    const settings = new Settings(options, process.env, readEnvFile(process.cwd()));
    for (const { key, address } of settings.withheld)
      output.warn(`${key} of the environment is not used: ${address} is set by .env. Put both in the same place.`);
    return await command.run({ settings, output, words, arguments: chosen.arguments, options });
  } catch (error) {
    const failure = toFailure(error);
    new Output(streams, early).fail(failure);
    return failure.exitCode;
  }
}

function parse(words: readonly string[], streams: Streams): Chosen | ExitCode {
  let chosen: Chosen | undefined;
  const program = createProgram(readVersion(), (found) => {
    chosen = found;
  });
  const complaints: string[] = [];
  const configure = (parser: typeof program): void => {
    parser.exitOverride().configureOutput({
      writeOut: (text) => void streams.out.write(text),
      writeErr: (text) => void complaints.push(text),
    });
    for (const child of parser.commands) configure(child);
  };
  configure(program);
  try {
    program.parse(words, { from: "user" });
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    // Help and the version were asked for, and are written.
    if (error.exitCode === 0) return EXIT_CODES.ok;
    throw describeUsage(error, complaints);
  }
  if (chosen === undefined) throw usageFailure("There is no such command.", "List the commands with: reprise --help");
  return chosen;
}

/** What is wrong with the command line. The parser takes a command it does not know for an argument too many. */
function describeUsage({ message }: CommanderError, complaints: readonly string[]): CommandFailure {
  const [, unknown] = /^error: too many arguments\. .* got \d+: (\S+?)[,.]?( |$)/.exec(message) ?? [];
  if (unknown === undefined) return usageFailure(tidy(message), readRemedy(complaints));
  const nearest = findNearest(unknown, [...new Set(COMMANDS.map(({ name }) => name.split(" ", 1)[0] ?? ""))]);
  const remedy = nearest === undefined ? "List the commands with: reprise --help" : `Did you mean: reprise ${nearest}`;
  return usageFailure(`There is no command ${JSON.stringify(unknown)}.`, remedy);
}

/** The parser's words as a sentence. */
function tidy(message: string): string {
  const text = message.replace(/^error: /, "").trim();
  if (text === "(outputHelp)") return "A command is needed.";
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}${/[.?!)]$/.test(text) ? "" : "."}`;
}

function readRemedy(complaints: readonly string[]): string {
  const [, suggestion] = /\((Did you mean .*)\)/.exec(complaints.join("")) ?? [];
  return suggestion ?? "List the options with: reprise --help";
}
