import { RepriseError } from "@reprise/contracts";
import { parseJson } from "@reprise/state";
import { checksumOf } from "../codec/checksum.ts";
import { STORED_FORMAT } from "../codec/stored-text.ts";
import type { SealedChangeset } from "../kernel/sealed-changeset.ts";

/** Whose message it is. A subject may hold only hashes of these. */
interface MessageOrigin {
  readonly tenant: string;
  readonly thread_id: string;
  /** Of the claim under which it was written. */
  readonly epoch: number;
}

/** A fence: from here on a thread belongs to another process. Earlier writers can no longer write. */
export interface FenceMessage extends MessageOrigin {
  readonly kind: "fence";
}

/** A commit that waits for its place in the database. */
export interface CommitMessage extends MessageOrigin {
  readonly kind: "commit";
  /** The version it makes. */
  readonly version: number;
  readonly changeset: SealedChangeset;
}

/** A commit of which only the version can be read. */
export interface DamagedMessage {
  readonly kind: "damaged";
  readonly version: number;
}

/** A message as bytes: a line with the format of the texts in it, a checksum and the version it makes, then JSON. */
export function encodeMessage(message: FenceMessage | CommitMessage): Uint8Array {
  const body = JSON.stringify(message);
  const version = message.kind === "commit" ? message.version : 0;
  return Buffer.from(`${STORED_FORMAT} ${checksumOf(body)} ${version}\n${body}`, "utf8");
}

/** Throws `FORMAT_TOO_NEW` for what a newer version wrote. */
export function decodeMessage(bytes: Uint8Array): FenceMessage | CommitMessage | DamagedMessage {
  const text = Buffer.from(bytes).toString("utf8");
  const end = text.indexOf("\n");
  const [format = 0, checksum, version = 0] = text.slice(0, end).split(" ").map(Number);
  if (format > STORED_FORMAT) {
    const message = `Cannot read a buffered commit: its format ${format} is newer than ${STORED_FORMAT}.`;
    throw new RepriseError("FORMAT_TOO_NEW", message, { details: { format, supported: STORED_FORMAT } });
  }
  const body = text.slice(end + 1);
  if (format !== STORED_FORMAT || checksumOf(body) !== checksum) {
    return { kind: "damaged", version: Number.isSafeInteger(version) ? version : 0 };
  }
  const message: unknown = parseJson(body);
  // Written by `encodeMessage`, as the checksum says.
  return message as FenceMessage | CommitMessage;
}

/** Whether JSON gives back what it is given: there are numbers it has no word for. */
export function survivesJson(value: unknown): boolean {
  if (typeof value === "number") return Number.isFinite(value) && !Object.is(value, -0);
  if (typeof value !== "object" || value === null) return typeof value !== "bigint";
  return Object.values(value).every(survivesJson);
}
