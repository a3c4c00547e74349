import type { WritePlace } from "./write-place.ts";

/** What is filed under a thread, in an order in which nothing is left behind. */
const CHILDREN: readonly string[] = [
  "delete from decisions where run_key in (select key from runs where thread_key = :key)",
  "delete from segments where run_key in (select key from runs where thread_key = :key)",
  "delete from calls where thread_key = :key",
  "delete from runs where thread_key = :key",
  "delete from entries where thread_key = :key",
  "delete from messages where thread_key = :key",
  "delete from changesets where thread_key = :key",
  "delete from snapshots where thread_key = :key",
  "delete from threads where key = :key",
];

/** Takes a thread with everything it has, but for its last epoch. */
export function deleteThread(
  { connection, tenant, threadKey: key }: WritePlace,
  { thread_id, epoch }: { readonly thread_id: string; readonly epoch: number },
): void {
  for (const sql of CHILDREN) connection.run(sql, { key });
  if (epoch === 0) return;
  const sql = "insert into retired_epochs (tenant, thread_id, epoch) values (:tenant, :thread_id, :epoch)";
  connection.run(`${sql} on conflict do update set epoch = :epoch`, { tenant, thread_id, epoch });
}
