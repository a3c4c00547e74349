import type { Runtime } from "@reprise/runtime";
import type { Json, JsonObject } from "@reprise/state";

/** Something an assistant can ask about a store. */
export interface InspectionTool {
  readonly name: string;
  readonly description: string;
  /** The properties of its arguments, as JSON Schema. */
  readonly properties: Readonly<Record<string, JsonObject>>;
  readonly required: readonly string[];
  /** Changes something. Only offered when that was allowed. */
  readonly decides?: true;
  /** A text, or a value that is given as JSON. */
  answer(runtime: Runtime, given: JsonObject): Promise<string | JsonObject>;
}

/** The arguments of a call, checked one by one. */
export class Given {
  readonly #values: JsonObject;

  constructor(values: JsonObject) {
    this.#values = values;
  }

  text(name: string): string {
    const value = this.optionalText(name);
    if (value === undefined) throw new ArgumentProblem(`${name} must be a non-empty string.`);
    return value;
  }

  optionalText(name: string): string | undefined {
    const value = this.#values[name];
    if (value === undefined) return undefined;
    if (typeof value !== "string" || value === "") throw new ArgumentProblem(`${name} must be a non-empty string.`);
    return value;
  }

  /** A whole number from `least` to `most`. */
  optionalCount(name: string, { least = 1, most = Number.MAX_SAFE_INTEGER }: Bounds = {}): number | undefined {
    const value = this.#values[name];
    if (value === undefined) return undefined;
    if (typeof value !== "number" || !Number.isSafeInteger(value) || value < least || value > most)
      throw new ArgumentProblem(`${name} must be a whole number from ${least} to ${most}.`);
    return value;
  }

  optionalWord<Word extends string>(name: string, words: readonly Word[]): Word | undefined {
    const value = this.#values[name];
    if (value === undefined) return undefined;
    const found = words.find((word) => word === value);
    if (found === undefined) throw new ArgumentProblem(`${name} must be one of ${words.join(", ")}.`);
    return found;
  }

  json(name: string): Json {
    const value = this.#values[name];
    if (value === undefined) throw new ArgumentProblem(`${name} must be given.`);
    return value;
  }
}

interface Bounds {
  readonly least?: number;
  readonly most?: number;
}

/** Arguments that a tool cannot work with. The assistant reads the message and calls again. */
export class ArgumentProblem extends Error {
  override readonly name = "ArgumentProblem";
}
