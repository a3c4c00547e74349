import { formatPath } from "./format-path.ts";
import type { JsonTypeName } from "./json.ts";
import type { Path } from "./path.ts";

/** Every error of the state engine, and when it occurs. Callers branch on the code. */
export const STATE_ERRORS = {
  PATH_NOT_FOUND: "An operation needs a value that is not in the document.",
  INDEX_OUT_OF_BOUNDS: "An array index lies beyond the array.",
  TYPE_MISMATCH: "A value has another type than the operation or lattice needs.",
  NUMERIC_OPERATION_ON_NON_NUMBER: "`increment` or `decrement` meets a value that is not a number.",
  MERGE_REQUIRES_OBJECT: "`merge_object` meets a target, or brings a value, that is not an object.",
  APPEND_REQUIRES_ARRAY: "`append` meets a target that is not an array.",
  INVALID_OPERATION: "An operation, path, number or definition breaks a rule of the engine.",
  SERIALIZATION: "A value cannot be written as JSON, or untrusted input has the wrong shape.",
} as const;

export type StateErrorCode = keyof typeof STATE_ERRORS;

/** The code and the text of an error. `{at}` stands for the path. */
interface Description {
  readonly code: StateErrorCode;
  readonly template: string;
  readonly path?: Path | undefined;
  readonly details?: Readonly<Record<string, unknown>>;
  readonly cause?: unknown;
}

/** The one error of the state engine. */
export class StateError extends Error {
  override readonly name = "StateError";
  readonly code: StateErrorCode;
  /** Where in the document, when the error has a path. */
  readonly path: Path | undefined;
  readonly details: Readonly<Record<string, unknown>>;
  readonly #template: string;

  constructor({ code, template, path, details = {}, cause }: Description) {
    super(
      template.replace("{at}", () => formatPath(path ?? [])),
      cause === undefined ? undefined : { cause },
    );
    this.code = code;
    this.path = path;
    this.details = details;
    this.#template = template;
  }

  /** The same error as seen from further out: the prefix leads its path. */
  withPrefix(prefix: Path): StateError {
    const path = [...prefix, ...(this.path ?? [])];
    const template = this.path === undefined ? `${this.#template.replace(/\.$/, "")} (at {at}).` : this.#template;
    return new StateError({ code: this.code, template, path, details: this.details, cause: this.cause });
  }

  /** The same error, saying which operation of a patch it belongs to. */
  inOperation(position: number): StateError {
    const details = { ...this.details, operation: position };
    const template = `ops[${position}]: ${this.#template}`;
    return new StateError({ code: this.code, template, path: this.path, details, cause: this.cause });
  }

  /** Checks by name, not by class, so that two copies of the package agree. */
  static is(value: unknown, code?: StateErrorCode): value is StateError {
    if (!(value instanceof Error) || value.name !== "StateError" || !("code" in value)) return false;
    return code === undefined || value.code === code;
  }
}

export function pathNotFound(path: Path): StateError {
  return new StateError({ code: "PATH_NOT_FOUND", template: "Path not found: {at}.", path });
}

export function indexOutOfBounds(path: Path, index: number, length: number): StateError {
  const template = `Index ${index} is out of bounds at {at}: the array has ${length} items.`;
  return new StateError({ code: "INDEX_OUT_OF_BOUNDS", template, path, details: { index, length } });
}

export function typeMismatch(path: Path, expected: string, found: JsonTypeName): StateError {
  const template = `Type mismatch at {at}: expected ${expected}, found ${found}.`;
  return new StateError({ code: "TYPE_MISMATCH", template, path, details: { expected, found } });
}

export function numericOnNonNumber(path: Path, found: JsonTypeName): StateError {
  const template = `Cannot add to {at}: it is ${found}, not a number.`;
  return new StateError({ code: "NUMERIC_OPERATION_ON_NON_NUMBER", template, path, details: { found } });
}

export function mergeRequiresObject(path: Path, found: JsonTypeName, side: "target" | "value"): StateError {
  const subject = side === "target" ? "the target" : "the value to merge";
  const template = `Cannot merge at {at}: ${subject} is ${found}, not an object.`;
  return new StateError({ code: "MERGE_REQUIRES_OBJECT", template, path, details: { found, side } });
}

export function appendRequiresArray(path: Path, found: JsonTypeName): StateError {
  const template = `Cannot append to {at}: it is ${found}, not an array.`;
  return new StateError({ code: "APPEND_REQUIRES_ARRAY", template, path, details: { found } });
}

export function invalidOperation(reason: string, path?: Path): StateError {
  return new StateError({ code: "INVALID_OPERATION", template: withPath("Invalid operation", reason, path), path });
}

export function serialization(reason: string, path?: Path, cause?: unknown): StateError {
  return new StateError({
    code: "SERIALIZATION",
    template: withPath("Not valid JSON data", reason, path),
    path,
    cause,
  });
}

function withPath(what: string, reason: string, path: Path | undefined): string {
  return path === undefined ? `${what}: ${reason}.` : `${what} at {at}: ${reason}.`;
}
