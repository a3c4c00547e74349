import type { ConfigProblem } from "./config-problem.ts";

/** A place in a document: where it is, and how it is called in a sentence. */
export interface Place {
  readonly path: string;
  readonly name: string;
}

/** The document itself. */
export const ROOT: Place = { path: "", name: "The configuration" };

/** The place of a key. */
export function keyIn({ path }: Place, key: string): Place {
  const isPlain = /^[\w$-]+$/.test(key);
  const tail = isPlain ? `${path === "" ? "" : "."}${key}` : `[${JSON.stringify(key)}]`;
  return { path: `${path}${tail}`, name: `\`${key}\`` };
}

/** The place of an item of a list. */
export function itemIn({ path, name }: Place, index: number): Place {
  const tail = `[${index}]`;
  return { path: `${path}${tail}`, name: name.endsWith("`") ? `${name.slice(0, -1)}${tail}\`` : `${name}${tail}` };
}

/** What is wrong with a place, in a sentence that begins with its name. */
export function problemAt({ path, name }: Place, says: string): ConfigProblem {
  return { path, message: `${name} ${says}` };
}

/** Whether a problem is about something at a path, or inside it. */
export function isWithin(problemPath: string, path: string): boolean {
  const rest = problemPath.startsWith(path) ? problemPath.slice(path.length) : "none";
  return rest === "" || rest.startsWith(".") || rest.startsWith("[");
}
