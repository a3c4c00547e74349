import type { Json } from "../document/json.ts";
import type { Path } from "../document/path.ts";
import type { Op } from "../operations/op.ts";
import { ops } from "../operations/ops.ts";
import type { Patch } from "../operations/patch.ts";

/** Collects operations on any document, without a definition. Nothing is applied: `build` returns the patch. */
export class JsonWriter {
  readonly #prefix: Path;
  readonly #ops: Op[];

  /** Paths are relative to `prefix`; `collected` is where the operations go. */
  constructor(prefix: Path = [], collected: Op[] = []) {
    this.#prefix = prefix;
    this.#ops = collected;
  }

  /** A writer for what lies below a path; it collects into the same patch. */
  at(path: Path): JsonWriter {
    return new JsonWriter(this.#within(path), this.#ops);
  }

  set(path: Path, value: Json): this {
    return this.#collect(ops.set(this.#within(path), value));
  }

  delete(path: Path): this {
    return this.#collect(ops.delete(this.#within(path)));
  }

  append(path: Path, value: Json): this {
    return this.#collect(ops.append(this.#within(path), value));
  }

  mergeObject(path: Path, value: Json): this {
    return this.#collect(ops.mergeObject(this.#within(path), value));
  }

  increment(path: Path, amount: number = 1): this {
    return this.#collect(ops.increment(this.#within(path), amount));
  }

  decrement(path: Path, amount: number = 1): this {
    return this.#collect(ops.decrement(this.#within(path), amount));
  }

  insert(path: Path, index: number, value: Json): this {
    return this.#collect(ops.insert(this.#within(path), index, value));
  }

  remove(path: Path, value: Json): this {
    return this.#collect(ops.remove(this.#within(path), value));
  }

  latticeMerge(path: Path, value: Json): this {
    return this.#collect(ops.latticeMerge(this.#within(path), value));
  }

  /** The patch collected so far. The writer can continue; what was built does not change. */
  build(): Patch {
    return { ops: [...this.#ops] };
  }

  #within(path: Path): Path {
    return this.#prefix.length === 0 ? path : [...this.#prefix, ...path];
  }

  #collect(op: Op): this {
    this.#ops.push(op);
    return this;
  }
}
