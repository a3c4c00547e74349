import type { MailboxEntry } from "@reprise/contracts";
import type { History, ThreadHistory, Violation } from "../history.ts";

/** I4: the commits of a thread come from owners that follow each other, and its queue was worked off in its order. */
export function findRivalOwners({ threads }: History): readonly Violation[] {
  return threads.flatMap((thread) => {
    const { thread_id } = thread.thread;
    return [...checkEpochs(thread), ...checkSegments(thread), ...checkOrder(thread)].map((message): Violation => {
      return { invariant: "I4", thread_id, message };
    });
  });
}

/** A changeset says in its id under which claim it was made; a store that took it from a stale owner would not say so. */
function checkEpochs({ changesets }: ThreadHistory): readonly string[] {
  const problems: string[] = [];
  let last = 0;
  for (const { version, changeset_id } of changesets) {
    const epoch = epochNamedIn(changeset_id) ?? last;
    if (epoch < last) problems.push(`Version ${version} was committed by epoch ${epoch}, after one by epoch ${last}.`);
    last = Math.max(last, epoch);
  }
  return problems;
}

function epochNamedIn(changesetId: string): number | undefined {
  const epoch = /-e(\d+)-n\d+$/.exec(changesetId)?.[1];
  return epoch === undefined ? undefined : Number(epoch);
}

/** Events are stored under the epoch of whoever brought them. */
function checkSegments({ changesets, runs }: ThreadHistory): readonly string[] {
  const brought = new Map<string, number>();
  for (const { changeset_id, events } of changesets) {
    const epoch = epochNamedIn(changeset_id);
    for (const event of epoch === undefined ? [] : events) brought.set(JSON.stringify(event), epoch ?? 0);
  }
  return runs.flatMap(({ run, segments }) =>
    segments.flatMap(({ epoch, events }) => {
      const [first] = events;
      const by = first === undefined ? undefined : brought.get(JSON.stringify(first));
      if (by === undefined || by === epoch) return [];
      return [`Event ${first?.seq} of run ${run.run_id} came from epoch ${by} and is stored as of epoch ${epoch}.`];
    }),
  );
}

/** Entries of one priority start in the order they came. */
function checkOrder({ entries, changesets }: ThreadHistory): readonly string[] {
  const startOf = ({ run_id }: MailboxEntry): number | undefined =>
    changesets.find(({ runs }) => runs.some((run) => run.run_id === run_id))?.version;
  const problems: string[] = [];
  const last = new Map<number, { readonly entry_id: string; readonly version: number }>();
  for (const entry of entries) {
    const version = entry.kind === "run" && entry.into_run === undefined ? startOf(entry) : undefined;
    if (version === undefined) continue;
    const before = last.get(entry.priority);
    if (before !== undefined && before.version > version) {
      problems.push(`Entry ${entry.entry_id} was started before ${before.entry_id}, which came first.`);
    }
    last.set(entry.priority, { entry_id: entry.entry_id, version });
  }
  return problems;
}
