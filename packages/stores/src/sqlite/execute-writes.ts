import type { Write } from "../kernel/write.ts";
import { deleteThread } from "./delete-thread.ts";
import { insertChangeset } from "./insert-changeset.ts";
import { forgetEntries, pruneHistory } from "./prune-thread.ts";
import { putCall, putDecision, putSnapshot, supersedeMessage } from "./write-content.ts";
import type { WritePlace } from "./write-place.ts";
import { putEntry, putRun, putThread } from "./write-rows.ts";

/** Executes a plan's writes in order. */
export function executeWrites(writes: readonly Write[], place: WritePlace): void {
  for (const write of writes) execute(write, place);
}

function execute(write: Write, place: WritePlace): void {
  switch (write.write) {
    case "thread":
      return putThread(place, write);
    case "delete_thread":
      return deleteThread(place, write);
    case "entry":
      return putEntry(place, write);
    case "run":
      return putRun(place, write);
    case "call":
      return putCall(place, write);
    case "decision":
      return putDecision(place, write);
    case "changeset":
      return insertChangeset(place, write);
    case "supersede":
      for (const id of write.message_ids) supersedeMessage(place, id, write.version);
      return;
    case "snapshot":
      return putSnapshot(place, write);
    case "prune":
      return pruneHistory(place, write);
    case "forget_entries":
      return forgetEntries(place, write);
    default:
      return write satisfies never;
  }
}
