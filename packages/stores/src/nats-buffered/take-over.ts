import { RepriseError } from "@reprise/contracts";
import type { ThreadAnswers, ThreadRequest } from "../kernel/request.ts";
import type { StoreDriver } from "../shell/driver.ts";
import { decodeMessage, encodeMessage } from "./buffer-message.ts";
import type { BufferPorts } from "./buffer-ports.ts";
import { isUnavailable } from "./is-unavailable.ts";
import type { StreamMessage } from "./nats-client.ts";
import type { PendingCommit } from "./pending-commits.ts";

type Flush = ThreadRequest<"flush">;

/** A thread that another process claimed while its run is running. */
export interface ClaimedThread {
  readonly tenant: string;
  readonly thread_id: string;
  readonly run_id: string;
  readonly epoch: number;
  /** One that the database is known to have. */
  readonly version: number;
}

/** Where our fence stands in the thread's subject, and what became of what was before it, when there was anything. */
export interface TakenOver {
  readonly last: number;
  readonly flushed?: ThreadAnswers["flush"];
}

/** What was found in a subject: the commits of the run by their versions, and the highest version that anything speaks of. */
interface Left {
  readonly commits: Map<number, Pick<PendingCommit, "changeset" | "epoch">>;
  promised: number;
}

/**
 * Makes a thread's subject ours: a fence, after which earlier writers can no longer write. What stands before it was
 * acknowledged, so it goes to the database first. `remembered` is what this process knows to have been acknowledged, should
 * the server no longer have it.
 */
export async function takeOver(
  ports: BufferPorts,
  thread: ClaimedThread,
  remembered: readonly PendingCommit[],
): Promise<TakenOver> {
  const { stream } = ports;
  const { tenant, thread_id, epoch } = thread;
  const subject = ports.subjectOf(tenant, thread_id);
  const fence = encodeMessage({ kind: "fence", tenant, thread_id, epoch });
  const last = await stream.append(subject, fence);
  const messages = await stream.read(subject, last);
  const left = collect(messages, thread);
  for (const { version, changeset, epoch: shown } of remembered) {
    // Had there been an owner in between, the run continued without what only we remember.
    const isLast = shown === epoch - 1 && changeset.run_id === thread.run_id;
    if (isLast) left.commits.set(version, { changeset, epoch: shown });
  }
  const isEmpty = left.commits.size === 0 && left.promised === 0;
  const flushed = isEmpty ? {} : { flushed: await store(ports.inner, toRequest(thread, left)) };
  // Only now: until here no other process has it.
  if (messages.length > 0) stream.trim(subject, last);
  return { last, ...flushed };
}

/** Of two messages that make the same version the later one counts: its writer knew that the first was not acknowledged. */
function collect(messages: readonly StreamMessage[], { run_id, version }: ClaimedThread): Left {
  const left: Left = { commits: new Map(), promised: 0 };
  for (const { data } of messages) {
    const message = decodeMessage(data);
    if (message.kind === "fence" || message.version <= version) continue;
    if (message.kind === "damaged") left.promised = Math.max(left.promised, message.version);
    if (message.kind !== "commit" || message.changeset.run_id !== run_id) continue;
    left.commits.set(message.version, { changeset: message.changeset, epoch: message.epoch });
  }
  return left;
}

function toRequest({ tenant, thread_id, epoch }: ClaimedThread, { commits, promised }: Left): Flush {
  const inOrder = [...commits].sort(([version], [other]) => version - other);
  return {
    operation: "flush",
    tenant,
    thread_id,
    commits: inOrder.map(([version, { changeset, epoch: shown_epoch }]) => {
      return { changeset, guard: { expected: version - 1, epoch }, shown_epoch };
    }),
    recovery: { epoch, promised: Math.max(promised, ...commits.keys()) },
  };
}

/**
 * Stores what was left. Should the database not take one of the commits although the rules do, it gets those before it, and the
 * rest is lost: that is reported, and better than a thread that cannot be continued.
 */
async function store(inner: StoreDriver, request: Flush): Promise<ThreadAnswers["flush"]> {
  for (let count = request.commits.length; ; count -= 1) {
    try {
      return await inner.execute({ ...request, commits: request.commits.slice(0, count) });
    } catch (error) {
      if (isUnavailable(error) || RepriseError.is(error, "STALE_EPOCH") || count === 0) throw error;
    }
  }
}
