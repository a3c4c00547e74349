import type { Decision, InterruptBehavior, ToolCallRecord } from "@reprise/contracts";
import type { Json } from "@reprise/state";
import type { MailFlag } from "../effects/mail-flag.ts";
import { compareCallIds } from "../thread/derived-ids.ts";
import type { Admission } from "../tools/admit-call.ts";
import type { ExecutedCall } from "../tools/execute-call.ts";
import { type PerformingRun, performCall } from "../tools/perform-call.ts";
import { routeTool, splitByClass } from "../tools/pools/routing-class.ts";
import type { Release } from "../tools/pools/semaphore.ts";
import type { LimitedTool, ToolPools } from "../tools/pools/tool-pools.ts";
import { finishCall, settleExecution, type ToldRun } from "./settle-call.ts";
import { StateChanges } from "./state-changes.ts";

/** The parts of a run that its calls work with and change. */
export type ExecutorRun = PerformingRun &
  ToldRun & {
    /** Aborted when the claim is lost: then nothing that still runs is ours. */
    readonly lost: AbortSignal;
    readonly pools: ToolPools;
  };

/** An abort signal that is only created on demand: most rounds are never interrupted. */
class LazyAbort {
  #controller: AbortController | undefined;
  #aborted: { readonly reason: unknown } | undefined;

  get isAborted(): boolean {
    return this.#aborted !== undefined;
  }

