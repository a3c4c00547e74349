import { useNavigate, useSearch } from "@tanstack/react-router";
import { type ReactNode, useEffect, useMemo, useRef, useState } from "react";
import { useAgents } from "../../api/queries.ts";
import type { Run } from "../../api/types.ts";
import { useRunPages, useThreadPages } from "../../api/use-pages.ts";
import { RunTable } from "../../components/run-table.tsx";
import { statusOfRun } from "../../log/fold-messages.ts";
import { Button } from "../../parts/button.tsx";
import { formatCount } from "../../parts/format.ts";
import { Icon } from "../../parts/icon.tsx";
import { isTyping } from "../../parts/is-typing.ts";
import { Empty, ErrorNote, Skeleton } from "../../parts/notice.tsx";

/** How runs stand, and what the server is asked for. Runs that failed or were cancelled are done too, for another reason. */
const STATUSES = {
  running: { status: "running" },
  waiting: { status: "waiting" },
  done: { status: "done" },
  failed: { status: "done", termination_code: "error" },
  cancelled: { status: "done", termination_code: "cancelled" },
} as const;
const ORIGINS = [
  "user",
  "subagent",
  "ai_sdk",
  "ag_ui",
  "a2a",
  "mcp",
  "acp",
  "nats",
  "workflow",
  "schedule",
  "webhook",
  "internal",
] as const;

