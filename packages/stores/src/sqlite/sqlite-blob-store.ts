import { createHash } from "node:crypto";
import { assertId, type BlobInfo, type BlobStore, notFound } from "@reprise/contracts";
import { optionalProperty, optionalText } from "../codec/columns/column-values.ts";
import type { Connection } from "./connection.ts";
import type { WriterTask } from "./writer-task.ts";

/** What blobs in the store's file need of it. */
export interface BlobPorts {
  readonly connection: Connection;
  now(): number;
  write(task: WriterTask): Promise<unknown>;
}

interface BlobColumns {
  readonly media_type: string | null;
  readonly bytes: number;
}

/** Blobs beside the threads, in the same file: one file to copy, one durability. */
export function createSqliteBlobStore({ connection, now, write }: BlobPorts): BlobStore {
  const find = (tenant: string, ref: string): BlobInfo | undefined => {
    const found = connection.get<BlobColumns>(
      "select media_type, length(content) as bytes from blobs where tenant = :tenant and ref = :ref",
      { tenant, ref },
    );
    if (found === undefined) return undefined;
    return { ref, bytes: found.bytes, ...optionalProperty("media_type", found.media_type) };
  };
  return {
    async put(tenant, content, { media_type } = {}) {
      assertId("tenant", tenant);
      const ref = `blob:${createHash("sha256").update(content).digest("hex")}`;
      await write({ task: "put_blob", now: now(), tenant, ref, media_type: optionalText(media_type), content });
      // The first one's media type counts, whoever put it.
      return find(tenant, ref) ?? { ref, bytes: content.byteLength };
    },
    async get(tenant, ref) {
      const info = find(tenant, ref);
      const row = connection.get<{ readonly content: Uint8Array }>(
        "select content from blobs where tenant = :tenant and ref = :ref",
        { tenant, ref },
      );
      if (info === undefined || row === undefined) throw notFound("BLOB_NOT_FOUND", "blob", ref);
      return { info, content: row.content };
    },
    async delete(tenant, ref) {
      await write({ task: "delete_blob", tenant, ref });
    },
  };
}