  get signal(): AbortSignal {
    if (this.#controller === undefined) {
      this.#controller = new AbortController();
      if (this.#aborted !== undefined) this.#controller.abort(this.#aborted.reason);
    }
    return this.#controller.signal;
  }

  /** The first reason counts. */
  abort(reason: unknown): void {
    this.#aborted ??= { reason };
    this.#controller?.abort(reason);
  }

  throwIfAborted(): void {
    if (this.#aborted !== undefined) throw this.#aborted.reason;
  }
}

/** A call that passed its gates. */
export interface RunnableCall {
  readonly call: ToolCallRecord;
  readonly admission: Extract<Admission, { kind: "run" }>;
  readonly decision?: Decision | undefined;
}

/** A call that is not executed: refused at the gates, or answered by a plugin. */
export interface AnsweredCall {
  readonly call: ToolCallRecord;
  readonly admission: Extract<Admission, { kind: "end" }>;
}

/** A call in the executor's hands. */
interface Job {
  item: RunnableCall;
  /** What it is when it is at work; absent while it waits for its slot. */
  behavior?: InterruptBehavior;
  /** How many changes were settled when it began. */
  settledBefore: number;
  release?: Release;
  executed?: ExecutedCall;
  readonly settled: PromiseWithResolvers<void>;
}

/**
 * Executes calls beside each other, as far as the pools let them, and makes each part of the run as it finishes. A slot is
 * given back when the result is settled, not before: the next holder sees the state that the result left.
 */
export class CallExecutor {
  readonly #workspace: ExecutorRun;
  readonly #running = new Map<string, Job>();
  readonly #finished: Job[] = [];
  readonly #answered: AnsweredCall[] = [];
  readonly #changes = new StateChanges();
  /** Sends away calls that only wait for a slot: nothing of theirs has happened yet. */
  readonly #sendAway = new LazyAbort();
  /** Stops the calls that may be stopped. */
  readonly #stop = new LazyAbort();
  /** Stops all of them: the claim is lost, or their results are not wanted any more. */
  readonly #giveUp = new LazyAbort();
  #failure: { readonly error: unknown } | undefined;
  #wake: (() => void) | undefined;
  #terminate: string | undefined;
  #isClosed = false;

  constructor(workspace: ExecutorRun) {
    this.#workspace = workspace;
    workspace.signal.addEventListener("abort", this.#onInterrupt, { once: true });
    workspace.lost.addEventListener("abort", this.#onLost, { once: true });
    if (workspace.lost.aborted) this.#onLost();
    if (workspace.signal.aborted) this.#onInterrupt();
  }

  get isBusy(): boolean {
    return this.#running.size > 0 || this.#finished.length > 0 || this.#answered.length > 0;
  }

  /** Whether a call has finished that is not settled yet. */
  get hasFinished(): boolean {
    return this.#finished.length > 0;
  }

  /** Why the run should end after this round, when a tool says so. */
  get terminate(): string | undefined {
    return this.#terminate;
  }

  /** Starts a call, once `before` is over. Resolves when it is settled. */
  start(item: RunnableCall, before?: Promise<unknown>): Promise<void> {
    const { call_id } = item.call;
    const job: Job = { item, settledBefore: 0, settled: Promise.withResolvers() };
    const join = this.#workspace.effects.fork();
    this.#running.set(call_id, job);
    const finish = (): void => {
      join();
      this.#running.delete(call_id);
      if (this.#isClosed) this.#drop(job);
      else this.#finished.push(job);
      this.#stopUnblocked();
      this.#wake?.();
    };
    this.#execute(job, before).then(finish, (error: unknown) => {
      // What an interruption or the end of the round stopped has not failed: it has no result.
      if (!this.#isInterrupted) this.#failure ??= { error };
      finish();
    });
    return job.settled.promise;
  }

  /** Starts calls that were let in together, in the order of the model: runs of one class follow each other. */
  startInOrder(items: readonly RunnableCall[]): void {
    const ordered = items.toSorted((left, right) => compareCallIds(left.call.call_id, right.call.call_id));
    const { tool_concurrency } = this.#workspace.agent.spec;
    let before: Promise<unknown> | undefined;
    for (const run of splitByClass(ordered, (item) => routeTool(item.admission.tool.descriptor, tool_concurrency))) {
      const previous = before;
      before = Promise.all(run.calls.map((item) => this.start(item, previous)));
    }
  }

  /** Takes a call that needs no execution. It is settled in its turn, together with what was executed beside it. */
  answer(answered: AnsweredCall): void {
    this.#answered.push(answered);
  }

  /** Has a call that was begun before it was committed settle as what it has become since. */
  confirm(call: ToolCallRecord): void {
    const job =
      this.#running.get(call.call_id) ?? this.#finished.find(({ item }) => item.call.call_id === call.call_id);
    if (job !== undefined) job.item = { ...job.item, call };
  }

  /**
   * Waits until a call has finished, or mail comes first, and settles all that have; tells whether there were any. Throws
   * what broke an execution, and, once nothing is left that may still finish, why the run is to stop.
   */
  async settleNext(mail?: MailFlag): Promise<boolean> {
    const isMailed = mail?.has("decisions") === true;
    if (this.#finished.length === 0 && this.#running.size > 0 && this.#failure === undefined && !isMailed) {
      const { promise, resolve } = Promise.withResolvers<void>();
      const resume = this.#workspace.effects.rest();
      this.#wake = () => {
        resume();
        resolve();
      };
      mail?.onArrival(this.#wake);
      await promise;
    }
    if (this.#failure !== undefined) throw this.#failure.error;
    if (this.#giveUp.isAborted) this.#workspace.signal.throwIfAborted();
    const finished = this.#finished.splice(0);
    if (finished.length === 0 && this.#running.size > 0) return false;
    const settled = [
      ...finished.map((job) => ({ id: job.item.call.call_id, settle: () => this.#settle(job) })),
      ...this.#answered.splice(0).map((call) => ({ id: call.call.call_id, settle: () => this.#settleAnswer(call) })),
    ];
    settled.sort((left, right) => compareCallIds(left.id, right.id));
    await settleAll(settled.map(({ settle }) => settle));
    if (!this.isBusy) {
      this.#workspace.signal.throwIfAborted();
    }
    return settled.length > 0;
  }

  /** Ends the executor. What still runs is given up: the round it belongs to is over, by its end or by a failure. */
  close(): void {
    this.#isClosed = true;
    this.#workspace.signal.removeEventListener("abort", this.#onInterrupt);
    this.#workspace.lost.removeEventListener("abort", this.#onLost);
    for (const job of this.#finished.splice(0)) this.#drop(job);
    if (this.#running.size > 0) this.#stopAll(new Error("The round was given up."));
  }

  get #isInterrupted(): boolean {
    return this.#isClosed || this.#workspace.signal.aborted || this.#workspace.lost.aborted;
  }

  async #execute(job: Job, before: Promise<unknown> | undefined): Promise<void> {
    if (before !== undefined) await before;
    const { call, admission, decision } = job.item;
    const { descriptor } = admission.tool;
    const { tool_concurrency } = this.#workspace.agent.spec;
    const route = routeTool(descriptor, tool_concurrency);
    if (route === "short_circuit") throw new TypeError("a call without a tool cannot run");
    const max = tool_concurrency[descriptor.id]?.max;
    this.#sendAway.throwIfAborted();
    const limited = { id: descriptor.id, max };
    job.release = await this.#takeSlot(call.call_id, route, limited);
    this.#sendAway.throwIfAborted();
    job.behavior = descriptor.interrupt_behavior;
    job.settledBefore = this.#changes.settledCount;
    const signal = job.behavior === "cancel" ? this.#stop.signal : this.#giveUp.signal;
    const { document } = this.#workspace;
    const { tool, input } = admission;
    job.executed = await performCall(this.#workspace, { tool, call, input, decision, document, signal });
  }

  /** Pools are shared with other runs of the tree: whether there is a slot, and when, comes from outside. */
  async #takeSlot(callId: string, route: Parameters<ToolPools["tryAdmit"]>[0], tool: LimitedTool): Promise<Release> {
    const { pools, effects } = this.#workspace;
    const question = { kind: "place", of: callId } as const;
    const isFree = { ...question, encode: (release: Release | undefined) => release !== undefined, decode: freeSlot };
    const free = effects.note(isFree, () => pools.tryAdmit(route, tool));
    if (free !== undefined) return free;
    const given = { ...question, encode: () => undefined, decode: () => NOTHING };
    return effects.perform(given, () => pools.admit(route, tool, this.#sendAway.signal));
  }

  /** A call without a result stays open: the end of the run gives it one. */
  async #settle(job: Job): Promise<void> {
    const { item, executed, settledBefore } = job;
    try {
      if (executed === undefined) return;
      const isKept = executed.result.status !== "error";
      const ops = isKept ? this.#changes.rebase(this.#workspace, item.call, executed.state, settledBefore) : [];
      await settleExecution(this.#workspace, item.call, executed, ops);
      this.#terminate = executed.terminate ?? this.#terminate;
    } finally {
      this.#drop(job);
    }
  }

  #drop({ release, settled }: Job): void {
    release?.();
    settled.resolve();
  }

  async #settleAnswer({ call, admission }: AnsweredCall): Promise<void> {
    await finishCall(this.#workspace, call, admission);
  }

  readonly #onLost = (): void => {
    this.#stopAll(this.#workspace.lost.reason);
    this.#wake?.();
  };

  #stopAll(reason: unknown): void {
    for (const controller of [this.#sendAway, this.#stop, this.#giveUp]) controller.abort(reason);
  }

  readonly #onInterrupt = (): void => {
    this.#sendAway.abort(this.#workspace.signal.reason);
    this.#stopUnblocked();
    this.#wake?.();
  };

  /** Stops what may be stopped, unless a call at work holds the interruption off. */
  #stopUnblocked(): void {
    const { signal } = this.#workspace;
    if (!signal.aborted || this.#stop.isAborted) return;
    const isHeldOff = [...this.#running.values()].some(({ behavior }) => behavior === "block");
    if (!isHeldOff) this.#stop.abort(signal.reason);
  }
}

const NOTHING: Release = () => undefined;

function freeSlot(isFree: Json | undefined): Release | undefined {
  return isFree === true ? NOTHING : undefined;
}

/** Settles all, also when one of them fails: what the others did is a fact too. Throws what failed first. */
async function settleAll(settles: readonly (() => Promise<void>)[]): Promise<void> {
  let failure: { readonly error: unknown } | undefined;
  for (const settle of settles) {
    await settle().catch((error: unknown) => {
      failure ??= { error };
    });
  }
  if (failure !== undefined) throw failure.error;
}
