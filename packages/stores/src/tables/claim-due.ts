import type { ClaimAnswer, Claimer, ThreadRequest } from "../kernel/request.ts";
import type { Tables } from "./tables.ts";
import type { ThreadTables } from "./thread-tables.ts";

/** What claiming needs of the store. */
export interface ClaimPorts {
  readonly tables: Tables;
  now(): number;
  execute(request: ThreadRequest<"claim">): Promise<ClaimAnswer | null>;
}

/** Offers threads that are due, the most urgent first, each once, until enough claims were granted. */
export async function claimDue(
  { tables, now, execute }: ClaimPorts,
  request: Claimer,
  limit: number,
): Promise<readonly ClaimAnswer[]> {
  const granted: ClaimAnswer[] = [];
  const offered = new Set<ThreadTables>();
  while (granted.length < limit) {
    const due = tables.work.due(now(), limit - granted.length, { needs: request.needs, except: offered });
    if (due.length === 0) break;
    const answers = due.map((thread) => {
      offered.add(thread);
      const { tenant } = thread.tenant;
      return execute({ operation: "claim", tenant, thread_id: thread.threadId, request });
    });
    const settled = await Promise.allSettled(answers);
    for (const answer of settled)
      if (answer.status === "fulfilled" && answer.value !== null) granted.push(answer.value);
    const failure = settled.find((answer) => answer.status === "rejected");
    // The caller holds what was granted: an error would lose it.
    if (failure !== undefined && granted.length === 0) throw failure.reason;
    if (failure !== undefined) break;
  }
  return granted;
}
