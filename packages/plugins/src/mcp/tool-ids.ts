import { createHash } from "node:crypto";

/** Model providers take names of up to 64 letters, digits, _ and -. */
const MAX_ID_LENGTH = 64;
const HASH_LENGTH = 8;

/**
 * The ids of a server's tools, by their names: `mcp__server__tool` with `_` for what ids do not take. A name that had to be changed gets a
 * hash when its id is too long or would be another's too. So two names never have the same id, and which tool an id means does not
 * depend on the order of the list.
 */
export function toolIds(server: string, names: Iterable<string>): ReadonlyMap<string, string> {
  const all = [...new Set(names)].sort();
  const shared = new Map<string, number>();
  for (const name of all) shared.set(plainId(server, name), (shared.get(plainId(server, name)) ?? 0) + 1);
  const isKept = (name: string): boolean => {
    const plain = plainId(server, name);
    return plain.length <= MAX_ID_LENGTH && (plain === `mcp__${server}__${name}` || shared.get(plain) === 1);
  };
  const ids = new Map(all.filter(isKept).map((name) => [name, plainId(server, name)]));
  const taken = new Set(ids.values());
  for (const name of all) {
    if (ids.has(name)) continue;
    let id = hashedId(plainId(server, name), name);
    // A server may list a tool under the very name that another one gets.
    for (let salt = 1; taken.has(id); salt += 1) id = hashedId(plainId(server, name), `${name} ${salt}`);
    taken.add(id);
    ids.set(name, id);
  }
  return ids;
}

function plainId(server: string, name: string): string {
  return `mcp__${server}__${name.replaceAll(/[^A-Za-z0-9_-]/g, "_")}`;
}

function hashedId(plain: string, name: string): string {
  const hash = createHash("sha256").update(name).digest("hex").slice(0, HASH_LENGTH);
  return `${plain.slice(0, MAX_ID_LENGTH - HASH_LENGTH - 1)}_${hash}`;
}
