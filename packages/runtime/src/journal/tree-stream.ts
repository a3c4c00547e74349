import {
  type AgentEvent,
  type EventCursor,
  type EventLineage,
  type EventOf,
  RepriseError,
  type RunRecord,
} from "@reprise/contracts";
import { getAt } from "@reprise/state";
import { advanceProgress, type Progress, startProgress } from "./child-progress.ts";
import { type EventIterator, EventStream, type ReadEvent, type ReadOptions, type RunKey } from "./event-stream.ts";
import { hasInput } from "./is-under-way.ts";
import type { JournalSources } from "./journal-sources.ts";

/** What a reader gets of the runs below: all of their events, or only how they stand. */
export type ChildrenMode = "events" | "progress";

export interface TreeOptions extends ReadOptions {
  readonly children: ChildrenMode;
}

/** An event of a run or of a run below it, with the cursor that continues after it. */
export interface TreeEvent {
  readonly event: AgentEvent;
  readonly cursor: EventCursor;
}

/** The progress of one run is told so often at most, apart from changes of its status. */
const PROGRESS_MS = 250;

/** Unread live events that are kept of each run below: there may be many of them. */
const MAX_BEHIND_BELOW = 100;

const DONE: IteratorResult<never, void> = { done: true, value: undefined };
const asRead = (read: ReadEvent): ReadEvent => read;

/** One run of the tree, as far as it was read. */
interface Branch {
  readonly threadId: string;
  readonly stream: EventStream<ReadEvent>;
  readonly stopListening: () => void;
  /** Absent for the run at the top. */
  readonly child: Child | undefined;
  runId: string;
  epoch: number;
  seq: number;
  /** Has arrived and was not handed out. */
  next: ReadEvent | undefined;
  isPending: boolean;
  /** As far as is known the run needs a person. */
  mayAsk: boolean;
  isOver: boolean;
}

interface Child {
  readonly lineage: EventLineage;
  readonly parentThreadId: string;
  /** No call up to the top waits for it. */
  readonly isAside: boolean;
  /** Its call waits for it: the result of the call comes after the run's last event. */
  isAwaited: boolean;
  /** Its call has a result: the event that started this run is committed, and does not come again. */
  isSettled: boolean;
  progress: Progress;
  toldAt: number;
}

/**
 * The events of a run and of all runs below it, each read from its own log. A run below joins with the event of its parent that
 * says it was started. Its last event comes before the result of the call that waited for it. Otherwise the runs take turns.
 *
 * Without `follow` the stream ends where the run's own would, and also where every run that the run waits for needs a person. With it
 * the stream stays until all runs are over.
 */
export class TreeStream<Item> implements EventIterator<Item> {
  readonly #services: JournalSources;
  readonly #tenant: string;
  readonly #options: TreeOptions;
  readonly #project: (read: TreeEvent) => Item;
  readonly #root: Branch;
  /** In the order in which they joined. Each is asked first in its turn, so that none waits for all others. */
  #branches: Branch[];
  #turn = 0;
  readonly #joined = new Set<string>();
  /** To be handed out before anything else. */
  readonly #made: TreeEvent[] = [];
  /** Whether something happened since the tree was last found to be at work. */
  #mayWait = true;
  #isOpen: boolean;
  #isOver = false;
  #failure: { readonly error: unknown } | undefined;
  #heard = Promise.withResolvers<void>();
  #last: Promise<unknown> = Promise.resolve();
  /** How many asked and have no answer yet. */
  #waiting = 0;

