import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Place } from "./worker/place.ts";

/** Makes a place for a store that nobody has used. */
export type MakePlace = () => Place;

/** The kinds of stores that are measured. */
export interface Places {
  readonly Postgres: MakePlace;
  readonly SQLite: MakePlace;
  /** Takes the files away. */
  remove(): void;
}

export function createPlaces(url: string): Places {
  const folder = mkdtempSync(join(tmpdir(), "reprise-bench-scale-"));
  let made = 0;
  return {
    Postgres: () => ({ kind: "postgres", url, schema: `scale_${++made}` }),
    SQLite: () => ({ kind: "sqlite", file: join(folder, `scale-${++made}.db`) }),
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}

/** The kinds of stores, each under its name. */
export function kindsOf(places: Places): readonly (readonly [string, MakePlace])[] {
  return [
    ["Postgres", places.Postgres],
    ["SQLite", places.SQLite],
  ];
}
