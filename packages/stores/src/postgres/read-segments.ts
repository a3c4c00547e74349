import { escapeText, unescapeText } from "../codec/escape-text.ts";
import type { StoredText } from "../codec/stored-text.ts";
import type { SegmentWithMessages } from "../shell/row-reader.ts";
import { floorBound } from "./hostile-values.ts";
import { eachOf } from "./owners.ts";
import { type Ask, CHANGESET_RUN, MESSAGES_OF_CHANGESET, type MessageColumns, toMessage } from "./select-changesets.ts";
import { rowsOf } from "./session.ts";
import { prepared } from "./statement.ts";

interface SegmentColumns extends StoredText {
  readonly thread_id: string;
  readonly last_seq: number;
  readonly first_seq: number;
  readonly epoch: number;
}

interface MessageOfSegment extends MessageColumns {
  readonly last_seq: number;
  readonly changeset_run: string | null;
}

/** Under another name: the run of a changeset may be another one. */
const OF_RUN = `runs as read ${eachOf(
  "segments",
  `segments.run_key = read.key and segments.last_seq > $3::bigint
  order by segments.last_seq limit $4::bigint`,
)}`;

const SELECT_SEGMENTS = prepared(
  `select threads.thread_id, segments.last_seq, segments.first_seq, segments.epoch,
     segments.format, segments.checksum, segments.body
   from ${OF_RUN} join threads on threads.key = read.thread_key
   where read.tenant = $1 and read.run_id = $2 order by segments.last_seq`,
);

const SELECT_MESSAGES = prepared(
  `select segments.last_seq, ${CHANGESET_RUN} as changeset_run,
     messages.id, messages.position, messages.format, messages.checksum, messages.body
   from ${OF_RUN}
   ${eachOf("changesets", "changesets.thread_key = read.thread_key and changesets.version = segments.version")}
   ${eachOf("messages", MESSAGES_OF_CHANGESET)}
   where read.tenant = $1 and read.run_id = $2 order by segments.last_seq, messages.position`,
);

/** The segments of a run that hold events after a `seq`, with the messages their deltas point at. */
export async function readSegments(
  ask: Ask,
  tenant: string,
  runId: string,
  afterSeq: number,
  limit: number | undefined,
): Promise<readonly SegmentWithMessages[]> {
  const range = [tenant, escapeText(runId), floorBound(afterSeq), limit ?? null] as const;
  // The messages second: of a commit that comes in between, they are too many rather than missing.
  const results = await ask([SELECT_SEGMENTS(...range), SELECT_MESSAGES(...range)]);
  const messages = Map.groupBy(rowsOf<MessageOfSegment>(results, 1), ({ last_seq }) => last_seq);
  return rowsOf<SegmentColumns>(results, 0).map((row) => ({
    thread_id: row.thread_id,
    segment: { run_id: runId, epoch: row.epoch, first_seq: row.first_seq, text: row },
    messages: (messages.get(row.last_seq) ?? []).map((message) =>
      toMessage(message, message.changeset_run === null ? null : unescapeText(message.changeset_run)),
    ),
  }));
}
