/**
 * Which files `read_file` may read.
 * - `sandboxed`: below the folder of the run.
 * - `project`: below the folder of the project.
 * - `full`: everywhere.
 * No scope reads credentials: `.ssh`, `.aws`, `.env` and their like.
 */
export type FileScope = "sandboxed" | "project" | "full";

const SENSITIVE = new Set([
  ".ssh",
  ".aws",
  ".azure",
  ".gnupg",
  ".kube",
  ".docker",
  ".netrc",
  ".npmrc",
  ".pypirc",
  ".git-credentials",
]);

/** Why a path may not be read; undefined when it may. This looks at the text alone: whoever reads the file resolves links first, and asks again about what they lead to. */
export function findReadProblem(path: string, scope: FileScope): string | undefined {
  if (path === "" || path.includes("\0")) return "is not a path";
  const parts = path.split(/[/\\]/);
  const hidden = parts.find((part) => SENSITIVE.has(part.toLowerCase()) || /^\.env(\.|$)/i.test(part));
  if (hidden !== undefined) return `may hold credentials (${hidden})`;
  if (scope === "full") return undefined;
  if (/^([/\\~]|[A-Za-z]:)/.test(path)) return `must be relative in the scope ${JSON.stringify(scope)}`;
  return parts.includes("..") ? `must not leave its folder in the scope ${JSON.stringify(scope)}` : undefined;
}
