import { randomUUID } from "node:crypto";
import { BLOB_PIECE_BYTES, type BlobInfo } from "@reprise/contracts";
import { optionalProperty, optionalText } from "../codec/columns/column-values.ts";
import { COLLECT_AFTER_MS } from "../shell/blob-collection.ts";
import { type BlobKey, type BlobRows, HAS_PARTS, IS_OBJECT, loosePage, UPLOAD_MS } from "../shell/blob-rows.ts";
import { IS_LOOSE, usageOf } from "./blob-tasks.ts";
import type { Connection } from "./connection.ts";
import type { BlobTask } from "./writer-task.ts";

/** What blobs in the store's file need of it. */
export interface BlobPorts {
  /** For reading. */
  readonly connection: Connection;
  now(): number;
  /** True or false, as `runBlobTask` says. */
  write(task: BlobTask): Promise<boolean>;
}

interface InfoColumns {
  readonly media_type: string | null;
  readonly bytes: number;
}

interface LooseColumns extends BlobKey {
  readonly is_loose: number;
}

interface BlobColumns extends InfoColumns {
  readonly upload: string | null;
  readonly content: Uint8Array | null;
}

/** The length of a blob is known without reading it. */
const INFO = "media_type, coalesce(bytes, length(content)) as bytes";

const DESCRIBE = `select ${INFO} from blobs where tenant = :tenant and ref = :ref`;

/** With its content, when that is short. */
const FIND = `select ${INFO}, upload,
  case when upload is null and length(content) <= ${BLOB_PIECE_BYTES} then content end as content
  from blobs where tenant = :tenant and ref = :ref`;

const LOAD_CONTENT = "select content from blobs where tenant = :tenant and ref = :ref and upload is null";

const LOAD_PART = `select start, content from blob_parts where upload = :upload and start <= :at
  order by start desc limit 1`;

const PAGE = `select tenant, ref, ${IS_LOOSE} as is_loose from blobs
  where (tenant, ref) > (:tenant, :ref) order by tenant, ref limit :limit`;

const IS_THERE_TO_REMOVE = `select upload from blob_uploads
  where until <= :now and (until > 0 or ${HAS_PARTS}) limit 1`;

const DOOMED_OBJECTS = `select upload from blob_uploads where until = 0 and ${IS_OBJECT} order by upload limit :limit`;

/** Blobs beside the threads, in the same file: one file to copy, one durability. Writes go to the writer, piece by piece. */
export function createSqliteBlobRows({ connection, now, write }: BlobPorts): BlobRows {
  const describe = (tenant: string, info: BlobInfo): BlobInfo => {
    const stored = connection.get<InfoColumns>(DESCRIBE, { tenant, ref: info.ref });
    // Another process may have deleted it at once.
    return stored === undefined ? info : toInfo(info.ref, stored);
  };
  return {
    async find(tenant, ref) {
      const found = connection.get<BlobColumns>(FIND, { tenant, ref });
      return found && { info: toInfo(ref, found), upload: found.upload, content: found.content };
    },
    async loadContent(tenant, ref) {
      return connection.get<{ readonly content: Uint8Array }>(LOAD_CONTENT, { tenant, ref })?.content;
    },
    async loadPart(upload, at) {
      return connection.get<{ readonly start: number; readonly content: Uint8Array }>(LOAD_PART, { upload, at });
    },
    async insert(tenant, info, content, quota) {
      const { ref, media_type, bytes } = info;
      const blob = { now: now(), tenant, ref, media_type: optionalText(media_type), bytes, quota: quota ?? null };
      await write({ task: "put_blob", ...blob, content });
      return describe(tenant, info);
    },
    async begin(name: string = randomUUID()) {
      const upload = { upload: name, until: now() + UPLOAD_MS };
      await write({ task: "begin_upload", ...upload });
      return upload;
    },
    addPart: (upload, start, content) => write({ task: "add_part", ...upload, start, content }),
    async finish(upload, tenant, info, quota) {
      const { media_type, ref, bytes } = info;
      const blob = { now: now(), tenant, ref, media_type: optionalText(media_type), bytes, quota: quota ?? null };
      const isDone = await write({ task: "finish_upload", ...upload, ...blob });
      return isDone ? describe(tenant, info) : undefined;
    },
    async giveUp(upload) {
      await write({ task: "give_up_upload", ...upload });
    },
    async delete(tenant, ref) {
      await write({ task: "delete_blob", tenant, ref });
    },
    async pageLoose(after, limit) {
      const before = now() - COLLECT_AFTER_MS;
      return loosePage(connection.all<LooseColumns>(PAGE, { ...after, before, limit }), limit);
    },
    collect: (key) => write({ task: "collect_blob", ...key, before: now() - COLLECT_AFTER_MS }),
    async usage(tenant) {
      return usageOf(connection, tenant);
    },
    async sweep() {
      // Mostly there is nothing, and a look is cheaper than a transaction.
      const isThere = connection.get(IS_THERE_TO_REMOVE, { now: now() }) !== undefined;
      return isThere && write({ task: "sweep_uploads", now: now() });
    },
    async listDoomedObjects(limit) {
      return connection.all<{ readonly upload: string }>(DOOMED_OBJECTS, { limit }).map(({ upload }) => upload);
    },
    async unlistObject(upload) {
      await write({ task: "unlist_object", upload });
    },
  };
}

function toInfo(ref: string, { media_type, bytes }: InfoColumns): BlobInfo {
  return { ref, bytes, ...optionalProperty("media_type", media_type) };
}
