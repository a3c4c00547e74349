import { type AgentEvent, parseCursor, RepriseError } from "@reprise/contracts";
import type { RunHandle } from "@reprise/runtime";
import type { FakeProcess } from "./process.ts";

/** An event as a reader has it, with the cursor it came with. */
export interface SeenEvent {
  readonly event: AgentEvent;
  readonly epoch: number;
  readonly cursor: string;
}

const COMMITTED_ONLY: ReadonlySet<string> = new Set(["tool_call_done", "tool_call_resumed", "step_end", "run_finish"]);

/** Reads one run, here and there, and keeps what it was told: resets take back, everything else is added. */
export class Reader {
  readonly runId: string;
  readonly follow: boolean;
  seen: SeenEvent[] = [];
  readonly withdrawn: SeenEvent[] = [];
  readonly problems: string[] = [];
  process: FakeProcess | undefined;
  #stop = new AbortController();
  #isFirst = false;
  #committedBefore = 0;
  /** Committed events by seq, as they are now. */
  readonly #journal: () => Promise<readonly AgentEvent[]>;

  constructor(runId: string, follow: boolean, journal: () => Promise<readonly AgentEvent[]>) {
    this.runId = runId;
    this.follow = follow;
    this.#journal = journal;
  }

  get isDone(): boolean {
    const last = this.seen.at(-1)?.event;
    return last?.type === "run_finish" && last.data.termination.type !== "suspended";
  }

  /** Whether somebody still tells it something. */
  isReading = false;

  /** Leaves where it reads, forgets the last few events, and continues elsewhere. */
  attach(process: FakeProcess, handle: RunHandle, back: number): void {
    this.#stop.abort();
    this.#stop = new AbortController();
    if (this.isDone && back === 0) return;
    this.process = process;
    this.seen = this.seen.slice(0, Math.max(0, this.seen.length - back));
    void this.#read(process, handle, this.#stop.signal).catch((error: unknown) => {
      this.isReading = false;
      const isExpected = RepriseError.is(error, "RUNTIME_CLOSED") || RepriseError.is(error, "STORE_UNAVAILABLE");
      if (!isExpected) this.problems.push(`reading failed: ${String(error)}`);
    });
  }

  async #read(process: FakeProcess, handle: RunHandle, signal: AbortSignal): Promise<void> {
    const after = this.seen.at(-1)?.cursor;
    this.isReading = true;
    // Who resumes in the middle of a step may be sent back to what was committed then.
    this.#committedBefore = (await this.#journal()).length;
    this.#isFirst = true;
    const events = handle.eventsWithCursor({ follow: this.follow, signal, ...(after !== undefined && { after }) });
    for await (const { event, cursor } of events) {
      if (signal.aborted) return;
      if (process.status !== "alive") await process.admit();
      if (signal.aborted) return;
      await this.#take(event, cursor);
    }
    if (!signal.aborted) this.isReading = false;
  }

  async #take(event: AgentEvent, cursor: string): Promise<void> {
    if (event.type === "stream_reset") {
      const kept = this.seen.filter((item) => (item.event.seq ?? 0) <= event.data.from_seq);
      const taken = this.seen.slice(kept.length);
      const isResumed = this.#isFirst;
      this.withdrawn.push(
        ...(isResumed ? taken.filter(({ event: { seq = 0 } }) => seq <= this.#committedBefore) : taken),
      );
      this.#isFirst = false;
      this.seen = kept;
      return;
    }
    this.#isFirst = false;
    const last = this.seen.at(-1)?.event.seq ?? 0;
    if (event.seq !== last + 1) this.problems.push(`event ${event.seq} (${event.type}) came after ${last}`);
    this.seen.push({ event, cursor, epoch: parseCursor(cursor)?.epoch ?? 0 });
    if (!COMMITTED_ONLY.has(event.type)) return;
    const stored = (await this.#journal()).find(({ seq }) => seq === event.seq);
    if (JSON.stringify(stored) !== JSON.stringify(event)) {
      this.problems.push(`event ${event.seq} (${event.type}) was shown before it was committed`);
    }
  }
}
