import { createHash } from "node:crypto";
import type { DocumentKey } from "../../shell/document-rows.ts";

/**
 * Names of files say nothing: an id may be a path, a device of Windows, the same as another but for its case, or longer than a
 * name may be. A hash is none of that, on any file system. What it stands for is in the file's first line.
 */
export function logName(tenant: string, threadId: string): string {
  return `${hashOf(JSON.stringify([tenant, threadId]))}.jsonl`;
}

export function isLogName(name: string): boolean {
  return /^[0-9a-f]{64}\.jsonl$/.test(name);
}

/** The file of a document. */
export function documentName({ tenant, kind, id }: DocumentKey): string {
  return `${hashOf(JSON.stringify([tenant, kind, id]))}.json`;
}

export function isDocumentName(name: string): boolean {
  return /^[0-9a-f]{64}\.json$/.test(name);
}

/** The folder of a tenant's blobs. */
export function tenantFolder(tenant: string): string {
  return hashOf(tenant);
}

function hashOf(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}
