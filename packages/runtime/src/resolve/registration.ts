import { type ErrorCode, RepriseError } from "@reprise/contracts";
import { createMapRegistry, type Registry } from "./registry.ts";

/** Something that could not be registered. */
export interface BuildProblem {
  readonly code: ErrorCode;
  readonly message: string;
  /** Which registry it was for: `agents`, `tools`, … */
  readonly registry: string;
  /** Absent when what was given does not even have an id. */
  readonly id?: string;
}

/** One registry while it is being filled. Takes note of what is wrong instead of throwing. */
export class Registration<Value extends object> {
  readonly #registry: string;
  readonly #problems: BuildProblem[];
  readonly #values = new Map<string, Value>();

  constructor(registry: string, problems: BuildProblem[]) {
    this.#registry = registry;
    this.#problems = problems;
  }

  /** Adds a value. The same value again changes nothing; another under a taken id is a problem. */
  add(id: string, value: Value): void {
    const other = this.#values.get(id);
    if (other === undefined) this.#values.set(id, value);
    else if (other !== value) {
      this.note("REGISTRY_CONFLICT", `Two ${this.#registry} have the id ${JSON.stringify(id)}.`, id);
    }
  }

  note(code: ErrorCode, message: string, id?: string): void {
    this.#problems.push({ code, message, registry: this.#registry, ...(id !== undefined && { id }) });
  }

  /** Makes a value of what was given, or takes note of why that cannot be. */
  attempt(given: unknown, read: () => readonly [id: string, value: Value]): void {
    try {
      this.add(...read());
    } catch (error) {
      if (!RepriseError.is(error)) throw error;
      const id = typeof given === "object" && given !== null && "id" in given ? given.id : undefined;
      this.note(error.code, error.message, typeof id === "string" ? id : undefined);
    }
  }

  build(): Registry<Value> {
    return createMapRegistry(this.#values);
  }
}
