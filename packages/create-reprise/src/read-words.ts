import { parseArgs } from "node:util";
import { Refusal } from "./refusal.ts";
import { TEMPLATES, type Template } from "./templates.ts";

/** What was said on the command line. */
export interface Words {
  readonly folder: string | undefined;
  readonly template: Template | undefined;
  /** Asks nothing: what was not said is the default. */
  readonly yes: boolean;
  readonly help: boolean;
}

const NAMES = TEMPLATES.map(({ name }) => name).join(", ");

export const USAGE: string = `Usage: npm create reprise [folder] -- [--template <name>] [--yes]

Templates:
${TEMPLATES.map(({ name, purpose }) => `  ${name.padEnd(10)} ${purpose}`).join("\n")}`;

export function readWords(words: readonly string[]): Words {
  const { values, positionals } = parse(words);
  const [folder, extra] = positionals;
  if (extra !== undefined) throw new Refusal(`Unexpected argument ${JSON.stringify(extra)}: name one folder.`);
  const { template: name, yes = false, help = false } = values;
  return { folder, template: name === undefined ? undefined : findTemplate(name), yes, help };
}

function parse(words: readonly string[]) {
  try {
    const options = {
      template: { type: "string", short: "t" },
      yes: { type: "boolean", short: "y" },
      help: { type: "boolean", short: "h" },
    } as const;
    return parseArgs({ args: [...words], allowPositionals: true, options });
  } catch (error) {
    throw new Refusal(`${error instanceof Error ? error.message : String(error)}\n\n${USAGE}`);
  }
}

function findTemplate(name: string): Template {
  const found = TEMPLATES.find((template) => template.name === name);
  if (found === undefined) throw new Refusal(`There is no template ${JSON.stringify(name)}. There are: ${NAMES}.`);
  return found;
}
