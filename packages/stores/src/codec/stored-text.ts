import { RepriseError } from "@reprise/contracts";
import { parseJson } from "@reprise/state";
import { checksumOf } from "./checksum.ts";

/** The format this version writes. It reads older ones and refuses newer ones. */
export const STORED_FORMAT = 1;

/** What kinds of text there are. */
export type TextKind =
  | "commit"
  | "messages"
  | "calls"
  | "patches"
  | "events"
  | "rest"
  | "run"
  | "decision"
  | "entry"
  | "snapshot"
  | "metadata"
  | "document";

/** A sealed text as it lies in its row. */
export interface StoredText {
  readonly format: number;
  readonly checksum: number;
  readonly body: string;
}

/** Turns a text of one format into one of the next. */
export type Upcaster = (body: string) => string;

/** By kind and the format it starts from. A kind without an entry did not change between two formats. */
export const UPCASTERS: Readonly<Partial<Record<TextKind, Readonly<Record<number, Upcaster>>>>> = {};

export function storeText(body: string): StoredText {
  return { format: STORED_FORMAT, checksum: checksumOf(body), body };
}

/** The text of a row in today's format. Throws `CORRUPT_DATA` for one that is damaged, `FORMAT_TOO_NEW` for a newer one. */
export function readText(
  kind: TextKind,
  { format, checksum, body }: StoredText,
  upcasters: typeof UPCASTERS = UPCASTERS,
): string {
  if (format > STORED_FORMAT) {
    const message = `Cannot read a stored ${kind}: its format ${format} is newer than ${STORED_FORMAT}.`;
    throw new RepriseError("FORMAT_TOO_NEW", message, { details: { kind, format, supported: STORED_FORMAT } });
  }
  // Some databases have only numbers with a sign for its 32 bits.
  if (checksumOf(body) !== checksum >>> 0) throw damaged(kind);
  let text = body;
  for (let from = format; from < STORED_FORMAT; from += 1) text = upcasters[kind]?.[from]?.(text) ?? text;
  return text;
}

/** Parses a text that was read. One that is not JSON got past its checksum, which is damage all the same. */
export function parseText(kind: TextKind, text: string): unknown {
  try {
    return parseJson(text);
  } catch (error) {
    throw damaged(kind, error);
  }
}

export function damaged(kind: TextKind, cause?: unknown): RepriseError {
  return new RepriseError("CORRUPT_DATA", `Cannot read a stored ${kind}: it is damaged.`, {
    details: { kind, damage: true },
    ...(cause === undefined ? {} : { cause }),
  });
}
