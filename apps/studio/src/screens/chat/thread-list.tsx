import { type ReactNode, useState } from "react";
import { useHealth } from "../../api/queries.ts";
import { useThreadPages } from "../../api/use-pages.ts";
import { baseAgent } from "../../log/base-agent.ts";
import { Button } from "../../parts/button.tsx";
import { classNames } from "../../parts/class-names.ts";
import { formatTime } from "../../parts/format.ts";
import { Icon } from "../../parts/icon.tsx";
import { ErrorNote, Skeleton } from "../../parts/notice.tsx";
import { Status } from "../../parts/status.tsx";

/** What the store promises. */
const SURVIVES: Readonly<Record<string, string>> = {
  "power-loss": "Threads survive a power cut.",
  "process-crash": "Threads survive a crash of the server, but not a power cut.",
  none: "Threads are kept in memory and are lost when the server stops.",
};

interface ThreadListProps {
  readonly current: string | undefined;
  readonly open: (threadId: string) => void;
  readonly begin: () => void;
}

/** The threads, newest first, with a word for what each one waits for. */
export function ThreadList({ current, open, begin }: ThreadListProps): ReactNode {
  const [word, setWord] = useState("");
  const wanted = word.trim().toLowerCase();
  // A name is looked for in all threads, and not only in those that are in sight.
  const threads = useThreadPages(wanted !== "");
  const health = useHealth();
  const shown = (threads.items ?? []).filter(
    ({ title, thread_id, last_run }) =>
      // Threads of sub-agents are parts of the run that they work for.
      (last_run?.origin !== "subagent" || thread_id === current) &&
      (wanted === "" || `${title} ${thread_id} ${last_run?.agent_id ?? ""}`.toLowerCase().includes(wanted)),
  );
  return (
    <div className="flex h-full min-h-0 flex-col gap-2 bg-side p-2">
      <Button icon="plus" onClick={begin}>
        New thread
      </Button>
      <label className="flex items-center gap-1.5 rounded-md border border-line bg-ground px-2 text-faint focus-within:border-accent">
        <Icon name="search" size={13} />
        <input
          type="search"
          value={word}
          onChange={(event) => setWord(event.target.value)}
          placeholder="Search threads"
          aria-label="Search threads"
          className="h-8 min-w-0 flex-1 bg-transparent text-ink outline-none"
        />
      </label>
      {threads.error !== null && <ErrorNote error={threads.error} />}
      {threads.items === undefined && threads.error === null && <Skeleton rows={5} />}
      {threads.items !== undefined && shown.length === 0 && !threads.isIncomplete && (
        <p className="px-2.5 py-1 text-sm text-faint">
          {wanted === "" ? "Conversations appear here, newest first." : "No thread has this name."}
        </p>
      )}
      <nav aria-label="Threads" className="min-h-0 flex-1 overflow-y-auto">
        <ul className="flex flex-col gap-0.5">
          {shown.map(({ thread_id, title, updated_at, last_run, parent_thread_id }) => {
            const isWaiting = last_run?.status === "waiting";
            return (
              <li key={thread_id}>
                <button
                  type="button"
                  aria-current={thread_id === current}
                  onClick={() => open(thread_id)}
                  className={classNames(
                    "flex w-full flex-col gap-0.5 rounded-md px-2.5 py-1.5 text-left hover:bg-hover",
                    thread_id === current && "bg-hover",
                  )}
                >
                  <span className="flex w-full items-center gap-1">
                    {parent_thread_id !== undefined && <Icon name="fork" size={12} className="text-faint" />}
                    <span className="truncate font-medium">{title || "Untitled"}</span>
                  </span>
                  <span className="flex w-full items-center gap-1.5 text-xs text-faint">
                    <span className="truncate">{baseAgent(last_run?.agent_id)}</span>
                    <span aria-hidden="true">·</span>
                    {isWaiting ? (
                      <Status word="needs approval" className="text-xs" />
                    ) : last_run?.status === "running" ? (
                      <Status word="running" className="text-xs" />
                    ) : (
                      <span className="whitespace-nowrap">{formatTime(updated_at)}</span>
                    )}
                  </span>
                </button>
              </li>
            );
          })}
        </ul>
        {threads.more !== undefined && wanted === "" && (
          <Button small kind="quiet" className="mt-1 w-full" onClick={threads.more}>
            Show more
          </Button>
        )}
        {threads.isIncomplete && (
          <p role="status" className="px-2.5 py-1 text-sm text-faint">
            Searching…
          </p>
        )}
      </nav>
      <p className="px-1 text-xs text-faint">{SURVIVES[health.data?.durability ?? ""] ?? ""}</p>
    </div>
  );
}
