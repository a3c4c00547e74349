import type { Version } from "../api/types.ts";
import { fieldsOf } from "./block.ts";

/** One path whose value changed, and who changed it. */
export interface StateChange {
  readonly path: readonly string[];
  readonly kind: "added" | "removed" | "changed";
  readonly before?: unknown;
  readonly after?: unknown;
  readonly by: string;
}

/** More changes than anybody reads. */
const MAX_CHANGES = 500;

/** The paths that differ between two states, deepest first where objects and lists are alike. */
export function diffState(before: unknown, after: unknown, version?: Version): readonly StateChange[] {
  const changes: StateChange[] = [];
  const authors = authorsOf(version);
  const walk = (path: readonly string[], old: unknown, fresh: unknown): void => {
    if (Object.is(old, fresh) || changes.length >= MAX_CHANGES) return;
    const by = authorOf(authors, path);
    if (old === undefined) changes.push({ path, kind: "added", after: fresh, by });
    else if (fresh === undefined) changes.push({ path, kind: "removed", before: old, by });
    else if (isContainer(old) && isContainer(fresh) && Array.isArray(old) === Array.isArray(fresh)) {
      const [olds, freshes] = [fieldsOf(old), fieldsOf(fresh)];
      for (const key of new Set([...Object.keys(olds), ...Object.keys(freshes)]))
        walk([...path, key], olds[key], freshes[key]);
    } else if (JSON.stringify(old) !== JSON.stringify(fresh))
      changes.push({ path, kind: "changed", before: old, after: fresh, by });
  };
  walk([], before, after);
  return changes;
}

/** A state without what the runtime keeps for itself. */
export function withoutOwnKeys(state: unknown): unknown {
  if (!isContainer(state) || Array.isArray(state)) return state;
  return Object.fromEntries(Object.entries(state).filter(([key]) => !key.startsWith("__")));
}

function isContainer(value: unknown): value is object {
  return typeof value === "object" && value !== null;
}

interface Author {
  readonly path: readonly string[];
  readonly by: string;
}

function authorsOf(version: Version | undefined): readonly Author[] {
  return (version?.patches ?? []).flatMap((patch) => {
    const { source, ops } = fieldsOf(patch);
    if (!Array.isArray(ops)) return [];
    return ops.map((op) => {
      const { path } = fieldsOf(op);
      return { path: Array.isArray(path) ? path.map(String) : [], by: describeSource(String(source)) };
    });
  });
}

/** The last patch that touched a path, or anything above or below it. */
function authorOf(authors: readonly Author[], path: readonly string[]): string {
  const touches = (author: Author): boolean =>
    path.slice(0, author.path.length).every((part, index) => part === author.path[index]);
  return authors.findLast(touches)?.by ?? "runtime";
}

/** `tool:add#call` and `plugin:memory` in words. */
function describeSource(source: string): string {
  const [kind = "", name = ""] = source.split(":");
  if (kind === "tool") return `tool ${name.split("#")[0]}`;
  return kind === "plugin" ? `plugin ${name}` : source;
}
