import { isArray, isObject, type Json, type JsonObject, ownValue, typeName } from "../document/json.ts";
import { assertPath, assertSegment, MAX_DEPTH, type Path } from "../document/path.ts";
import { indexOutOfBounds, invalidOperation, pathNotFound, typeMismatch } from "../document/state-error.ts";
import { copyObject } from "./copy-object.ts";

/** A container this draft has copied, and may therefore change in place. */
export type OwnedArray = Json[];
export type OwnedObject = Record<string, Json>;

/**
 * A document on its way from one version to the next.
 *
 * Law: a node is copied the first time it is changed and changed in place afterwards; an unchanged node keeps its
 * identity; the input is never written to. When an operation throws, the draft is dropped and the input is all there is.
 */
export class Draft {
  root: Json;
  /** The nodes that were copied so far. Absent for a single operation, which meets no node twice. */
  readonly #owned: Set<object> | undefined;

  constructor(document: Json, keepsOwnership: boolean) {
    this.root = document;
    this.#owned = keepsOwnership ? new Set() : undefined;
  }

  /** Whether a container was made by this draft. */
  owns(container: object): boolean {
    return this.#owned?.has(container) ?? false;
  }

  /** Registers a container just made for this draft. */
  adopt<Container extends object>(container: Container): Container {
    this.#owned?.add(container);
    return container;
  }

  ownArray(array: readonly Json[]): OwnedArray {
    // What this draft owns it made itself, so it is mutable whatever the reader's type says.
    return this.owns(array) ? (array as OwnedArray) : this.adopt(array.slice());
  }

  ownObject(object: JsonObject): OwnedObject {
    return this.owns(object) ? (object as OwnedObject) : this.adopt(copyObject(object));
  }

  /** Reads the value at a path without copying anything; undefined when there is none. */
  read(path: Path): Json | undefined {
    assertDepth(path);
    let value: Json | undefined = this.root;
    for (const segment of path) {
      assertSegment(segment, path);
      if (value === undefined) continue; // the rest of the path is still checked
      if (typeof segment === "number") value = isArray(value) ? value[segment] : undefined;
      else value = isObject(value) ? ownValue(value, segment) : undefined;
    }
    return value;
  }

  /**
   * Puts a value at a path. Keys make the objects they need on the way, whatever stood there before;
   * indexes only enter arrays that have them.
   */
  write(path: Path, value: Json): void {
    if (path.length === 0) this.root = value;
    else put(this.#openParent(path), path[path.length - 1] as string | number, value);
  }

  /** The same for a value made from what stands there, in one walk. */
  update(path: Path, change: (current: Json | undefined) => Json): void {
    if (path.length === 0) {
      this.root = change(this.root);
      return;
    }
    const parent = this.#openParent(path);
    const segment = path[path.length - 1] as string | number;
    put(parent, segment, change(childOf(parent, segment)));
  }

  /** The same for a value that must be there: throws `PATH_NOT_FOUND` when it is not. */
  replace(path: Path, change: (current: Json) => Json): void {
    const last = path.length - 1;
    if (last < 0) {
      this.root = change(this.root);
      return;
    }
    assertPath(path);
    let container = this.#enterExisting(this.root, path, 0);
    this.root = container;
    for (let position = 0; position < last; position++) {
      const segment = path[position] as string | number;
      const child = childOf(container, segment) as Json;
      const next = this.#enterExisting(child, path, position + 1);
      if (next !== child) put(container, segment, next);
      container = next;
    }
    const segment = path[last] as string | number;
    put(container, segment, change(childOf(container, segment) as Json));
  }

  /** Owns everything on the way to a path and returns what its last segment is written into. */
  #openParent(path: Path): OwnedArray | OwnedObject {
    assertDepth(path);
    let container = this.#enter(this.root, path, 0);
    this.root = container;
    for (let position = 0; position < path.length - 1; position++) {
      const segment = path[position] as string | number;
      const child: Json | undefined = childOf(container, segment);
      const next = this.#enter(child, path, position + 1);
      if (next !== child) put(container, segment, next);
      container = next;
    }
    return container;
  }

  /** Gives an owned container that has something at the segment at `position`. */
  #enterExisting(value: Json, path: Path, position: number): OwnedArray | OwnedObject {
    const segment = path[position] as string | number;
    if (typeof segment === "number") {
      if (isArray(value) && segment < value.length) return this.ownArray(value);
    } else if (isObject(value) && Object.hasOwn(value, segment)) return this.ownObject(value);
    throw pathNotFound(path);
  }

  /** Gives an owned container that the segment at `position` can be written into. */
  #enter(value: Json | undefined, path: Path, position: number): OwnedArray | OwnedObject {
    const segment = path[position] as string | number;
    assertSegment(segment, path);
    if (typeof segment === "string") return isObject(value) ? this.ownObject(value) : this.adopt<OwnedObject>({});
    if (!isArray(value)) throw typeMismatch(path.slice(0, position), "array", typeName(value));
    if (segment >= value.length) throw indexOutOfBounds(path.slice(0, position), segment, value.length);
    return this.ownArray(value);
  }
}

function childOf(container: OwnedArray | OwnedObject, segment: string | number): Json | undefined {
  return typeof segment === "number" ? (container as OwnedArray)[segment] : ownValue(container as OwnedObject, segment);
}

function put(container: OwnedArray | OwnedObject, segment: string | number, value: Json): void {
  // `#enter` made the container fit its segment and refused `__proto__`, so this is an ordinary own write.
  (container as Record<string | number, Json>)[segment] = value;
}

function assertDepth(path: Path): void {
  if (path.length > MAX_DEPTH) {
    throw invalidOperation(`a path has at most ${MAX_DEPTH} segments, this one has ${path.length}`);
  }
}
