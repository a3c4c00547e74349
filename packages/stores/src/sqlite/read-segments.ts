import { escapeText, unescapeText } from "../codec/escape-text.ts";
import type { StoredText } from "../codec/stored-text.ts";
import type { SegmentWithMessages } from "../shell/row-reader.ts";
import type { Connection } from "./connection.ts";
import { CHANGESET_RUN, selectMessagesOf } from "./select-changesets.ts";

interface SegmentColumns extends StoredText {
  readonly thread_id: string;
  readonly thread_key: number;
  readonly epoch: number;
  readonly first_seq: number;
  readonly first_position: number;
  readonly messages: number;
  readonly changeset_run: string | null;
}

/** The segments of a run that hold events after a `seq`, with the messages their deltas point at. */
export function readSegments(
  connection: Connection,
  tenant: string,
  runId: string,
  afterSeq: number,
  limit: number | undefined,
): readonly SegmentWithMessages[] {
  const rows = connection.all<SegmentColumns>(
    `select segments.*, threads.thread_id, changesets.first_position, changesets.messages, ${CHANGESET_RUN} as changeset_run
     from runs
     join segments on segments.run_key = runs.key
     join threads on threads.key = segments.thread_key
     join changesets on changesets.thread_key = segments.thread_key and changesets.version = segments.version
     where runs.tenant = :tenant and runs.run_id = :run_id and segments.last_seq > :after
     order by segments.last_seq limit :limit`,
    // A negative limit is none.
    { tenant, run_id: escapeText(runId), after: afterSeq, limit: limit ?? -1 },
  );
  return rows.map((row) => ({
    thread_id: row.thread_id,
    segment: { run_id: runId, epoch: row.epoch, first_seq: row.first_seq, text: row },
    messages: selectMessagesOf(connection, row.thread_key, {
      first_position: row.first_position,
      messages: row.messages,
      run_id: row.changeset_run === null ? null : unescapeText(row.changeset_run),
    }),
  }));
}
