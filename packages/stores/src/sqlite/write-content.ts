import { checksumOf } from "../codec/checksum.ts";
import { toCallColumns } from "../codec/columns/call-columns.ts";
import { toDecisionColumns } from "../codec/columns/decision-columns.ts";
import { escapeText } from "../codec/escape-text.ts";
import { storeText } from "../codec/stored-text.ts";
import type { CallRow, DecisionRow } from "../kernel/rows.ts";
import { insertInto } from "./sql-text.ts";
import type { WritePlace } from "./write-place.ts";

export function putCall(place: WritePlace, write: { readonly row: CallRow; readonly is_new: boolean }): void {
  const { connection, tenant, threadKey } = place;
  const { row, is_new } = write;
  const run_key = place.runKey(row.run_id) ?? null;
  if (is_new) {
    const columns = { tenant, run_key, thread_key: threadKey, ...toCallColumns(row) };
    connection.run(insertInto("calls", columns), columns);
    return;
  }
  const sql = `update calls set status = :status, format = :format, checksum = :checksum, body = :body
    where run_key = :run_key and call_id = :call_id`;
  connection.run(sql, { run_key, ...toCallColumns(row) });
}

export function putDecision(place: WritePlace, write: { readonly row: DecisionRow; readonly is_new: boolean }): void {
  const { row, is_new } = write;
  const columns = { run_key: place.runKey(row.decision.run_id) ?? null, ...toDecisionColumns(row) };
  const update = `update decisions set is_pending = :is_pending, wake_entry_id = :wake_entry_id
    where run_key = :run_key and call_id = :call_id and suspension = :suspension`;
  place.connection.run(is_new ? insertInto("decisions", columns) : update, columns);
}

export function supersedeMessage({ connection, threadKey }: WritePlace, messageId: string, version: number): void {
  const sql = `update messages set superseded_version = :version
    where thread_key = :thread_key and id_hash = :hash and id = :id and superseded_version is null`;
  const id = escapeText(messageId);
  connection.run(sql, { thread_key: threadKey, hash: checksumOf(id), id, version });
}

export function putSnapshot(
  { connection, threadKey }: WritePlace,
  { version, state }: { readonly version: number; readonly state: string },
): void {
  const columns = { thread_key: threadKey, version, ...storeText(state) };
  const conflict = "on conflict do update set format = :format, checksum = :checksum, body = :body";
  connection.run(insertInto("snapshots", columns, conflict), columns);
}
