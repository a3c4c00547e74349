import type { Decision, InterruptBehavior, ToolCallRecord } from "@reprise/contracts";
import { ClaimLost } from "../dispatcher/outcomes.ts";
import type { Admission } from "../tools/admit-call.ts";
import { type ExecutedCall, executeCall } from "../tools/execute-call.ts";
import { routeTool } from "../tools/pools/routing-class.ts";
import type { Release } from "../tools/pools/semaphore.ts";
import { compareCallIds } from "./derived-ids.ts";
import type { RunWorkspace } from "./run-workspace.ts";
import { endCall, settleExecution, tellPlugins } from "./settle-call.ts";
import { StateChanges } from "./state-changes.ts";

/** A call that passed its gates and is committed as running. */
export interface RunnableCall {
  readonly call: ToolCallRecord;
  readonly admission: Extract<Admission, { kind: "run" }>;
  readonly decision?: Decision | undefined;
  /** An execution that was begun while the model still spoke. */
  readonly early?: Promise<ExecutedCall>;
}

/** A call that is not executed: refused at the gates, or answered by a plugin. */
export interface AnsweredCall {
  readonly call: ToolCallRecord;
  readonly admission: Extract<Admission, { kind: "end" }>;
}

interface FinishedCall {
  readonly item: RunnableCall;
  /** Absent when the call was stopped before it came to a result. */
  readonly executed?: ExecutedCall;
  readonly mark: number;
  readonly release: Release;
}

/**
 * Executes calls beside each other, as far as the pools let them, and makes each part of the run as it finishes. A place is
 * given back when the result is settled, not before: whoever gets it next sees the state that result left.
 */
export class CallExecutor {
  readonly #workspace: RunWorkspace;
  readonly #running = new Map<string, InterruptBehavior>();
  readonly #finished: FinishedCall[] = [];
  readonly #answered: AnsweredCall[] = [];
  readonly #changes = new StateChanges();
  /** Stops the calls that may be stopped. */
  readonly #stop = new AbortController();
  /** Stops all of them: what they do is no longer ours. */
  readonly #lost = new AbortController();
  #failure: { readonly error: unknown } | undefined;
  #wake: (() => void) | undefined;
  #terminate: string | undefined;
  #isClosed = false;

