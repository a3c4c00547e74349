import type { Path } from "../document/path.ts";
import { assertPath } from "../document/path.ts";
import { invalidOperation } from "../document/state-error.ts";
import type { Lattice } from "./lattice.ts";

/** Says which lattice, if any, governs a path. */
export interface LatticeLookup {
  latticeAt(path: Path): Lattice | undefined;
}

/** Lattices by exact path. Filled once, at start; lookups cost the length of the path. */
export class LatticeRegistry implements LatticeLookup {
  readonly #byPath = new Map<string, { readonly path: Path; readonly lattice: Lattice }>();

  /** Puts a lattice in charge of a path. A path has one lattice; the same one may be registered again. */
  register(path: Path, lattice: Lattice): this {
    assertPath(path);
    const known = this.#byPath.get(keyOf(path));
    if (known !== undefined && known.lattice !== lattice) {
      throw invalidOperation(`the lattice ${known.lattice.name} is already registered here, not ${lattice.name}`, path);
    }
    this.#byPath.set(keyOf(path), { path, lattice });
    return this;
  }

  latticeAt(path: Path): Lattice | undefined {
    return this.#byPath.size === 0 ? undefined : this.#byPath.get(keyOf(path))?.lattice;
  }

  /** Every registered path with its lattice. */
  entries(): readonly { readonly path: Path; readonly lattice: Lattice }[] {
    return [...this.#byPath.values()];
  }
}

/** Tells the index 0 from the key "0". */
function keyOf(path: Path): string {
  return JSON.stringify(path);
}
