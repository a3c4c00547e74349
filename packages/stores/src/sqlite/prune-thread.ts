import { escapeText } from "../codec/escape-text.ts";
import { PRUNED } from "../codec/stored-text.ts";
import type { WritePlace } from "./write-place.ts";

/** Segments are filed under their runs. */
const SEGMENTS = `delete from segments where version <= :up_to
  and run_key in (select key from runs where thread_key = :key)`;

const CHANGESETS = `update changesets set first_segment = null, segments = 0,
    format = :format, checksum = :checksum, body = :body, patches_checksum = :checksum, patches = :body
  where thread_key = :key and version <= :up_to and format <> :format`;

/** Forgets how a thread came to a version. */
export function pruneHistory({ connection, threadKey: key }: WritePlace, { up_to }: { readonly up_to: number }): void {
  connection.run(SEGMENTS, { key, up_to });
  connection.run(CHANGESETS, { key, up_to, ...PRUNED });
  connection.run("delete from snapshots where thread_key = :key and version < :up_to", { key, up_to });
}

export function forgetEntries(
  { connection, tenant }: WritePlace,
  { entry_ids }: { readonly entry_ids: readonly string[] },
): void {
  const sql = "delete from entries where tenant = :tenant and entry_id = :entry_id";
  for (const id of entry_ids) connection.run(sql, { tenant, entry_id: escapeText(id) });
}
