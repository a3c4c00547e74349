import type { Inbox } from "@reprise/contracts";
import type { Json } from "@reprise/state";
import { copyJson } from "../json/copy-json.ts";
import type { Mailbox, Outside, RunView } from "../run/ports.ts";

export type InboxOwner = Pick<RunView, "run"> & Pick<Mailbox, "store"> & Outside;

/** What lies in the inbox of the run. */
export function readInbox({ run, store, effects }: InboxOwner): Promise<Inbox> {
  const { run_id, thread_id } = run;
  // Made of JSON; its interface hides it.
  const encode = (inbox: Inbox): Json => copyJson(inbox as unknown as Json);
  return effects.perform({ kind: "inbox", of: run_id, encode }, () => store.readInbox(thread_id, run_id));
}
