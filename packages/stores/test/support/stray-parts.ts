import { DatabaseSync } from "node:sqlite";

/** Uploads, and parts that are of no blob, in either database. */
export const COUNT_STRAY = `select (select count(*) from blob_uploads) + (select count(*) from blob_parts
  where not exists (select from_blobs.upload from blobs as from_blobs where from_blobs.upload = blob_parts.upload)) as stray`;

/** The same, of a SQLite file. */
export function countStrayIn(file: string): number {
  const database = new DatabaseSync(file, { readOnly: true });
  try {
    return Number(database.prepare(COUNT_STRAY).get()?.stray);
  } finally {
    database.close();
  }
}

/** How many blobs of a SQLite file have their bytes in an object store. */
export function countObjectsIn(file: string): number {
  const database = new DatabaseSync(file, { readOnly: true });
  try {
    return Number(database.prepare("select count(*) as found from blobs where upload like 'object:%'").get()?.found);
  } finally {
    database.close();
  }
}
