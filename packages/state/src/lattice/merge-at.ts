import { type Json, typeName } from "../document/json.ts";
import type { Path } from "../document/path.ts";
import { typeMismatch } from "../document/state-error.ts";
import type { Lattice } from "./lattice.ts";

/** Joins a delta into what stands at a path; where nothing stands the delta is the value. */
export function mergeAt(lattice: Lattice, path: Path, current: Json | undefined, delta: Json): Json {
  const right = parseAs(lattice, path, delta);
  return current === undefined ? right : lattice.merge(parseAs(lattice, path, current), right);
}

function parseAs(lattice: Lattice, path: Path, value: Json): Json {
  const parsed = lattice.parse(value);
  if (parsed === undefined) throw typeMismatch(path, `a ${lattice.name}`, typeName(value));
  return parsed;
}
