import type { AgentEvent } from "@reprise/contracts";
import { useQuery } from "@tanstack/react-query";
import { Tabs } from "radix-ui";
import { type ReactNode, useMemo, useState } from "react";
import { loadEvents } from "../api/follow-run.ts";
import { answerOf, client } from "../api/requests.ts";
import type { Version } from "../api/types.ts";
import { diffState, withoutOwnKeys } from "../log/diff-state.ts";
import { tellStory } from "../log/tell-story.ts";
import { describeVersions, type Moment, momentAt, seqAt } from "../log/versions.ts";
import { formatCost, formatCount } from "../parts/format.ts";
import { Empty, ErrorNote, Skeleton } from "../parts/notice.tsx";
import { ActList } from "./act-list.tsx";
import { EventList } from "./event-list.tsx";
import { JsonTree } from "./json-tree.tsx";
import { PatchDiff } from "./patch-diff.tsx";

interface InspectorProps {
  readonly threadId: string;
  readonly versions: readonly Version[];
  readonly at: number | undefined;
  readonly logs: ReadonlyMap<string, readonly AgentEvent[]>;
  /** Moves the cursor. */
  readonly move: (version: number | undefined) => void;
  readonly openRun: ((runId: string) => void) | undefined;
  /** The run that the inspector stays with; that of the moment unless given. */
  readonly only?: string;
  /** What stands in place of the story, where the story has a place of its own. */
  readonly messages?: ReactNode;
  /** The first event that a replay did otherwise. */
  readonly divergent?: number | undefined;
}

/** The details of the moment that the cursor is at: the story of its run, the state, the events, the cost. */
export function Inspector(props: InspectorProps): ReactNode {
  const { versions, at, logs, threadId, move, openRun, only, messages, divergent } = props;
  const tabs = [messages === undefined ? "Story" : "Messages", "State", "Events", "Cost"];
  const moments = useMemo(() => describeVersions(versions), [versions]);
  const moment = at === undefined ? moments.findLast(({ runId }) => runId !== null) : momentAt(moments, at);
  const runId = only ?? moment?.runId ?? moments.findLast((each) => each.runId !== null)?.runId ?? undefined;
  const log = useRunEvents(runId, runId === undefined ? undefined : logs.get(runId));
  const seq = at === undefined || runId === undefined ? undefined : seqAt(versions, runId, at);
  if (moment === undefined || runId === undefined)
    return (
      <Empty icon="clock" title="Nothing happened yet">
        What the run does appears here as it happens.
      </Empty>
    );
  const versionOf = (wanted: number): number | undefined =>
    versions.find(({ run_id, run }) => run_id === runId && run !== undefined && run.last_seq >= wanted)?.version;
  return (
    <Tabs.Root
      // A divergence is looked at where the event is.
      key={divergent === undefined ? "" : "divergent"}
      defaultValue={divergent === undefined ? (tabs[0] ?? "") : "Events"}
      className="flex h-full min-h-0 flex-col"
    >
      <Tabs.List aria-label="Inspector" className="flex shrink-0 gap-1 border-b border-line px-2">
        {tabs.map((tab) => (
          <Tabs.Trigger
            key={tab}
            value={tab}
            className="border-b-2 border-transparent px-2.5 py-2 text-sm font-medium text-faint hover:text-ink data-[state=active]:border-accent data-[state=active]:text-ink"
          >
            {tab}
          </Tabs.Trigger>
        ))}
      </Tabs.List>
      <Tabs.Content value="Story" data-scrolls="" className="min-h-0 flex-1 overflow-y-auto">
        {log.events === undefined ? (
          <Skeleton />
        ) : (
          <Story
            events={log.events}
            count={log.count}
            seq={seq}
            openRun={openRun}
            select={(wanted) => move(latest(versionOf(wanted), versions))}
          />
        )}
      </Tabs.Content>
      <Tabs.Content value="Messages" className="min-h-0 flex-1 overflow-y-auto p-3">
        {messages}
      </Tabs.Content>
      <Tabs.Content value="State" className="min-h-0 flex-1 overflow-y-auto p-3">
        <StateAt threadId={threadId} versions={versions} version={at ?? versions.at(-1)?.version ?? 0} />
      </Tabs.Content>
      <Tabs.Content value="Events" className="min-h-0 flex-1">
        {log.events === undefined ? (
          <Skeleton />
        ) : (
          <EventList events={log.events} count={log.count} seq={seq} divergent={divergent} />
        )}
      </Tabs.Content>
      <Tabs.Content value="Cost" className="min-h-0 flex-1 overflow-y-auto p-3">
        <CostAt moments={moments} moment={moment} />
      </Tabs.Content>
    </Tabs.Root>
  );
}

/** The newest version is no place in the past. */
function latest(version: number | undefined, versions: readonly Version[]): number | undefined {
  return version === versions.at(-1)?.version ? undefined : version;
}

