import { type Thread, textOf } from "@reprise/contracts";
import type { TenantRuntime } from "@reprise/runtime";

const MAX_TITLE = 80;

/** A thread for a list: what it is about, and what happened on it last. */
export async function summariseThread(runtime: TenantRuntime, thread: Thread): Promise<object> {
  const { thread_id, metadata, ...rest } = thread;
  const [first, runs] = await Promise.all([
    runtime.threads.messages(thread_id, { limit: 1 }),
    runtime.runs({ threadId: thread_id, limit: 1 }),
  ]);
  const [message] = first.messages;
  const [run] = runs.items;
  const said = message === undefined ? "" : textOf(message);
  return {
    thread_id,
    title: typeof metadata.title === "string" ? metadata.title : shorten(said),
    ...rest,
    run_count: runs.total,
    last_run:
      run === undefined ? null : { run_id: run.run_id, agent_id: run.agent_id, status: run.status, origin: run.origin },
  };
}

/** The first line, cut between characters. */
function shorten(text: string): string {
  const [line = ""] = text.trim().split("\n", 1);
  const characters = Array.from(line.slice(0, MAX_TITLE * 4));
  return characters.length <= MAX_TITLE ? line : `${characters.slice(0, MAX_TITLE - 1).join("")}…`;
}
