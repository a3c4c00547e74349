import { createHash } from "node:crypto";
import { invalidRequest } from "@reprise/contracts";

/** Ids of more bytes than this are in a subject by their hash: a subject is a line of the protocol, and lines are short. */
const MAX_PLAIN_BYTES = 48;

const PREFIX = /^[A-Za-z0-9_-]{1,40}(\.[A-Za-z0-9_-]{1,40}){0,4}$/;

/** Where a thread's commits wait. Whatever is in the ids, they are one token each and mean nothing to NATS. */
export function subjectOf(prefix: string, tenant: string, threadId: string): string {
  return `${prefix}.${tokenOf(tenant)}.${tokenOf(threadId)}`;
}

/** A name that needs no encoding. */
export function assertPrefix(prefix: string): void {
  if (PREFIX.test(prefix)) return;
  throw invalidRequest(
    `Cannot use the prefix ${JSON.stringify(prefix.slice(0, 80))}: tokens of A-Z, a-z, 0-9, _ and -.`,
  );
}

/** The first letter tells an id from a hash, so that no id can pass for another's hash. */
function tokenOf(id: string): string {
  const bytes = Buffer.from(id, "utf8");
  if (bytes.length <= MAX_PLAIN_BYTES) return `i${bytes.toString("base64url")}`;
  return `h${createHash("sha256").update(bytes).digest("base64url")}`;
}
