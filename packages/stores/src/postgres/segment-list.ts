import { escapeText, unescapeText } from "../codec/escape-text.ts";
import type { SealedSegment } from "../codec/sealed-changeset.ts";

/** Where a segment of a changeset is. */
export interface SegmentPlace {
  readonly run_id: string;
  readonly last_seq: number;
}

/** Which segments a changeset has, in their order, for a column of it: nearly always one, of the changeset's own run. */
export function toSegmentList(segments: readonly SealedSegment[], runId: string | null): string | null {
  if (segments.length === 0) return null;
  return JSON.stringify(segments.map(({ run_id, last_seq }) => (run_id === runId ? last_seq : [run_id, last_seq])));
}

/** Run ids come back as they are in their column. */
export function fromSegmentList(list: string | null, runId: string | null): readonly SegmentPlace[] {
  if (list === null) return [];
  // Written by `toSegmentList`.
  const parsed = JSON.parse(list) as (number | [string, number])[];
  return parsed.map((item) => {
    const [run_id, last_seq] = typeof item === "number" ? [runId ?? "", item] : item;
    return { run_id: escapeText(typeof item === "number" ? unescapeText(run_id) : run_id), last_seq };
  });
}
