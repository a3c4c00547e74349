import { assertQuota, TOUCH_EVERY_MS } from "../shell/blob-collection.ts";
import { HAS_PARTS, type Upload } from "../shell/blob-rows.ts";
import type { Connection } from "./connection.ts";
import type { BlobTask } from "./writer-task.ts";

type Task<Name extends BlobTask["task"]> = Extract<BlobTask, { readonly task: Name }>;

const PUT = `insert into blobs (tenant, ref, media_type, created_at, content)
  values (:tenant, :ref, :media_type, :now, :content)
  on conflict (tenant, ref) do update set created_at = excluded.created_at
  where blobs.created_at < excluded.created_at - ${TOUCH_EVERY_MS}`;

const PUT_UPLOAD = `insert into blobs (tenant, ref, media_type, created_at, content, upload, bytes)
  values (:tenant, :ref, :media_type, :now, x'', :upload, :bytes) on conflict do nothing returning upload`;

const TOUCH = `update blobs set created_at = :now
  where tenant = :tenant and ref = :ref and created_at < :now - ${TOUCH_EVERY_MS}`;

/** No thread refers to it, and it was put long ago. */
export const IS_LOOSE = `created_at <= :before and not exists (select 1 from blob_refs
  where blob_refs.tenant = blobs.tenant and blob_refs.ref = blobs.ref)`;

const COLLECT = `delete from blobs where tenant = :tenant and ref = :ref and ${IS_LOOSE} returning upload`;

const DELETE = "delete from blobs where tenant = :tenant and ref = :ref returning upload";

const LIST = "insert into blob_uploads (until, upload) values (:until, :upload) on conflict do nothing";
const IS_LISTED = "select upload from blob_uploads where until = :until and upload = :upload";
const UNLIST = "delete from blob_uploads where until = :until and upload = :upload";

/** Under another time than its owner knows, an upload has no owner: nothing more can be added to it. */
const GIVE_UP = "update blob_uploads set until = 0 where until = :until and upload = :upload";
const GIVE_UP_LATE = "update blob_uploads set until = 0 where until > 0 and until <= :now";

const ADD_PART = "insert into blob_parts (upload, start, content) values (:upload, :start, :content)";

const FIRST_TO_REMOVE = `select upload from blob_uploads where until = 0 and ${HAS_PARTS} order by upload limit 1`;
const REMOVE_PARTS = `delete from blob_parts where upload = :upload
  and start in (select start from blob_parts where upload = :upload order by start limit :limit) returning start`;

/** How many parts are removed at a time, while no other process writes. */
const PARTS_AT_ONCE = 16;

const USAGE = "select sum(coalesce(bytes, length(content))) as bytes from blobs where tenant = :tenant";
const IS_THERE = "select 1 as found from blobs where tenant = :tenant and ref = :ref";

/** How many bytes the blobs of a tenant have. */
export function usageOf(connection: Connection, tenant: string): number {
  return connection.get<{ readonly bytes: number | null }>(USAGE, { tenant })?.bytes ?? 0;
}

/** Refuses a new blob that its tenant's quota has no room for. To be asked in the transaction that writes the blob. */
export function assertRoom(connection: Connection, task: BlobTask): void {
  if (task.task !== "put_blob" && task.task !== "finish_upload") return;
  const { tenant, ref, bytes, quota } = task;
  if (quota === null || connection.get(IS_THERE, { tenant, ref }) !== undefined) return;
  assertQuota(usageOf(connection, tenant), bytes, quota);
}

/** Does a task in the transaction that is open. The answer is what its kind of task is asked for. */
export function runBlobTask(connection: Connection, task: BlobTask): boolean {
  switch (task.task) {
    case "put_blob":
      connection.run(PUT, parametersOf(task));
      return true;
    case "delete_blob":
      return deleteBlob(connection, task);
    case "collect_blob":
      return collectBlob(connection, task);
    case "begin_upload":
      connection.run(LIST, parametersOf(task));
      return true;
    case "add_part":
      if (!isListed(connection, task)) return false;
      connection.run(ADD_PART, parametersOf(task));
      return true;
    case "finish_upload":
      return finishUpload(connection, task);
    case "give_up_upload":
      connection.run(GIVE_UP, parametersOf(task));
      return true;
    case "sweep_uploads":
      return sweepUploads(connection, task);
    case "unlist_object":
      connection.run(UNLIST, { until: 0, upload: task.upload });
      return true;
    default:
      return task satisfies never;
  }
}

function parametersOf<Name extends BlobTask["task"]>({ task: _, ...parameters }: Task<Name>): Omit<Task<Name>, "task"> {
  return parameters;
}

function isListed(connection: Connection, { until, upload }: Upload): boolean {
  return connection.get(IS_LISTED, { until, upload }) !== undefined;
}

function deleteBlob(connection: Connection, { tenant, ref }: Task<"delete_blob">): boolean {
  const upload = connection.get<{ readonly upload: string | null }>(DELETE, { tenant, ref })?.upload ?? null;
  if (upload !== null) connection.run(LIST, { until: 0, upload });
  return true;
}

function collectBlob(connection: Connection, { tenant, ref, before }: Task<"collect_blob">): boolean {
  const gone = connection.get<{ readonly upload: string | null }>(COLLECT, { tenant, ref, before });
  if (gone?.upload != null) connection.run(LIST, { until: 0, upload: gone.upload });
  return gone !== undefined;
}

/** The row makes the parts a blob. If the blob exists already, the parts have no owner. */
function finishUpload(connection: Connection, task: Task<"finish_upload">): boolean {
  if (!isListed(connection, task)) return false;
  const isNew = connection.get(PUT_UPLOAD, parametersOf(task)) !== undefined;
  if (!isNew) connection.run(TOUCH, { tenant: task.tenant, ref: task.ref, now: task.now });
  connection.run(isNew ? UNLIST : GIVE_UP, { until: task.until, upload: task.upload });
  return true;
}

/** Removes parts of one upload; it is taken off the list when there are none left. */
function sweepUploads(connection: Connection, { now }: Task<"sweep_uploads">): boolean {
  connection.run(GIVE_UP_LATE, { now });
  const upload = connection.get<{ readonly upload: string }>(FIRST_TO_REMOVE)?.upload;
  if (upload === undefined) return false;
  const removed = connection.all(REMOVE_PARTS, { upload, limit: PARTS_AT_ONCE }).length;
  if (removed < PARTS_AT_ONCE) connection.run(UNLIST, { until: 0, upload });
  return true;
}