  constructor(services: JournalSources, key: RunKey, options: TreeOptions, project: (read: TreeEvent) => Item) {
    this.#services = services;
    this.#tenant = key.tenant;
    this.#options = options;
    this.#project = project;
    this.#root = this.#branch(key, options.after, undefined);
    this.#branches = [this.#root];
    this.#isOpen = options.after?.below === undefined;
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  next(): Promise<IteratorResult<Item, void>> {
    const taken = this.takeNow();
    if (taken !== undefined) return Promise.resolve({ done: false, value: taken });
    const answer = this.#last.then(() => this.#advance());
    this.#waiting += 1;
    this.#last = answer
      .catch(() => undefined)
      .then(() => {
        this.#waiting -= 1;
      });
    return answer;
  }

  takeNow(): Item | undefined {
    // Those who asked before are answered before.
    const taken = this.#isOver || !this.#isOpen || this.#waiting > 0 ? undefined : this.#take();
    return taken === undefined ? undefined : this.#project(taken);
  }

  async return(): Promise<IteratorResult<Item, void>> {
    this.#end();
    return DONE;
  }

  async #advance(): Promise<IteratorResult<Item, void>> {
    try {
      if (!this.#isOpen) await this.#reopen();
      for (;;) {
        const taken = this.#isOver ? undefined : this.#take();
        if (taken !== undefined) return { done: false, value: this.#project(taken) };
        if (this.#failure !== undefined) throw this.#failure.error;
        if (this.#isOver || (await this.#isAtEnd())) return this.#end();
        await this.#hear();
      }
    } catch (error) {
      this.#end();
      throw error;
    }
  }

  #end(): IteratorResult<Item, void> {
    this.#isOver = true;
    for (const { stream, stopListening } of this.#branches) {
      stopListening();
      void stream.return();
    }
    this.#heard.resolve();
    return DONE;
  }

  /** Joins the runs below that the cursor names: each was started and not read to its end. */
  async #reopen(): Promise<void> {
    const { after } = this.#options;
    const top = after?.run_id ?? "";
    for (const cursor of after?.below ?? []) {
      const run = await this.#loadBelow(cursor.run_id, top);
      // Deleted since, or named by a client that made its cursor up.
      if (run === undefined) continue;
      const { parent_run_id = "", parent_call_id: call_id = "", agent_id, depth = 1, background = false } = run;
      const parent = this.#branches.find(({ runId }) => runId === parent_run_id);
      const child: Child = {
        lineage: { parent_run_id, call_id, agent_id, depth },
        parentThreadId: run.parent_thread_id ?? "",
        // A parent that is over waits for nothing.
        isAside: background || parent === undefined || parent.child?.isAside === true,
        isAwaited: !background,
        isSettled: background,
        progress: startProgress(run),
        toldAt: 0,
      };
      this.#add({ tenant: this.#tenant, threadId: run.thread_id, runId: cursor.run_id }, cursor, child);
    }
    this.#isOpen = true;
  }

  /** The record of a run below the one at the top. A run that is still queued has none yet; its request says the same. */
  async #loadBelow(runId: string, top: string): Promise<RunRecord | undefined> {
    const store = this.#services.store.forTenant(this.#tenant);
    const load = async (id: string): Promise<RunRecord | undefined> => {
      const record = await store.loadRun(id);
      if (record !== undefined) return record;
      const { items } = await store.listEntries({ run_id: id });
      const queued = items.find(({ kind, request }) => kind === "run" && request !== undefined);
      // What is read of it is in both.
      return queued && ({ ...queued.request, thread_id: queued.thread_id } as RunRecord);
    };
    const run = await load(runId);
    for (let above = run; above !== undefined && above.depth !== undefined; ) {
      const { parent_run_id = "" } = above;
      if (parent_run_id === top) return run;
      above = await load(parent_run_id);
    }
    return undefined;
  }

  #add(key: RunKey, after: EventCursor | undefined, child: Child): void {
    this.#joined.add(key.runId);
    this.#branches.push(this.#branch(key, after === undefined || after.seq === 0 ? undefined : after, child));
  }

