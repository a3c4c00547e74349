import type { AgentEvent } from "@reprise/contracts";
import { useNavigate } from "@tanstack/react-router";
import { Tabs } from "radix-ui";
import { type ReactNode, useMemo, useState } from "react";
import type { WorkflowNode } from "../../api/types.ts";
import { ActList } from "../../components/act-list.tsx";
import { JsonTree } from "../../components/json-tree.tsx";
import { NodeDefinition } from "../../components/node-definition.tsx";
import type { NodeView, PlaceView } from "../../log/fold-nodes.ts";
import { tellStory } from "../../log/tell-story.ts";
import { Button, IconButton } from "../../parts/button.tsx";
import { formatCost, formatCount, formatDuration, formatTime, pretty } from "../../parts/format.ts";
import { Markdown } from "../../parts/markdown.tsx";
import { Status } from "../../parts/status.tsx";

interface NodeDetailsProps {
  readonly place: string;
  readonly node: WorkflowNode;
  readonly document: unknown;
  readonly view: PlaceView | undefined;
  readonly events: readonly AgentEvent[];
  readonly restart: (() => void) | undefined;
  readonly close: () => void;
}

const TABS = ["Result", "Definition", "Events"] as const;

/** A node of a run: how it stands, what it gave, what it was asked, what its agent did. */
export function NodeDetails({ place, node, document, view, events, restart, close }: NodeDetailsProps): ReactNode {
  const [index, setIndex] = useState(0);
  const instances = view?.instances ?? [];
  const shown = instances[Math.min(index, instances.length - 1)];
  return (
    <section aria-label={`Node ${place}`} className="flex flex-col">
      <header className="flex flex-col gap-1.5 border-b border-line px-4 py-3">
        <div className="flex items-start gap-2">
          <h2 className="min-w-0 flex-1 font-semibold">{node.name ?? node.id}</h2>
          <IconButton icon="cross" label="Close the node" onClick={close} className="-my-1" />
        </div>
        <p className="flex flex-wrap items-center gap-x-3 text-sm">
          <Status word={shown?.word ?? "not started"} />
          <code className="font-mono text-xs text-faint">
            {place} · {node.type}
          </code>
        </p>
        {instances.length > 1 && (
          <label className="flex items-center gap-2 text-sm text-faint">
            Instance
            <select
              value={index}
              onChange={(event) => setIndex(Number(event.target.value))}
              className="h-7 min-w-0 flex-1 rounded-md border border-line bg-ground px-1.5 font-mono text-xs text-ink"
            >
              {instances.map(({ id, word }, at) => (
                <option key={id} value={at}>
                  {id} ({word})
                </option>
              ))}
            </select>
          </label>
        )}
        {shown !== undefined && <Figures shown={shown} />}
        {restart !== undefined && (
          <Button
            small
            icon="retry"
            onClick={restart}
            className="self-start"
            title="A new run keeps everything that does not depend on this node."
          >
            Restart from here
          </Button>
        )}
      </header>
      <Tabs.Root defaultValue={TABS[0]}>
        <Tabs.List aria-label="Details of the node" className="flex gap-1 border-b border-line px-2">
          {TABS.map((tab) => (
            <Tabs.Trigger
              key={tab}
              value={tab}
              className="border-b-2 border-transparent px-2.5 py-2 text-sm font-medium text-faint hover:text-ink data-[state=active]:border-accent data-[state=active]:text-ink"
            >
              {tab}
            </Tabs.Trigger>
          ))}
        </Tabs.List>
        <Tabs.Content value="Result" className="p-4">
          <Result shown={shown} />
        </Tabs.Content>
        <Tabs.Content value="Definition" className="p-4">
          <NodeDefinition place={place} node={node} document={document} showsTitle={false} />
        </Tabs.Content>
        <Tabs.Content value="Events">
          <NodeEvents shown={shown} events={events} />
        </Tabs.Content>
      </Tabs.Root>
    </section>
  );
}

function Figures({ shown }: { readonly shown: NodeView }): ReactNode {
  const { startedAt, endedAt, attempts, tokens, costMicrocents } = shown;
  const figures = [
    startedAt === undefined ? undefined : formatTime(startedAt, true),
    startedAt === undefined || endedAt === undefined ? undefined : formatDuration(endedAt - startedAt),
    attempts.length > 1 ? `${attempts.length} attempts` : undefined,
    tokens > 0 ? `${formatCount(tokens)} tokens` : undefined,
    tokens > 0 || costMicrocents > 0 ? formatCost(costMicrocents) : undefined,
  ];
  return (
    <p className="flex flex-wrap gap-x-3 text-sm text-faint tabular-nums">
      {figures.map((figure) => figure !== undefined && <span key={figure}>{figure}</span>)}
    </p>
  );
}

