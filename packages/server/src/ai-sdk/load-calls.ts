import { type CallQuery, continuesByItself, MAX_LIMIT, type RunRecord, type ToolCallRecord } from "@reprise/contracts";
import type { HttpExchange } from "../host/route.ts";

/** All calls of a thread. */
export async function loadCalls({ runtime }: HttpExchange, query: CallQuery): Promise<readonly ToolCallRecord[]> {
  const calls: ToolCallRecord[] = [];
  for (;;) {
    const page = await runtime.calls({ ...query, offset: calls.length, limit: MAX_LIMIT });
    calls.push(...page.items);
    if (!page.has_more || page.items.length === 0) return calls;
  }
}

/** The calls of a thread that wait for a decision, or for something else. */
export function loadOpenCalls(exchange: HttpExchange, threadId: string): Promise<readonly ToolCallRecord[]> {
  return loadCalls(exchange, { thread_id: threadId, status: "suspended" });
}

/** A call of a run below that waits for a person. */
export interface CallBelow {
  readonly call: ToolCallRecord;
  /** Its run. */
  readonly run: RunRecord;
  /** The run of the thread that it works for. */
  readonly run_id: string;
}

/** The calls that wait for a person in the runs below the latest run of a thread. */
export async function loadCallsBelow(exchange: HttpExchange, threadId: string): Promise<readonly CallBelow[]> {
  const { runtime } = exchange;
  const [latest] = (await runtime.runs({ threadId, limit: 1 })).items;
  const found: CallBelow[] = [];
  const parents: RunRecord[] = latest === undefined ? [] : [latest];
  for (const { run_id: parentRunId, has_children } of parents) {
    if (has_children !== true) continue;
    const children = (await runtime.runs({ parentRunId, limit: MAX_LIMIT })).items.filter(({ depth }) => depth);
    parents.push(...children);
    for (const run of children) {
      if (run.status === "done") continue;
      const open = await loadCalls(exchange, { run_id: run.run_id, status: "suspended" });
      const asked = open.filter((call) => !continuesByItself(call));
      found.push(...asked.map((call) => ({ call, run, run_id: latest?.run_id ?? "" })));
    }
  }
  return found;
}
