import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { makeDatabase } from "../../packages/stores/test/postgres/make-database.ts";
import type { Place } from "./worker/place.ts";

/** Makes a folder or schema for a new store. */
export type MakePlace = () => Place;

/** The kinds of stores that are measured. */
export interface Places {
  readonly Postgres: MakePlace;
  readonly SQLite: MakePlace;
  /** Makes databases on the server; then a schema in all of them for each new store. */
  severalDatabases(count: number): Promise<MakePlace>;
}

/** Files go with the process. */
export function createPlaces(url: string): Places {
  const folder = mkdtempSync(join(tmpdir(), "reprise-bench-scale-"));
  const remove = (): void => rmSync(folder, { recursive: true, force: true });
  process.once("exit", remove);
  let made = 0;
  return {
    Postgres: () => ({ kind: "postgres", url, schema: `scale_${++made}` }),
    SQLite: () => ({ kind: "sqlite", file: join(folder, `scale-${++made}.db`) }),
    async severalDatabases(count) {
      const urls: string[] = [];
      while (urls.length < count) urls.push(await makeDatabase(url));
      return () => ({ kind: "partitioned", urls, schema: `scale_${++made}` });
    },
  };
}

/** The kinds of stores, each under its name. */
export function kindsOf(places: Places): readonly (readonly [string, MakePlace])[] {
  return [
    ["Postgres", places.Postgres],
    ["SQLite", places.SQLite],
  ];
}