  #branch(key: RunKey, after: EventCursor | undefined, child: Child | undefined): Branch {
    const { signal, follow = false } = this.#options;
    const reading = {
      // A run below is stayed with while it waits: others may go on meanwhile.
      follow: follow || child !== undefined,
      ...(after !== undefined && { after: { run_id: after.run_id, epoch: after.epoch, seq: after.seq } }),
      ...(signal !== undefined && { signal }),
      ...(child !== undefined && { maxBehind: MAX_BEHIND_BELOW }),
    };
    return {
      threadId: key.threadId,
      stream: new EventStream(this.#services, key, reading, asRead),
      stopListening: this.#services.signals.listenTo(key.tenant, key.threadId, () => {
        this.#mayWait = true;
        this.#heard.resolve();
      }),
      child,
      runId: key.runId,
      epoch: after?.epoch ?? 0,
      seq: after?.seq ?? 0,
      next: undefined,
      isPending: false,
      mayAsk: after !== undefined,
      isOver: false,
    };
  }

  #take(): TreeEvent | undefined {
    for (;;) {
      const made = this.#made.shift();
      if (made !== undefined) return made;
      const branch = this.#nextReady();
      if (branch?.next === undefined) return undefined;
      const { next } = branch;
      branch.next = undefined;
      this.#read(branch, next);
    }
  }

  #nextReady(): Branch | undefined {
    const { length } = this.#branches;
    for (let tried = 0; tried < length; tried += 1) {
      const position = (this.#turn + tried) % length;
      const branch = this.#branches[position] as Branch;
      if (!branch.isPending && !branch.isOver) branch.next ??= branch.stream.takeNow();
      if (branch.next === undefined || this.#isHeld(branch, branch.next.event)) continue;
      this.#turn = (position + 1) % length;
      return branch;
    }
    return undefined;
  }

  /** The result of a call comes after everything that the run it waited for has to say. */
  #isHeld({ runId }: Branch, event: AgentEvent): boolean {
    if (event.type !== "tool_call_done" && event.type !== "tool_call_cancelled") return false;
    return this.#branches.some(({ child, isOver }) => !isOver && child?.isAwaited && isOf(child, runId, event.data.id));
  }

  /** Takes an event in, and says what the reader gets of it. */
  #read(branch: Branch, { event, epoch }: ReadEvent): void {
    const { child } = branch;
    const before = this.#cursor();
    branch.runId = event.run_id;
    branch.epoch = epoch;
    branch.seq = event.type === "stream_reset" ? event.data.from_seq : (event.seq ?? branch.seq);
    branch.mayAsk = event.type === "run_finish" && event.data.termination.type === "suspended";
    this.#mayWait = true;
    const progress = child && this.#advanceChild(branch, child, advanceProgress(child.progress, event));
    this.#follow(branch, event);
    const cursor = this.#cursor();
    const isShown = child === undefined || this.#options.children === "events";
    // A reader that gets both may be cut off in between: then it gets both again.
    if (progress !== undefined) this.#made.push({ event: progress, cursor: isShown ? before : cursor });
    // The same event with one more field.
    const shown = child === undefined ? event : ({ ...event, lineage: child.lineage } as AgentEvent);
    if (isShown) this.#made.push({ event: shown, cursor });
  }

  /** What an event means for the runs that are read. */
  #follow(branch: Branch, event: AgentEvent): void {
    switch (event.type) {
      case "child_run_start":
        if (!this.#joined.has(event.data.child_run_id)) this.#join(branch, event);
        return;
      case "activity_snapshot": {
        const waitsFor = getAt(event.data.content, ["child_run_id"]);
        for (const { runId, child } of this.#branches) if (child && runId === waitsFor) child.isAwaited = true;
        return;
      }
      case "tool_call_done":
        for (const { child } of this.#branches) {
          if (child && isOf(child, branch.runId, event.data.id)) child.isSettled = event.data.outcome !== "suspended";
        }
        return this.#leave();
      case "run_finish":
        if (!branch.mayAsk) this.#close(branch);
        return;
      default:
    }
  }

  #join(parent: Branch, { data }: EventOf<"child_run_start">): void {
    const { child_run_id: runId, child_thread_id: threadId, agent_id, id, depth, background = false } = data;
    this.#add({ tenant: this.#tenant, threadId, runId }, undefined, {
      lineage: { parent_run_id: parent.runId, call_id: id, agent_id, depth },
      parentThreadId: parent.threadId,
      isAside: background || parent.child?.isAside === true,
      isAwaited: false,
      isSettled: false,
      progress: startProgress(),
      toldAt: 0,
    });
  }

  /** Notes how a run below stands; returns the event that tells it, when it is to be told now. */
  #advanceChild(branch: Branch, child: Child, next: Progress): EventOf<"child_run_progress"> | undefined {
    const { progress, toldAt } = child;
    if (next === progress) return undefined;
    child.progress = next;
    const timestamp_ms = this.#services.time.now();
    if (next.status === progress.status && timestamp_ms - toldAt < PROGRESS_MS) return undefined;
    child.toldAt = timestamp_ms;
    const { lineage, parentThreadId: thread_id } = child;
    const { parent_run_id: run_id, call_id: id, agent_id } = lineage;
    const { seq: _seq, ...standing } = next;
    const parent = this.#branches.find(({ runId }) => runId === run_id)?.child;
    return {
      type: "child_run_progress",
      run_id,
      thread_id,
      timestamp_ms,
      ...(parent !== undefined && { lineage: parent.lineage }),
      data: { id, child_run_id: branch.runId, agent_id, ...standing },
    };
  }

  /** A run is read to its end. */
  #close(branch: Branch): void {
    branch.isOver = true;
    branch.mayAsk = false;
    branch.stopListening();
    const { child } = branch;
    // One that was cancelled before it began has no event of its own.
    const isUnbegun = child?.progress.status === "running";
    const progress = isUnbegun && this.#advanceChild(branch, child, { ...child.progress, status: "stopped" });
    this.#mayWait = true;
    this.#leave();
    if (progress) this.#made.push({ event: progress, cursor: this.#cursor() });
  }

  /** Forgets the runs that need not be in a cursor any more. */
  #leave(): void {
    const kept = this.#branches.filter(({ isOver, child }) => !isOver || child?.isSettled !== true);
    if (kept.length < this.#branches.length) this.#turn = 0;
    this.#branches = kept;
  }

  #cursor(): EventCursor {
    const [top, ...below] = this.#branches.map(({ runId: run_id, epoch, seq }) => ({ run_id, epoch, seq }));
    // The run at the top is always the first.
    const own = top as EventCursor;
    return below.length === 0 ? own : { ...own, below };
  }

  /** Waits until some run may have something to hand out. */
  async #hear(): Promise<void> {
    for (const branch of this.#branches) {
      if (branch.isPending || branch.isOver || branch.next !== undefined) continue;
      branch.isPending = true;
      branch.stream.next().then(
        (result) => this.#arrive(branch, result.done === true ? undefined : result.value),
        (error: unknown) => this.#fail(branch, error),
      );
    }
    await this.#heard.promise;
    this.#heard = Promise.withResolvers();
  }

  #arrive(branch: Branch, next: ReadEvent | undefined): void {
    branch.isPending = false;
    branch.next = next;
    if (next === undefined && !branch.isOver) this.#close(branch);
    this.#heard.resolve();
  }

  #fail(branch: Branch, error: unknown): void {
    // A run below whose thread was deleted is over for its readers.
    if (branch.child !== undefined && RepriseError.is(error, "RUN_NOT_FOUND")) return this.#arrive(branch, undefined);
    this.#failure = { error };
    this.#heard.resolve();
  }

  async #isAtEnd(): Promise<boolean> {
    if (this.#made.length > 0) return false;
    const { follow = false } = this.#options;
    if (this.#root.isOver && (!follow || this.#branches.every(({ isOver }) => isOver))) return true;
    if (follow || !this.#mayWait || !this.#branches.some(({ mayAsk }) => mayAsk)) return false;
    this.#mayWait = false;
    return this.#needsPerson();
  }

  /** Whether nothing happens to the run at the top before a person decides about a call below it. */
  async #needsPerson(): Promise<boolean> {
    const store = this.#services.store.forTenant(this.#tenant);
    let isAsking = false;
    for (const { runId, seq, child, isOver } of [...this.#branches]) {
      if (isOver || child?.isAside === true) continue;
      const run = await store.loadRun(runId);
      if (run === undefined || run.status !== "waiting" || run.model_wait !== undefined) return false;
      // There is more to read, or it is about to continue.
      if (run.last_seq !== seq || (await hasInput(store, run))) return false;
      if (run.awaits_runs !== true) isAsking = true;
    }
    return isAsking;
  }
}

function isOf({ lineage }: Child, runId: string, callId: string): boolean {
  return lineage.parent_run_id === runId && lineage.call_id === callId;
}
