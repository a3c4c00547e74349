import { keepPreviousData, useInfiniteQuery } from "@tanstack/react-query";
import { useNavigate, useSearch } from "@tanstack/react-router";
import { type ReactNode, useCallback, useEffect, useMemo, useRef, useState } from "react";
import { useAgents, useThreads } from "../../api/queries.ts";
import { answerOf, client } from "../../api/requests.ts";
import type { Run } from "../../api/types.ts";
import { RunTable } from "../../components/run-table.tsx";
import { Button } from "../../parts/button.tsx";
import { Icon } from "../../parts/icon.tsx";
import { isTyping } from "../../parts/is-typing.ts";
import { Empty, ErrorNote, Skeleton } from "../../parts/notice.tsx";

const STATUSES = ["running", "waiting", "done"] as const;
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
const PAGE = 100;

/** Every run, newest first, by what it is, where it came from and how it stands. The address holds the filters. */
export function RunsScreen(): ReactNode {
  const { status, agent, origin, word = "" } = useSearch({ strict: false });
  const navigate = useNavigate();
  const agents = useAgents();
  const threads = useThreads(200);
  const frame = useRef<HTMLDivElement>(null);
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set());
  const [focused, setFocused] = useState(-1);
  const filter = {
    ...(STATUSES.includes(status) && { status }),
    ...(agent !== undefined && { agent_id: agent }),
    ...(ORIGINS.includes(origin) && { origin }),
  };
  const runs = useInfiniteQuery({
    queryKey: ["runs", filter],
    initialPageParam: 0,
    queryFn: ({ pageParam, signal }) =>
      answerOf(client.GET("/v1/runs", { params: { query: { ...filter, limit: PAGE, offset: pageParam } }, signal })),
    getNextPageParam: (last, pages) =>
      last.has_more ? pages.reduce((sum, { items }) => sum + items.length, 0) : undefined,
    refetchInterval: 3_000,
    placeholderData: keepPreviousData,
  });
  const titles = useMemo(
    () => new Map((threads.data ?? []).map(({ thread_id, title }) => [thread_id, title])),
    [threads.data],
  );
  const wanted = word.trim().toLowerCase();
  const shown = useMemo(() => {
    const all = runs.data?.pages.flatMap(({ items }) => items) ?? [];
    // A run that began meanwhile moves the others to the next page.
    const unique = [...new Map(all.map((run) => [run.run_id, run])).values()];
    if (wanted === "") return unique;
    return unique.filter((run) =>
      `${titles.get(run.thread_id) ?? ""} ${run.thread_id} ${run.run_id} ${run.agent_id} ${run.termination_code ?? ""}`
        .toLowerCase()
        .includes(wanted),
    );
  }, [runs.data, wanted, titles]);
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
  const { hasNextPage, isFetchingNextPage, fetchNextPage } = runs;
  const more = useCallback(() => {
    if (hasNextPage && !isFetchingNextPage) void fetchNextPage();
  }, [hasNextPage, isFetchingNextPage, fetchNextPage]);
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
        <Filter label="Status" value={status} values={STATUSES} set={(value) => set({ status: value })} />
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
          <ErrorNote error={runs.error} retry={() => void runs.refetch()} />
        </div>
      )}
      <div ref={frame} className="min-h-0 flex-1 overflow-y-auto">
        {runs.data === undefined ? (
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

/** At most two can be compared: the first one leaves. */
function toggled(set: ReadonlySet<string>, id: string): ReadonlySet<string> {
  const next = new Set(set);
  if (next.delete(id)) return next;
  next.add(id);
  return new Set([...next].slice(-2));
}
