import type { AgentEvent, ToolCallRecord } from "@reprise/contracts";
import type { RunHandle } from "@reprise/runtime";
import { assertConsistent } from "../../support/assert-consistent.ts";
import type { Stage } from "./stage.ts";

/** Where a run stands, call by call, in the model's order. */
export interface RoundReport {
  readonly calls: readonly ToolCallRecord[];
  readonly statuses: readonly string[];
  /** What the model reads, or would read, of each call; `undefined` for one without a result. */
  readonly results: readonly (string | undefined)[];
  readonly events: readonly AgentEvent[];
}

/** Gathers what became of the calls of a run, after a look at whether the thread holds together. */
export async function reportRound(stage: Pick<Stage, "store">, run: RunHandle): Promise<RoundReport> {
  const tenant = stage.store.forTenant("default");
  await assertConsistent(tenant, run.threadId);
  const { items } = await tenant.listCalls({ run_id: run.id, limit: 200 });
  const calls = items.toSorted((left, right) => placeOf(left.call_id) - placeOf(right.call_id));
  const { messages } = await tenant.readMessages(run.threadId, 0);
  const byCall = new Map(messages.map(({ tool_call_id, content }) => [tool_call_id, content]));
  const events = (await tenant.readEvents(run.id, 0)).flatMap((segment) => segment.events);
  return {
    calls,
    statuses: calls.map(({ status }) => status),
    results: calls.map(({ call_id }) => byCall.get(call_id)?.toString()),
    events,
  };
}

/** Which call of its round a call is. */
export function placeOf(callId: string): number {
  return Number(callId.slice(callId.lastIndexOf("c") + 1));
}

/** The spans of a stage in short: tool, start and end. */
export function describeSpans({ spans }: Pick<Stage, "spans">): readonly string[] {
  return spans.map(({ toolId, startedAt, endedAt, end }) => `${toolId} ${startedAt}-${endedAt} ${end}`);
}
