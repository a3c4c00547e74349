import { RepriseError } from "@reprise/contracts";
import { checksumOf } from "./checksum.ts";

/** The format this version writes. It reads older ones and refuses newer ones. */
export const STORED_FORMAT = 1;

/** What kinds of text there are. */
export type TextKind =
  | "message"
  | "segment"
  | "changeset"
  | "patches"
  | "run"
  | "call"
  | "decision"
  | "entry"
  | "snapshot"
  | "metadata";

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

/** The text of a row in today's format. Throws `CORRUPT_DATA` for one that is damaged or from a newer version. */
export function readText(
  kind: TextKind,
  { format, checksum, body }: StoredText,
  upcasters: typeof UPCASTERS = UPCASTERS,
): string {
  if (format > STORED_FORMAT) {
    const message = `Cannot read a stored ${kind}: its format ${format} is newer than ${STORED_FORMAT}.`;
    throw new RepriseError("CORRUPT_DATA", message, { details: { kind, format, supported: STORED_FORMAT } });
  }
  if (checksumOf(body) !== checksum) throw damaged(kind);
  let text = body;
  for (let from = format; from < STORED_FORMAT; from += 1) text = upcasters[kind]?.[from]?.(text) ?? text;
  return text;
}

/** Parses a text that was read. One that is not JSON got past its checksum, which is damage all the same. */
export function parseText(kind: TextKind, text: string): unknown {
  try {
    return JSON.parse(text);
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
