import { extname } from "node:path";

/** Extensions of the files that Node can import. */
export const MODULE_EXTENSIONS: readonly string[] = [".ts", ".mts", ".cts", ".js", ".mjs", ".cjs"];

/** Whether a word of the command line names a module rather than an agent or a run. */
export function isModulePath(word: string): boolean {
  return MODULE_EXTENSIONS.includes(extname(word));
}
