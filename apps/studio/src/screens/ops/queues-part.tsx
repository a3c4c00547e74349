import { useQueryClient } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { type ReactNode, useState } from "react";
import { ask } from "../../api/connection.ts";
import type { MailboxEntry } from "../../api/types.ts";
import { Button } from "../../parts/button.tsx";
import { classNames } from "../../parts/class-names.ts";
import { formatTime } from "../../parts/format.ts";
import { Icon } from "../../parts/icon.tsx";
import { ErrorNote } from "../../parts/notice.tsx";
import { Status } from "../../parts/status.tsx";
import { type QueueFilter, useQueues } from "./ops-queries.ts";
import { Loaded, PartPage, Section } from "./section.tsx";

const FILTERS: readonly (readonly [filter: QueueFilter, label: string])[] = [
  ["dead_letter", "Dead letters"],
  ["queued", "Queued"],
  ["claimed", "Taken"],
];

const EMPTY: Readonly<Record<QueueFilter, string>> = {
  dead_letter: "None. Everything that was accepted could be started.",
  queued: "Nothing waits.",
  claimed: "Nothing is being started at this moment.",
};

const SHOWN = 100;

/** The queues of all threads. What could not be started gets another chance here. */
export function QueuesPart(): ReactNode {
  const [filter, setFilter] = useState<QueueFilter>("dead_letter");
  const [problem, setProblem] = useState<unknown>();
  const [sending, setSending] = useState<ReadonlySet<string>>(new Set());
  const queries = useQueryClient();
  const queues = useQueues(filter, SHOWN);
  const requeue = async (entries: readonly MailboxEntry[]): Promise<void> => {
    setProblem(undefined);
    setSending(new Set(entries.map(({ entry_id }) => entry_id)));
    const results = await Promise.allSettled(
      entries.map(({ thread_id, entry_id }) =>
        ask(`v1/threads/${encodeURIComponent(thread_id)}/mailbox/${encodeURIComponent(entry_id)}/requeue`, {
          json: {},
        }),
      ),
    );
    const failed = results.find((result) => result.status === "rejected");
    if (failed !== undefined) setProblem(failed.reason);
    await queries.invalidateQueries({ queryKey: ["mailbox"] });
    setSending(new Set());
  };
  const entries = queues.data?.items ?? [];
  const missing = queues.data?.agents_missing ?? [];
  return (
    <PartPage label="Operations, queues">
      {missing.length > 0 && (
        <p role="alert" className="flex items-start gap-2 rounded-lg bg-wait-ground px-4 py-3 text-wait">
          <Icon name="warning" className="mt-0.5" />
          No live process serves {missing.join(", ")}. What is queued for it waits until one does.
        </p>
      )}
      <Section
        title="Mailboxes"
        about="A thread does one thing after the other; what comes meanwhile is queued durably."
        actions={
          filter === "dead_letter" &&
          entries.length > 1 && (
            <Button small icon="retry" disabled={sending.size > 0} onClick={() => void requeue(entries)}>
              Requeue all {entries.length}
            </Button>
          )
        }
      >
        <div role="group" aria-label="Which entries" className="flex gap-1">
          {FILTERS.map(([each, label]) => (
            <button
              key={each}
              type="button"
              aria-pressed={filter === each}
              onClick={() => setFilter(each)}
              className={classNames(
                "flex items-center gap-1.5 rounded-md border px-2.5 py-1 text-sm",
                filter === each
                  ? "border-accent bg-accent-ground font-medium"
                  : "border-line text-faint hover:text-ink",
              )}
            >
              {label}
              <span className="text-xs tabular-nums">{queues.data?.counts[each] ?? ""}</span>
            </button>
          ))}
        </div>
        {problem !== undefined && <ErrorNote error={problem} dismiss={() => setProblem(undefined)} />}
        <Loaded query={queues}>
          {({ items, total }) =>
            items.length === 0 ? (
              <Status word={filter === "dead_letter" ? "done" : "idle"}>{EMPTY[filter]}</Status>
            ) : (
              <>
                <ul className="divide-y divide-line rounded-lg border border-line">
                  {items.map((entry) => (
                    <Entry
                      key={entry.entry_id}
                      entry={entry}
                      isSending={sending.has(entry.entry_id)}
                      requeue={filter === "dead_letter" ? () => void requeue([entry]) : undefined}
                    />
                  ))}
                </ul>
                {total > items.length && (
                  <p className="text-sm text-faint">
                    The first {items.length} of {total}.
                  </p>
                )}
              </>
            )
          }
        </Loaded>
      </Section>
    </PartPage>
  );
}

function Entry({
  entry,
  isSending,
  requeue,
}: {
  readonly entry: MailboxEntry;
  readonly isSending: boolean;
  readonly requeue: (() => void) | undefined;
}): ReactNode {
  const { agent_id, thread_id, kind, priority, attempts, last_error, reason, updated_at, available_at, origin } = entry;
  const problem = last_error ?? reason;
  return (
    <li className="flex flex-wrap items-center gap-3 px-3 py-2">
      <div className="min-w-0 flex-1">
        <p className="flex flex-wrap items-baseline gap-x-2">
          <span className="font-medium">{agent_id}</span>
          <Link
            to="/threads/$threadId"
            params={{ threadId: thread_id }}
            className="min-w-0 truncate font-mono text-xs text-accent underline"
          >
            {thread_id}
          </Link>
        </p>
        {problem !== undefined && <p className="text-sm break-words text-bad">{problem}</p>}
        <p className="flex flex-wrap gap-x-3 text-xs text-faint tabular-nums">
          <span>{kind === "run" ? "a run" : kind === "resume" ? "an answer" : "a cancellation"}</span>
          {attempts > 0 && <span>{attempts === 1 ? "1 attempt" : `${attempts} attempts`}</span>}
          {priority !== 0 && <span>priority {priority}</span>}
          <span>{origin}</span>
          <span>{formatTime(updated_at, true)}</span>
          {available_at > Date.now() && <span>not before {formatTime(available_at, true)}</span>}
        </p>
      </div>
      {requeue !== undefined && (
        <Button small icon="retry" disabled={isSending} onClick={requeue}>
          Requeue
        </Button>
      )}
    </li>
  );
}
