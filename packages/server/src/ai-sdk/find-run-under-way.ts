import { MAX_LIMIT, type MailboxEntry, resumesByItself } from "@reprise/contracts";
import type { RunHandle, TenantRuntime } from "@reprise/runtime";

/**
 * The run that an agent does work on for a thread, or is about to: the one at work, one that waits for a model or was answered, or the
 * next in the mailbox. Undefined when there is none. One that waits is in the history, question included: a replay of it would only take back the
 * answers that are being given on the page.
 */
export async function findRunUnderWay(
  runtime: TenantRuntime,
  agentId: string,
  threadId: string,
): Promise<RunHandle | undefined> {
  const ofAgent = { thread_id: threadId, agent_id: agentId, limit: 1 };
  const due = await listDue(runtime, threadId);
  const [waiting] = (await runtime.runs({ ...ofAgent, status: "waiting" })).items;
  // Last: what was due a moment ago may be at work by now, and nothing goes the other way.
  const [running] = (await runtime.runs({ ...ofAgent, status: "running" })).items;
  if (running !== undefined) return runtime.run(running.run_id);
  if (waiting !== undefined && resumesByItself(waiting)) return runtime.run(waiting.run_id);
  const next =
    due.find(({ run_id }) => run_id === waiting?.run_id) ??
    due.find(({ kind, request }) => kind === "run" && request?.agent_id === agentId);
  return next === undefined ? undefined : runtime.run(next.run_id);
}

/** Runs that wait for a worker, and not for their time. */
async function listDue(runtime: TenantRuntime, threadId: string): Promise<readonly MailboxEntry[]> {
  const pages = await Promise.all(
    (["claimed", "queued"] as const).map((status) =>
      runtime.mailbox.list({ threadId: threadId, status, limit: MAX_LIMIT }),
    ),
  );
  // What was available when it was last changed is so now, also when our idea of the store's time lags a little behind.
  const isDue = ({ available_at, updated_at }: MailboxEntry): boolean =>
    available_at <= Math.max(runtime.now(), updated_at);
  return pages.flatMap(({ items }) => items).filter(isDue);
}
