import type { Decision, EventOf } from "@reprise/contracts";
import type { RunHistory } from "./history.ts";

/** The end of a node, and the claim under which it was committed. */
export interface NodeEnd {
  readonly epoch: number;
  readonly event: EventOf<"node_end">;
}

/** What is stored of the nodes of a workflow run. */
export interface FlowStory {
  readonly starts: number;
  /** By the paths of the nodes, as everything below. */
  readonly ends: ReadonlyMap<string, readonly NodeEnd[]>;
  readonly waits: ReadonlyMap<string, readonly EventOf<"node_wait">[]>;
  readonly resumes: ReadonlyMap<string, readonly EventOf<"node_resume">[]>;
  readonly retries: ReadonlyMap<string, readonly EventOf<"node_retry">[]>;
  /** What was decided about nodes that a crash interrupted while they called a tool that may not be repeated. */
  readonly unknown: ReadonlyMap<string, readonly Decision[]>;
}

const cache = new WeakMap<RunHistory["segments"], FlowStory>();

/** Tells a workflow run by its committed events. */
export function tellFlow({ segments, decisions }: Pick<RunHistory, "segments" | "decisions">): FlowStory {
  const known = cache.get(segments);
  if (known !== undefined) return known;
  const ends: NodeEnd[] = [];
  const waits: EventOf<"node_wait">[] = [];
  const resumes: EventOf<"node_resume">[] = [];
  const retries: EventOf<"node_retry">[] = [];
  let starts = 0;
  for (const { epoch, events } of segments) {
    for (const event of events) {
      if (event.type === "workflow_start") starts += 1;
      else if (event.type === "node_end") ends.push({ epoch, event });
      else if (event.type === "node_wait") waits.push(event);
      else if (event.type === "node_resume") resumes.push(event);
      else if (event.type === "node_retry") retries.push(event);
    }
  }
  const inDoubt = waits.filter(({ data }) => data.wait === "unknown_outcome");
  const answered = inDoubt.flatMap(({ data: { node_id, call_id } }) =>
    decisions.filter((decision) => decision.call_id === call_id).map((decision) => ({ node_id, decision })),
  );
  const story: FlowStory = {
    starts,
    ends: Map.groupBy(ends, ({ event }) => event.data.node_id),
    waits: Map.groupBy(waits, ({ data }) => data.node_id),
    resumes: Map.groupBy(resumes, ({ data }) => data.node_id),
    retries: Map.groupBy(retries, ({ data }) => data.node_id),
    unknown: new Map(
      [...Map.groupBy(answered, ({ node_id }) => node_id)].map(([node, all]) => [
        node,
        all.map(({ decision }) => decision),
      ]),
    ),
  };
  cache.set(segments, story);
  return story;
}
