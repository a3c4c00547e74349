import { relative, resolve } from "node:path";
import { isCancel, select, text } from "@clack/prompts";
import { createProject } from "./create-project.ts";
import { readWords, USAGE, type Words } from "./read-words.ts";
import { Refusal } from "./refusal.ts";
import { TEMPLATES, type Template } from "./templates.ts";

/** Where answers and complaints go, and whether a person can be asked. */
export interface Streams {
  readonly out: { write(text: string): unknown };
  readonly error: { write(text: string): unknown };
  readonly isPerson: boolean;
}

const FOLDER = "my-app";

/** Does what a command line says. Answers its exit code: 1 when nothing was created. */
export async function runCommandLine(words: readonly string[], { out, error, isPerson }: Streams): Promise<number> {
  try {
    const said = readWords(words);
    if (said.help) {
      out.write(`${USAGE}\n`);
      return 0;
    }
    const { folder, template } = await complete(said, isPerson);
    createProject(folder, template);
    out.write(`${describeNext(folder, template)}\n`);
    return 0;
  } catch (problem) {
    const message = problem instanceof Error ? problem.message : String(problem);
    error.write(problem instanceof Refusal ? `${message}\n` : `Nothing was created: ${message}\n`);
    return 1;
  }
}

interface Wanted {
  readonly folder: string;
  readonly template: Template;
}

/** What was said, what a person answers, or the defaults. */
async function complete({ folder, template, yes }: Words, isPerson: boolean): Promise<Wanted> {
  if (!yes && isPerson) return { folder: folder ?? (await askFolder()), template: template ?? (await askTemplate()) };
  const [first] = TEMPLATES;
  const chosen = template ?? (yes ? first : undefined);
  if (chosen === undefined)
    throw new Refusal(`Name a template: --template <name>, or take the default with --yes.\n\n${USAGE}`);
  return { folder: folder ?? FOLDER, template: chosen };
}

async function askFolder(): Promise<string> {
  const answer = await text({ message: "In which folder?", placeholder: FOLDER, defaultValue: FOLDER });
  if (isCancel(answer)) throw new Refusal("Cancelled. Nothing was created.");
  return answer;
}

async function askTemplate(): Promise<Template> {
  const options = TEMPLATES.map((template) => ({ value: template, label: template.name, hint: template.purpose }));
  const answer = await select({ message: "Which template?", options });
  if (isCancel(answer)) throw new Refusal("Cancelled. Nothing was created.");
  return answer;
}

/** The two commands that start it. */
function describeNext(folder: string, { name, start }: Template): string {
  const path = relative(process.cwd(), resolve(folder));
  const enter = path === "" ? "" : `cd ${/^[\w./-]+$/.test(path) ? path : JSON.stringify(path)} && `;
  const place = path === "" ? "this folder" : path;
  return `Created the template ${name} in ${place}. Two commands start it:\n\n  ${enter}npm install\n  ${start}\n`;
}
