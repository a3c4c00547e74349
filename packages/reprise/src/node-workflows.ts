import { randomUUID } from "node:crypto";
import { mkdir, readFile, realpath, rename, rm, writeFile } from "node:fs/promises";
import { basename, dirname, join, relative, resolve, sep } from "node:path";
import type { Env, RunProgram } from "@reprise/contracts";
import { createNodeEnv } from "@reprise/node";
import { type FileScope, findReadProblem, type WorkflowsOptions, workflows } from "@reprise/workflow";
import { createExpressionSandbox } from "@reprise/workflow/quickjs";

export interface NodeWorkflowsOptions extends Pick<WorkflowsOptions, "preEgress" | "onAuthError" | "limits"> {
  readonly env?: Pick<Env, "clock" | "yield">;
  /** The folder whose files workflows read and write; the working folder unless given. */
  readonly folder?: string;
  /** What `read_file` may read: files below the folder (`sandboxed`) unless given. */
  readonly fsScope?: FileScope;
  /** A secret by its name; an environment variable unless given. */
  readonly secret?: (name: string) => string | undefined;
}

/**
 * Runs workflows on Node: expressions in QuickJS, `read_file` and `save_to` below the folder, secrets by their names.
 * `createRuntime` of `reprise` does this by itself when an agent is a workflow.
 */
export function nodeWorkflows(options: NodeWorkflowsOptions = {}): RunProgram {
  const {
    env = createNodeEnv(),
    folder = process.cwd(),
    fsScope = "sandboxed",
    secret = (name) => process.env[name],
    ...agents
  } = options;
  return workflows({
    ...agents,
    sandbox: createExpressionSandbox({ clock: env.clock, yield: env.yield }),
    fsScope,
    readFile: async (path, scope) => readFile(await findFile(folder, path, scope), "utf8"),
    saveFile: (path, content) => saveFile(folder, path, content),
    secret,
  });
}

/** The file that a path leads to, links followed. Throws when workflows may not read it. */
async function findFile(folder: string, path: string, scope: FileScope): Promise<string> {
  const [root, file] = await Promise.all([realpath(folder), realpath(resolve(folder, path))]);
  if (scope !== "full") assertBelow(root, file, path);
  // A link may have another name than the file of credentials that it leads to.
  const problem = findReadProblem(scope === "full" ? file : relative(root, file), scope);
  if (problem !== undefined) throw new Error(`${path} leads to a file that ${problem}.`);
  return file;
}

/** Writes a file as a whole or not at all. Links lead nowhere: a folder outside is refused before anything is made in it, and a link in the file's place is replaced. */
async function saveFile(folder: string, path: string, content: string): Promise<void> {
  const file = resolve(folder, path);
  const root = await realpath(folder);
  assertBelow(root, await realpathOfNearest(dirname(file)), path);
  await mkdir(dirname(file), { recursive: true });
  const written = join(dirname(file), `.${basename(file)}.${randomUUID()}`);
  try {
    await writeFile(written, content, { flag: "wx" });
    await rename(written, file);
  } catch (error) {
    await rm(written, { force: true });
    throw error;
  }
}

/** The nearest folder above that exists, links followed. */
async function realpathOfNearest(folder: string): Promise<string> {
  try {
    return await realpath(folder);
  } catch (error) {
    const isMissing = error instanceof Error && "code" in error && error.code === "ENOENT";
    if (!isMissing || dirname(folder) === folder) throw error;
    return realpathOfNearest(dirname(folder));
  }
}

function assertBelow(root: string, file: string, path: string): void {
  const from = relative(root, file);
  if (from === ".." || from.startsWith(`..${sep}`))
    throw new Error(`${path} leads out of the folder of the workflows.`);
}
