import { parseJson } from "@reprise/state";
import { checksumOf } from "../../codec/checksum.ts";
import type { StoredText } from "../../codec/stored-text.ts";
import { damaged } from "../../codec/stored-text.ts";
import type { DocumentRow } from "../../shell/document-rows.ts";
import type { DocumentHead } from "../../tables/document-index.ts";
import { decodeLine, encodeLine } from "../log/log-line.ts";

/** What is in a file: as in a log, rows and text have a checksum each. */
interface FileHead extends DocumentHead {
  /** The format of the text. */
  readonly format: number;
}

export function encodeDocument({ text, ...head }: DocumentRow): Buffer {
  const { tenant, kind, id, revision, updated_at, expires_at } = head;
  const rows: FileHead = { tenant, kind, id, revision, updated_at, expires_at, format: text.format };
  return encodeLine(JSON.stringify(rows), JSON.stringify(text.body), 0);
}

/** A document as its file has it; undefined when the file does not say whose it is. */
export interface DecodedDocument {
  readonly head: DocumentHead;
  /** Throws `CORRUPT_DATA` when it is damaged. */
  readText(): StoredText;
}

export function decodeDocument(bytes: Buffer): DecodedDocument | undefined {
  const line = decodeLine(bytes);
  if (line === undefined) return undefined;
  // Written by `encodeDocument`, and the checksum fits.
  const { format, ...head } = line.rows as FileHead;
  return {
    head,
    readText() {
      if (!line.isContentSound) throw damaged("document");
      const body = String(parseJson(line.content.toString("utf8")));
      return { format, checksum: checksumOf(body), body };
    },
  };
}
