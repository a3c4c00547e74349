import type { Recorded } from "./stage.ts";

/** A run to be recorded. */
export interface Scene {
  readonly name: string;
  readonly about: string;
  readonly record: () => Promise<Recorded>;
}