  constructor(workspace: RunWorkspace) {
    this.#workspace = workspace;
    workspace.signal.addEventListener("abort", this.#onInterrupt, { once: true });
    if (workspace.signal.aborted) this.#onInterrupt();
  }

  get isBusy(): boolean {
    return this.#running.size > 0 || this.#finished.length > 0 || this.#answered.length > 0;
  }

  /** Why the run should end after this round, when a tool says so. */
  get terminate(): string | undefined {
    return this.#terminate;
  }

  start(item: RunnableCall): void {
    const { call, admission } = item;
    this.#running.set(call.call_id, admission.tool.descriptor.interrupt_behavior);
    this.#execute(item)
      .then(
        (finished) => {
          if (this.#isClosed) finished.release();
          else this.#finished.push(finished);
        },
        (error: unknown) => {
          this.#failure ??= { error };
        },
      )
      .finally(() => {
        this.#running.delete(call.call_id);
        this.#stopUnblocked();
        this.#wake?.();
      });
  }

  /** Takes a call that needs no execution. It is settled in its turn, together with what was executed beside it. */
  answer(answered: AnsweredCall): void {
    this.#answered.push(answered);
  }

  /**
   * Waits until a call has finished, or `other` comes first, and settles all that have; tells whether there were any. Throws
   * what broke an execution, and, once nothing is left that may still finish, why the run is to stop.
   */
  async settleNext(other?: Promise<void>): Promise<boolean> {
    if (this.#finished.length === 0 && this.#running.size > 0 && this.#failure === undefined) {
      const { promise, resolve } = Promise.withResolvers<void>();
      this.#wake = resolve;
      await (other === undefined ? promise : Promise.race([promise, other]));
    }
    if (this.#failure !== undefined) throw this.#failure.error;
    const finished = this.#finished.splice(0);
    if (finished.length === 0 && this.#running.size > 0) {
      if (this.#lost.signal.aborted) this.#workspace.signal.throwIfAborted();
      return false;
    }
    const settled = [
      ...finished.map((call) => ({ id: call.item.call.call_id, settle: () => this.#settle(call) })),
      ...this.#answered.splice(0).map((call) => ({ id: call.call.call_id, settle: () => this.#settleAnswer(call) })),
    ];
    settled.sort((left, right) => compareCallIds(left.id, right.id));
    for (const { settle } of settled) await settle();
    if (this.#lost.signal.aborted || !this.isBusy) this.#workspace.signal.throwIfAborted();
    return settled.length > 0;
  }

  /** Ends the executor. What still runs is given up: the round it belongs to is over, by its end or by a failure. */
  close(): void {
    this.#isClosed = true;
    this.#workspace.signal.removeEventListener("abort", this.#onInterrupt);
    for (const { release } of this.#finished.splice(0)) release();
    if (this.#running.size > 0) this.#lost.abort(new Error("The round was given up."));
    this.#stop.abort(this.#lost.signal.reason);
  }

  async #execute(item: RunnableCall): Promise<FinishedCall> {
    const { call, admission, decision, early } = item;
    const { descriptor } = admission.tool;
    const { spec } = this.#workspace.agent;
    const signal = descriptor.interrupt_behavior === "cancel" ? this.#stop.signal : this.#lost.signal;
    let release: Release | undefined;
    try {
      const route = routeTool(descriptor, spec.tool_concurrency);
      if (route === "short_circuit") throw new TypeError("a call without a tool cannot run");
      const max = spec.tool_concurrency[descriptor.id]?.max;
      // Waiting for a place can always be given up: nothing has happened yet.
      release = await this.#workspace.pools.admit(route, { id: descriptor.id, max }, this.#stop.signal);
      const mark = this.#changes.mark;
      const executed =
        early ?? (await this.#begin({ tool: admission.tool, call, input: admission.input, decision, signal }));
      return { item, executed: await executed, mark, release };
    } catch (error) {
      if (!this.#stop.signal.aborted && !this.#lost.signal.aborted) {
        release?.();
        throw error;
      }
      return { item, mark: 0, release: release ?? (() => undefined) };
    }
  }

  async #begin(execution: Omit<Parameters<typeof executeCall>[1], "document">): Promise<ExecutedCall> {
    const workspace = this.#workspace;
    const point = workspace.services.env.point("tool:before");
    if (point !== undefined) await point;
    workspace.assertHeld();
    return executeCall(workspace, { ...execution, document: workspace.document });
  }

  /** A call without a result stays open: the end of the run gives it one. */
  async #settle({ item, executed, mark, release }: FinishedCall): Promise<void> {
    try {
      if (executed === undefined) return;
      const { call } = item;
      const isKept = executed.result.status !== "error";
      const ops = isKept ? this.#changes.rebase(this.#workspace, call, executed.state, mark) : [];
      await settleExecution(this.#workspace, call, executed, ops);
      this.#terminate = executed.terminate ?? this.#terminate;
    } finally {
      release();
    }
  }

  async #settleAnswer({ call, admission }: AnsweredCall): Promise<void> {
    endCall(this.#workspace, call, admission.result, admission.trigger);
    if (admission.trigger === "succeed") await tellPlugins(this.#workspace, call, admission.result);
  }

  readonly #onInterrupt = (): void => {
    const { reason } = this.#workspace.signal;
    if (reason instanceof ClaimLost) this.#lost.abort(reason);
    this.#stopUnblocked();
    this.#wake?.();
  };

  /** Stops what may be stopped, unless a call at work holds the interruption off. */
  #stopUnblocked(): void {
    const { signal } = this.#workspace;
    if (!signal.aborted || this.#stop.signal.aborted) return;
    const isHeldOff = !this.#lost.signal.aborted && [...this.#running.values()].includes("block");
    if (!isHeldOff) this.#stop.abort(signal.reason);
  }
}
