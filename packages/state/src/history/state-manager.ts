import { applyPatch, applyPatches } from "../apply/apply-patch.ts";
import { assertJson } from "../document/assert-json.ts";
import type { Json } from "../document/json.ts";
import { invalidOperation } from "../document/state-error.ts";
import type { LatticeLookup } from "../lattice/lattice-registry.ts";
import type { TrackedPatch } from "../operations/patch.ts";

/** A full state and the number of patches that led to it. */
export interface StateSnapshot {
  readonly version: number;
  readonly state: Json;
}

export interface StateManagerOptions {
  readonly lattices?: LatticeLookup;
  /** Start from a snapshot taken earlier; patches before its version are not known here. */
  readonly version?: number;
}

/**
 * A document with its history.
 *
 * - `state` at version n is the fold of the first n patches: `replayTo(n)`.
 * - `commit` and `commitBatch` take everything or nothing.
 * - No clock, no ids: what a patch tells about itself comes from its author.
 */
export class StateManager {
  #base: StateSnapshot;
  #history: TrackedPatch[] = [];
  #state: Json;
  readonly #lattices: LatticeLookup | undefined;

  constructor(initial: Json, { lattices, version = 0 }: StateManagerOptions = {}) {
    assertJson(initial);
    if (!Number.isSafeInteger(version) || version < 0) throw invalidOperation(`${version} is not a version`);
    this.#base = { version, state: initial };
    this.#state = initial;
    this.#lattices = lattices;
  }

  get state(): Json {
    return this.#state;
  }

  /** How many patches led to the current state, those before the base included. */
  get version(): number {
    return this.#base.version + this.#history.length;
  }

  /** The oldest version that can still be rebuilt. */
  get oldestVersion(): number {
    return this.#base.version;
  }

  /** The patches from the oldest version to now. */
  get history(): readonly TrackedPatch[] {
    return [...this.#history];
  }

  /** The current state and its version: what to keep in order to start again from here. */
  snapshot(): StateSnapshot {
    return { version: this.version, state: this.#state };
  }

  /** Applies one patch and remembers it. */
  commit(patch: TrackedPatch): Json {
    this.#state = applyPatch(this.#state, patch, this.#lattices);
    this.#history.push(patch);
    return this.#state;
  }

  /** Applies many patches as one step; when one fails, none of them happened. */
  commitBatch(patches: readonly TrackedPatch[]): Json {
    this.#state = applyPatches(this.#state, patches, this.#lattices);
    // Not push(...patches): a long batch would not fit on the stack.
    for (const patch of patches) this.#history.push(patch);
    return this.#state;
  }

  /** The state after the first `version` patches, rebuilt; the current state stays as it is. */
  replayTo(version: number): Json {
    this.#assertKnown(version);
    if (version === this.version) return this.#state;
    return applyPatches(this.#base.state, this.#history.slice(0, version - this.#base.version), this.#lattices);
  }

  /** Goes back to a version and forgets the patches after it. Returns those, newest last. */
  rollback(version: number): readonly TrackedPatch[] {
    this.#state = this.replayTo(version);
    return this.#history.splice(version - this.#base.version);
  }

  /** Makes a version the new base and forgets the patches before it. Versions keep their numbers. */
  prune(version: number): void {
    const state = this.replayTo(version);
    this.#history = this.#history.slice(version - this.#base.version);
    this.#base = { version, state };
  }

  #assertKnown(version: number): void {
    if (Number.isSafeInteger(version) && version >= this.oldestVersion && version <= this.version) return;
    throw invalidOperation(`there is no version ${version}; known are ${this.oldestVersion} to ${this.version}`);
  }
}