/** Every run, newest first, by what it is, where it came from and how it stands. The address holds the filters. */
export function RunsScreen(): ReactNode {
  const { status, agent, origin, word = "" } = useSearch({ strict: false });
  const navigate = useNavigate();
  const agents = useAgents();
  const frame = useRef<HTMLDivElement>(null);
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set());
  const [focused, setFocused] = useState(-1);
  const filter = {
    ...(isStatus(status) && STATUSES[status]),
    ...(agent !== undefined && { agent_id: agent }),
    ...(ORIGINS.includes(origin) && { origin }),
  };
  const wanted = word.trim().toLowerCase();
  const [titlesLacking, setTitlesLacking] = useState(false);
  // Words are looked for in everything that there is, also in what has not been in sight yet.
  const runs = useRunPages(filter, wanted !== "");
  const threads = useThreadPages(wanted !== "" || titlesLacking);
  const titles = useMemo(
    () => new Map((threads.items ?? []).map(({ thread_id, title }) => [thread_id, title])),
    [threads.items],
  );
  const shown = useMemo(
    () =>
      (runs.items ?? []).filter(
        (run) =>
          (status !== "done" || statusOfRun(run) === "done") &&
          `${titles.get(run.thread_id) ?? ""} ${run.thread_id} ${run.run_id} ${run.agent_id} ${run.termination_code ?? ""}`
            .toLowerCase()
            .includes(wanted),
      ),
    [runs.items, wanted, titles, status],
  );
  const isSearching = runs.isIncomplete || (wanted !== "" && threads.isIncomplete);
  const { more } = runs;
  // Threads are as new as their runs, so those of the runs in the table come first.
  const isUntitled = shown.some(({ thread_id }) => !titles.has(thread_id));
  useEffect(() => setTitlesLacking(isUntitled), [isUntitled]);
  // A page of which nothing is shown has no end that could come into sight.
  const isBare = shown.length === 0;
  useEffect(() => {
    if (isBare) more?.();
  }, [isBare, more]);
  const set = (change: Readonly<Record<string, string>>): void => {
    setFocused(-1);
    const filters = Object.entries({ status, agent, origin, word, ...change }).filter(([, value]) => value);
    void navigate({ to: "/runs", search: Object.fromEntries(filters), replace: true });
  };
  const open = (run: Run): void => void navigate({ to: "/runs/$runId", params: { runId: run.run_id } });
  const [first, second] = [...chosen];
  const compare = (): void => {
    if (first !== undefined && second !== undefined)
      void navigate({ to: "/compare/$a/$b", params: { a: first, b: second } });
  };
  useEffect(() => {
    const onKey = (event: KeyboardEvent): void => {
      if (isTyping(event)) return;
      const run = shown[focused];
      if (event.key === "j" || event.key === "ArrowDown") setFocused(Math.min(focused + 1, shown.length - 1));
      else if (event.key === "k" || event.key === "ArrowUp") setFocused(Math.max(focused - 1, 0));
      else if (event.key === "Enter" && run !== undefined) open(run);
      else if (event.key === "x" && run !== undefined) setChosen(toggled(chosen, run.run_id));
      else if (event.key === "c") compare();
      else return;
      event.preventDefault();
    };
    document.addEventListener("keydown", onKey);
    return () => document.removeEventListener("keydown", onKey);
  });
  const isFiltered = status !== undefined || agent !== undefined || origin !== undefined || wanted !== "";
  return (
    <main className="flex h-full min-h-0 flex-col">
      <header className="flex shrink-0 flex-wrap items-center gap-2 border-b border-line px-4 py-2">
        <h1 className="mr-2 font-semibold">Runs</h1>
        <label className="flex h-8 min-w-40 flex-1 items-center gap-1.5 rounded-md border border-line px-2 text-faint focus-within:border-accent md:max-w-72">
          <Icon name="search" size={13} />
          <input
            type="search"
            value={word}
            onChange={(event) => set({ word: event.target.value })}
            placeholder="Search"
            aria-label="Search runs"
            className="min-w-0 flex-1 bg-transparent text-ink outline-none"
          />
        </label>
        <Filter label="Status" value={status} values={Object.keys(STATUSES)} set={(value) => set({ status: value })} />
        <Filter
          label="Agent"
          value={agent}
          values={(agents.data ?? []).map(({ id }) => id)}
          set={(value) => set({ agent: value })}
        />
        <Filter label="Origin" value={origin} values={ORIGINS} set={(value) => set({ origin: value })} />
        <span className="flex-1 max-md:hidden" />
        {chosen.size > 0 && (
          <Button small icon="compare" disabled={chosen.size !== 2} hint="C" onClick={compare}>
            {chosen.size === 2 ? "Compare" : "Choose one more to compare"}
          </Button>
        )}
      </header>
      {runs.error !== null && (
        <div className="p-3">
          <ErrorNote error={runs.error} retry={runs.retry} />
        </div>
      )}
      {wanted !== "" && (
        <p role="status" className="border-b border-line px-3 py-1 text-xs text-faint tabular-nums">
          {formatCount(shown.length)} of {formatCount(runs.items?.length ?? 0)} runs
          {isSearching && ", searching on…"}
        </p>
      )}
      <div ref={frame} className="min-h-0 flex-1 overflow-y-auto">
        {runs.items === undefined || (shown.length === 0 && (isSearching || more !== undefined)) ? (
          <Skeleton />
        ) : shown.length === 0 ? (
          <Empty
            icon="runs"
            title={isFiltered ? "No run matches" : "No runs yet"}
            action={
              isFiltered ? (
                <Button onClick={() => void navigate({ to: "/runs", search: {} })}>Show all runs</Button>
              ) : (
                <Button kind="primary" onClick={() => void navigate({ to: "/" })}>
                  Start a conversation
                </Button>
              )
            }
          >
            {isFiltered ? "Fewer filters show more." : "A run begins with a message, and everything it does is stored."}
          </Empty>
        ) : (
          <RunTable
            runs={shown}
            titles={titles}
            chosen={chosen}
            choose={(id) => setChosen(toggled(chosen, id))}
            open={open}
            focused={focused}
            frame={frame}
            more={more}
          />
        )}
      </div>
    </main>
  );
}

function Filter({
  label,
  value,
  values,
  set,
}: {
  readonly label: string;
  readonly value: string | undefined;
  readonly values: readonly string[];
  readonly set: (value: string) => void;
}): ReactNode {
  return (
    <select
      aria-label={label}
      value={value ?? ""}
      onChange={(event) => set(event.target.value)}
      className="h-8 max-w-36 rounded-md border border-line bg-ground px-2 text-sm"
    >
      <option value="">{label}: all</option>
      {values.map((each) => (
        <option key={each} value={each}>
          {each.replaceAll("_", " ")}
        </option>
      ))}
    </select>
  );
}

function isStatus(value: string | undefined): value is keyof typeof STATUSES {
  return value !== undefined && Object.hasOwn(STATUSES, value);
}

/** At most two can be compared: the first one leaves. */
function toggled(set: ReadonlySet<string>, id: string): ReadonlySet<string> {
  const next = new Set(set);
  if (next.delete(id)) return next;
  next.add(id);
  return new Set([...next].slice(-2));
}
