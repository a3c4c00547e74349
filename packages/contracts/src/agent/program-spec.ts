import type { JsonObject } from "@reprise/state";

/** What an agent does instead of asking a model: the program of this kind runs the definition. */
export interface ProgramSpec {
  readonly kind: string;
  readonly definition: JsonObject;
}
