import type { ToolDescriptor } from "@reprise/contracts";

/** Tools as a provider may call them: it takes letters, digits, `_` and `-`, and 64 of them at most. */
export interface ToolNames {
  /** The name to send for a tool's id; also for one that is no longer offered. */
  toWire(id: string): string;
  /** The id of the tool that the model named; the name itself when it is unknown. */
  fromWire(name: string): string;
}

const LONGEST = 64;

/** Finds a name for each tool. The same tools in the same order get the same names, so that what a provider cached stays good. */
export function nameTools(tools: readonly Pick<ToolDescriptor, "id">[]): ToolNames {
  const ids = new Map<string, string>();
  const names = new Map<string, string>();
  // Names that can stay as they are go first: another one must not take them.
  const plain = tools.filter(({ id }) => clean(id) === id);
  for (const { id } of [...plain, ...tools]) {
    if (names.has(id)) continue;
    const name = freeName(clean(id), ids);
    names.set(id, name);
    ids.set(name, id);
  }
  return { toWire: (id) => names.get(id) ?? clean(id), fromWire: (name) => ids.get(name) ?? name };
}

function clean(id: string): string {
  return id.replaceAll(/[^A-Za-z0-9_-]/g, "_").slice(0, LONGEST) || "_";
}

function freeName(wanted: string, taken: ReadonlyMap<string, string>): string {
  let name = wanted;
  for (let count = 2; taken.has(name); count++) {
    const suffix = `_${count}`;
    name = wanted.slice(0, LONGEST - suffix.length) + suffix;
  }
  return name;
}