/** The events of a run: those that are followed anyway, or read once. */
export function useRunEvents(
  runId: string | undefined,
  followed: readonly AgentEvent[] | undefined,
): { readonly events: readonly AgentEvent[] | undefined; readonly count: number } {
  const { data } = useQuery({
    queryKey: ["events", runId],
    queryFn: async ({ signal }) => (await loadEvents(runId ?? "", signal)).map(({ event }) => event),
    enabled: runId !== undefined && followed === undefined,
    staleTime: 30_000,
  });
  const events = followed ?? data;
  return { events, count: events?.length ?? 0 };
}

function Story({
  events,
  count,
  seq,
  select,
  openRun,
}: {
  readonly events: readonly AgentEvent[];
  readonly count: number;
  readonly seq: number | undefined;
  readonly select: (seq: number) => void;
  readonly openRun: ((runId: string) => void) | undefined;
}): ReactNode {
  // The list grows in place; its length says when there is more to tell.
  const acts = useMemo(() => tellStory(events.slice(0, count)), [events, count]);
  return <ActList acts={acts} seq={seq} openRun={openRun} select={(act) => select(act.seq)} />;
}

function useStateAt(threadId: string, version: number) {
  return useQuery({
    queryKey: ["state", threadId, version],
    queryFn: async ({ signal }) => {
      const params = { path: { id: threadId }, query: { version } };
      return (await answerOf(client.GET("/v1/threads/{id}/state", { params, signal }))).state ?? {};
    },
    enabled: version > 0,
    staleTime: Number.POSITIVE_INFINITY,
    placeholderData: (before) => before,
  });
}

/** The state at a version, with what that version changed. */
function StateAt({
  threadId,
  versions,
  version,
}: {
  readonly threadId: string;
  readonly versions: readonly Version[];
  readonly version: number;
}): ReactNode {
  const [showsOwn, setShowsOwn] = useState(false);
  const now = useStateAt(threadId, version);
  const first = versions[0]?.version ?? 1;
  const before = useStateAt(threadId, version > first ? version - 1 : 0);
  const stored = versions.find((each) => each.version === version);
  if (now.error !== null) return <ErrorNote error={now.error} retry={() => void now.refetch()} />;
  if (now.data === undefined) return <Skeleton />;
  const clean = (state: unknown): unknown => (showsOwn ? state : withoutOwnKeys(state));
  const changes =
    version > first && before.data === undefined ? [] : diffState(clean(before.data ?? {}), clean(now.data), stored);
  const marked = new Set(changes.map(({ path }) => `/${path.join("/")}`));
  return (
    <div className="flex flex-col gap-3">
      <section className="flex flex-col gap-1.5">
        <h2 className="text-xs font-semibold text-faint">Changed in version {version}</h2>
        {changes.length === 0 ? <p className="text-sm text-faint">Nothing.</p> : <PatchDiff changes={changes} />}
      </section>
      <section className="flex flex-col gap-1.5">
        <h2 className="text-xs font-semibold text-faint">State</h2>
        {Object.keys(Object(clean(now.data))).length === 0 ? (
          <p className="text-sm text-faint">Empty. Tools and plugins of this agent keep nothing in the thread.</p>
        ) : (
          <JsonTree value={clean(now.data)} label="State" marked={marked} />
        )}
      </section>
      <label className="flex items-center gap-2 text-sm text-faint">
        <input
          type="checkbox"
          checked={showsOwn}
          onChange={(event) => setShowsOwn(event.target.checked)}
          className="accent-accent"
        />
        Show the runtime's own keys
      </label>
    </div>
  );
}

function CostAt({ moments, moment }: { readonly moments: readonly Moment[]; readonly moment: Moment }): ReactNode {
  const upTo = moments.filter(({ version }) => version <= moment.version);
  const perRun = new Map<string, Moment>();
  for (const each of upTo) if (each.runId !== null) perRun.set(each.runId, each);
  const thread = [...perRun.values()].reduce((sum, each) => sum + each.costMicrocents, 0);
  const tokens = [...perRun.values()].reduce((sum, each) => sum + each.tokens, 0);
  const rows = [
    ["This run so far", formatCost(moment.costMicrocents), `${formatCount(moment.tokens)} tokens`],
    ["This thread so far", formatCost(thread), `${formatCount(tokens)} tokens`],
    ["Steps of this run", formatCount(moment.steps), ""],
    ["Runs", formatCount(perRun.size), ""],
  ] as const;
  return (
    <dl className="grid grid-cols-[1fr_auto_auto] gap-x-4 gap-y-2 tabular-nums">
      {rows.map(([name, value, more]) => (
        <div key={name} className="contents">
          <dt className="text-faint">{name}</dt>
          <dd className="text-right font-medium">{value}</dd>
          <dd className="text-right text-faint">{more}</dd>
        </div>
      ))}
    </dl>
  );
}
