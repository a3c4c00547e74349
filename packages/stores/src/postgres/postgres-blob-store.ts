import { createHash } from "node:crypto";
import { assertId, type BlobInfo, type BlobStore, notFound } from "@reprise/contracts";
import { optionalProperty, optionalText } from "../codec/columns/column-values.ts";
import { NOW } from "./demand-statements.ts";
import { storedId } from "./hostile-values.ts";
import type { Ask } from "./select-changesets.ts";
import { rowsOf } from "./session.ts";
import { prepared } from "./statement.ts";

interface BlobColumns {
  readonly media_type: string | null;
  readonly bytes: number;
}

const INSERT = prepared(
  `insert into blobs (tenant, ref, media_type, created_at, content) values ($1, $2, $3, ${NOW}, $4)
   on conflict (tenant, ref) do nothing`,
);
const SELECT_INFO = prepared(
  "select media_type, octet_length(content) as bytes from blobs where tenant = $1 and ref = $2",
);
const SELECT_CONTENT = prepared("select media_type, content from blobs where tenant = $1 and ref = $2");
const DELETE = prepared("delete from blobs where tenant = $1 and ref = $2");

/** Blobs beside the threads, in the same database: one thing to back up, one durability. */
export function createPostgresBlobStore(ask: Ask): BlobStore {
  return {
    async put(tenant, content, { media_type } = {}) {
      assertId("tenant", tenant);
      const ref = `blob:${createHash("sha256").update(content).digest("hex")}`;
      // The first one's media type counts, whoever put it.
      const results = await ask([
        INSERT(tenant, ref, optionalText(media_type), Buffer.from(content)),
        SELECT_INFO(tenant, ref),
      ]);
      const [found] = rowsOf<BlobColumns>(results, 1);
      return toInfo(ref, found ?? { media_type: optionalText(media_type), bytes: content.byteLength });
    },
    async get(tenant, ref) {
      const results = await ask([SELECT_CONTENT(storedId(tenant), storedId(ref))]);
      const [found] = rowsOf<{ readonly media_type: string | null; readonly content: Uint8Array }>(results);
      if (found === undefined) throw notFound("BLOB_NOT_FOUND", "blob", ref);
      return { info: toInfo(ref, { ...found, bytes: found.content.byteLength }), content: found.content };
    },
    async delete(tenant, ref) {
      await ask([DELETE(storedId(tenant), storedId(ref))]);
    },
  };
}

function toInfo(ref: string, { media_type, bytes }: BlobColumns): BlobInfo {
  return { ref, bytes, ...optionalProperty("media_type", media_type) };
}
