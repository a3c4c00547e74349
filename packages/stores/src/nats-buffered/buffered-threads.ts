import type { BufferPorts } from "./buffer-ports.ts";
import type { PendingCommit } from "./pending-commits.ts";
import { ThreadBuffer } from "./thread-buffer.ts";

/** Work on one thing, one after the other, whatever becomes of each. */
class SerialQueue {
  #last: Promise<unknown> = Promise.resolve();
  #length = 0;

  get isIdle(): boolean {
    return this.#length === 0;
  }

  async do<Result>(work: () => Promise<Result>): Promise<Result> {
    this.#length += 1;
    const mine = this.#last.then(work, work);
    this.#last = mine.catch(() => undefined);
    try {
      return await mine;
    } finally {
      this.#length -= 1;
    }
  }
}

interface Slot {
  readonly buffer: ThreadBuffer;
  readonly queue: SerialQueue;
}

/** The buffers of the threads this process works on. */
export class BufferedThreads {
  readonly #ports: BufferPorts;
  readonly #slots = new Map<string, Slot>();

  constructor(ports: BufferPorts) {
    this.#ports = ports;
  }

  /** Uses the buffer of a thread when no other process does. */
  async use<Result>(
    tenant: string,
    threadId: string,
    work: (buffer: ThreadBuffer) => Promise<Result>,
  ): Promise<Result> {
    const key = JSON.stringify([tenant, threadId]);
    const slot = this.#slots.get(key) ?? this.#open(key, tenant, threadId);
    try {
      return await slot.queue.do(() => work(slot.buffer));
    } finally {
      if (slot.queue.isIdle && slot.buffer.isEmpty) this.#slots.delete(key);
    }
  }

  /** The highest version of a thread that was acknowledged under a claim and is not in the database. */
  promised(tenant: string, threadId: string, epoch: number): number | undefined {
    return this.#slots.get(JSON.stringify([tenant, threadId]))?.buffer.pending.lastUnder(epoch);
  }

  /** What waits of a run, in order. */
  pendingOf(tenant: string, runId: string): readonly PendingCommit[] {
    const slots = [...this.#slots.values()];
    return slots.find(({ buffer }) => buffer.isOf(tenant) && buffer.pending.hasRun(runId))?.buffer.pending.list ?? [];
  }

  /** Stores what waits of the buffers that are asked for, so that it can be read. */
  async settle(isAsked: (buffer: ThreadBuffer) => boolean): Promise<void> {
    const asked = [...this.#slots.values()].filter(({ buffer }) => !buffer.pending.isEmpty && isAsked(buffer));
    await Promise.all(
      asked.map(({ buffer: { tenant, threadId } }) => this.use(tenant, threadId, (buffer) => buffer.flush())),
    );
  }

  /** Stores everything that waits. What cannot be stored stays in the stream. */
  async close(): Promise<void> {
    const left = [...this.#slots.values()];
    await Promise.allSettled(
      left.map(({ buffer: { tenant, threadId } }) => this.use(tenant, threadId, (buffer) => buffer.leave())),
    );
  }

  #open(key: string, tenant: string, threadId: string): Slot {
    const onLate = (): void => {
      this.use(tenant, threadId, (buffer) => buffer.expire()).catch(() => undefined);
    };
    const slot = { buffer: new ThreadBuffer(this.#ports, tenant, threadId, onLate), queue: new SerialQueue() };
    this.#slots.set(key, slot);
    return slot;
  }
}
