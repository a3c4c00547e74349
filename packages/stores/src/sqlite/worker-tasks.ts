import { escapeText } from "../codec/escape-text.ts";
import type { Connection } from "./connection.ts";
import type { WorkerTask } from "./writer-task.ts";

type Task<Name extends WorkerTask["task"]> = Extract<WorkerTask, { readonly task: Name }>;

/** The slot of those that are gone. */
const NO_SLOT = 0;

/** Writes a worker in the place of another, if that is the one that is there. */
export function putWorker(connection: Connection, task: Task<"put_worker">): boolean {
  const { owner, session, slot, now, lease_ms, abilities, replaced } = task;
  const values = { owner: escapeText(owner), session, slot, until: now + lease_ms, abilities };
  const sql =
    replaced === null
      ? `insert into workers (owner, session, slot, until, abilities)
           values (:owner, :session, :slot, :until, coalesce(:abilities, '{}')) on conflict do nothing returning slot`
      : `update workers set session = :session, slot = :slot, until = :until, abilities = coalesce(:abilities, abilities)
           where owner = :owner and session = :replaced returning slot`;
  return connection.get(sql, replaced === null ? values : { ...values, replaced }) !== undefined;
}

export function removeWorker(connection: Connection, { owner, session }: Task<"remove_worker">): null {
  connection.run("delete from workers where owner = :owner and session = :session", {
    owner: escapeText(owner),
    session,
  });
  return null;
}

export function freeSlot(connection: Connection, { slot }: Task<"free_slot">): null {
  connection.run("update workers set slot = :none where slot = :slot", { none: NO_SLOT, slot });
  return null;
}