function Result({ shown }: { readonly shown: NodeView | undefined }): ReactNode {
  if (shown === undefined) return <p className="text-sm text-faint">The node has not begun.</p>;
  const { stored, attempts, wait, said, word } = shown;
  const failed = attempts.filter(({ error }) => error !== undefined);
  const problem = stored?.error?.message;
  return (
    <div className="flex flex-col gap-4">
      {problem !== undefined && (
        <p role="alert" className="rounded-lg bg-bad-ground p-3 text-sm break-words text-bad">
          {problem}
        </p>
      )}
      {stored?.reason !== undefined && (
        <p className="text-sm text-faint">
          {stored.reason === "branch_not_taken"
            ? "Skipped: a condition took another branch."
            : "Skipped: a node that it depends on gave nothing."}
        </p>
      )}
      {wait !== undefined && wait.type !== "run" && (
        <p className="text-sm">
          {wait.decision === undefined
            ? (wait.message ?? `Waits: ${wait.type}.`)
            : `${wait.decision === "approved" ? "Approved" : wait.decision === "rejected" ? "Rejected" : "Answered"}${
                wait.decidedBy === undefined ? "" : ` by ${wait.decidedBy}`
              }.`}
        </p>
      )}
      {stored?.selected !== undefined && (
        <p className="text-sm">
          Took the branch <code className="font-mono font-medium">{String(stored.selected)}</code>.
        </p>
      )}
      {said !== "" && stored?.output === undefined && <Markdown text={said} isWriting={word === "running"} />}
      {stored?.output !== undefined && (
        <section className="flex flex-col gap-1.5">
          <h3 className="text-xs font-semibold text-faint">Output</h3>
          <Output value={stored.output} />
        </section>
      )}
      {failed.length > 0 && attempts.length > 1 && (
        <section className="flex flex-col gap-1.5">
          <h3 className="text-xs font-semibold text-faint">Attempts</h3>
          <ol className="flex flex-col gap-1 text-sm">
            {attempts.map(({ number, from, to, error }) => (
              <li key={`${number} ${from}`} className="flex items-baseline gap-2">
                <Status word={error !== undefined ? "failed" : to === undefined ? "running" : "done"} />
                <span className="text-xs text-faint tabular-nums">{formatTime(from, true)}</span>
                <span className="min-w-0 flex-1 break-words text-bad">{error}</span>
              </li>
            ))}
          </ol>
        </section>
      )}
    </div>
  );
}

function Output({ value }: { readonly value: unknown }): ReactNode {
  if (typeof value === "string") return <Markdown text={value} />;
  if (typeof value === "object" && value !== null) return <JsonTree value={value} label="Output" open={3} />;
  return <code className="font-mono text-sm">{pretty(value)}</code>;
}

/** What the agent of a node did: the story of its run, or the calls of an agent of the document. */
function NodeEvents({
  shown,
  events,
}: {
  readonly shown: NodeView | undefined;
  readonly events: readonly AgentEvent[];
}): ReactNode {
  const navigate = useNavigate();
  const child = shown?.childRunId;
  const acts = useMemo(() => (child === undefined ? [] : tellStory(ownEvents(events, child))), [child, events]);
  const own = useMemo(
    () => events.filter((event) => "data" in event && fieldOf(event.data, "node_id") === shown?.id),
    [events, shown?.id],
  );
  const openRun = (runId: string): void => void navigate({ to: "/runs/$runId", params: { runId } });
  return (
    <div className="flex flex-col">
      {child !== undefined && (
        <>
          <p className="flex items-center justify-between gap-2 px-4 py-2 text-sm text-faint">
            The work of another agent, in a run of its own.
            <Button small icon="runs" onClick={() => openRun(child)}>
              Open the run
            </Button>
          </p>
          <ActList acts={acts} openRun={openRun} />
        </>
      )}
      {(shown?.calls ?? []).map(({ id, tool, arguments: input, result, isGood }) => (
        <div key={id} className="flex flex-col gap-1 border-b border-line px-4 py-2">
          <p className="flex items-center gap-2">
            <code className="font-mono text-sm font-semibold">{tool}</code>
            <Status word={isGood === undefined ? "running" : isGood ? "done" : "failed"} />
          </p>
          <JsonTree value={input} label={`Arguments of ${tool}`} />
          {result !== undefined && <p className="text-sm break-words text-faint">{result}</p>}
        </div>
      ))}
      <ol className="flex flex-col">
        {own.map((event) => (
          <li key={event.seq} className="border-b border-line">
            <details>
              <summary className="flex items-baseline gap-3 px-4 py-1.5 hover:bg-hover">
                <code className="flex-1 font-mono text-xs">{event.type}</code>
                <span className="text-xs text-faint tabular-nums">{formatTime(event.timestamp_ms, true)}</span>
              </summary>
              <div className="px-4 pb-2">
                <JsonTree value={"data" in event ? event.data : {}} label={event.type} />
              </div>
            </details>
          </li>
        ))}
      </ol>
      {own.length === 0 && <p className="p-4 text-sm text-faint">Nothing happened to it yet.</p>}
    </div>
  );
}

/** The events of a run below, as the run itself has them. */
function ownEvents(events: readonly AgentEvent[], runId: string): readonly AgentEvent[] {
  return events.flatMap((event) => {
    const { lineage: _, ...own } = event;
    // Without its lineage it is the same event of its own run.
    return event.run_id === runId ? [own as AgentEvent] : [];
  });
}

function fieldOf(value: unknown, name: string): unknown {
  // The value of an own field of an object that was just seen to be one.
  return typeof value === "object" && value !== null ? (value as Readonly<Record<string, unknown>>)[name] : undefined;
}
