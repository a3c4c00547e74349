import type {
  OpenWait,
  ProgramChild,
  ProgramEnd,
  ProgramEvent,
  ProgramIdentity,
  ProgramNews,
  ProgramPort,
  ProgramQuestion,
  ProgramWork,
  StartedChild,
  Termination,
} from "@reprise/contracts";
import { getAt, type Json, type JsonObject, type Op, type Path } from "@reprise/state";
import type { ResolvedRunPlan } from "../resolve/resolved-agent.ts";
import { RUN_PATH } from "../thread/run-state.ts";
import { findDecisions } from "./decide-calls.ts";
import { keyOf } from "./program-call.ts";
import { recoverChildren, startChildren, takeChildEnd } from "./program-children.ts";
import { ProgramNewsQueue } from "./program-news.ts";
import { askQuestion, expireQuestion, takeAnswer, withdrawQuestion } from "./program-questions.ts";
import { ProgramWorks } from "./program-work.ts";
import { inputOf } from "./run-input.ts";
import type { RunWorkspace } from "./run-workspace.ts";
import { sayAnswer } from "./say-answer.ts";

/** Where a program keeps its part of the state: inside of the run's, so that it is as durable as the run and ends with it. */
const PLACE = [RUN_PATH, "program"];

type ProgramPlan = Extract<ResolvedRunPlan, { kind: "program" }>;

/** Runs an agent by its program: no model, no phases. The program decides, this part of the loop does what it says. */
export async function runProgram(workspace: RunWorkspace, plan: ProgramPlan): Promise<Termination> {
  const run = new ProgramRun(workspace, plan.spec.program?.definition ?? {});
  try {
    await run.recover();
    return endOf(workspace, await plan.program.run(run));
  } finally {
    run.close();
  }
}

function endOf(workspace: RunWorkspace, end: ProgramEnd): Termination {
  switch (end.type) {
    case "waiting":
      return { type: "suspended" };
    case "failed":
      return { type: "error", value: end.message, code: end.code, retryable: end.retryable };
    case "stopped":
      return { type: "stopped", value: { code: end.code, ...(end.detail !== undefined && { detail: end.detail }) } };
    case "done":
      sayAnswer(workspace, typeof end.output === "string" ? end.output : JSON.stringify(end.output));
      return { type: "natural_end" };
    default:
      return end satisfies never;
  }
}

class ProgramRun implements ProgramPort {
  readonly definition: JsonObject;
  readonly #workspace: RunWorkspace;
  readonly #news = new ProgramNewsQueue();
  readonly #works: ProgramWorks;
  /** Whether the inbox has to be read: it may hold answers from before this activation. */
  #hasToLook = true;

  constructor(workspace: RunWorkspace, definition: JsonObject) {
    this.#workspace = workspace;
    this.definition = definition;
    this.#works = new ProgramWorks(workspace, this.#news);
    workspace.signal.addEventListener("abort", this.#onAbort, { once: true });
    if (workspace.signal.aborted) this.#onAbort();
  }

  get identity(): ProgramIdentity {
    const { claim, run } = this.#workspace;
    const { run_id: runId, thread_id: threadId, agent_id: agentId, resource_id, created_at: createdAt } = run;
    const resource = resource_id === undefined ? {} : { resourceId: resource_id };
    return { tenant: claim.tenant, runId, threadId, agentId, ...resource, origin: run.origin, createdAt };
  }

  get input(): string {
    return inputOf(this.#workspace);
  }

  get state(): Json | undefined {
    return getAt(this.#workspace.document, PLACE);
  }

  get now(): number {
    return this.#workspace.now;
  }

  get spentMicrocents(): number {
    return this.#workspace.run.cost_microcents ?? 0;
  }

  get signal(): AbortSignal {
    return this.#workspace.signal;
  }

  get open(): readonly OpenWait[] {
    return this.#workspace.openCalls.map((call) => ({
      key: keyOf(call),
      callId: call.call_id,
      ...(call.expires_at !== undefined && { expiresAt: call.expires_at }),
      ...(call.ticket?.run_id !== undefined && { runId: call.ticket.run_id }),
    }));
  }

  hash(text: string): string {
    return this.#workspace.services.env.hash(text);
  }

  change(changes: readonly Op[]): void {
    this.#workspace.addPatch("program", changes.map(insidePlace));
  }

  emit({ type, data }: ProgramEvent): void {
    // The data is that of the type, which the compiler cannot follow through the union.
    this.#workspace.emit(type, data as never);
  }

  emitOnCommit({ type, data }: ProgramEvent): void {
    // As above.
    this.#workspace.emitOnCommit(type, data as never);
  }

  async commit(): Promise<void> {
    if (this.#workspace.hasChanges) await this.#workspace.commit("tool_results");
  }

  refersTo(blobs: readonly string[]): void {
    this.#workspace.refersTo(blobs);
  }

  begin(work: ProgramWork): void {
    this.#works.begin(work);
  }

  ask(question: ProgramQuestion): string {
    return askQuestion(this.#workspace, question);
  }

  withdraw(callId: string): void {
    withdrawQuestion(this.#workspace, callId);
  }

  startRuns(runs: readonly ProgramChild[]): Promise<readonly StartedChild[]> {
    return startChildren(this.#workspace, runs);
  }

  async recover(): Promise<void> {
    this.#news.add(...(await recoverChildren(this.#workspace)));
  }

  async raiseBudget(limitMicrocents: number): Promise<void> {
    const { effects, budget, run } = this.#workspace;
    const question = { kind: "budget", of: run.run_id, encode: () => undefined } as const;
    await effects.perform(question, async () => {
      await budget?.change({ type: "set_limit", limit_microcents: limitMicrocents });
    });
  }

  async next({ isIdle }: { readonly isIdle: boolean }): Promise<readonly ProgramNews[]> {
    const { mail, effects, run, signal } = this.#workspace;
    let isGathered = false;
    for (;;) {
      signal.throwIfAborted();
      this.#works.assertSound();
      if (mail.take("decisions") || this.#hasToLook) {
        await this.#readAnswers();
        // A cancellation meanwhile is the end of the run. Work that it stopped must not be taken for work that failed.
        signal.throwIfAborted();
      }
      if (!this.#news.isEmpty && (isGathered || this.#works.isIdle)) return this.#news.take();
      if (!this.#news.isEmpty) {
        // What is over already comes in before this does: it then shares a commit with the rest.
        await effects.perform({ kind: "gather", of: run.run_id, encode: () => undefined }, () => undefined);
        isGathered = true;
        continue;
      }
      if (isIdle || this.#works.isIdle) return [];
      await this.#rest();
    }
  }

  close(): void {
    this.#workspace.signal.removeEventListener("abort", this.#onAbort);
    this.#works.stop(new Error("The program has come to its end."));
  }

  readonly #onAbort = (): void => {
    this.#works.stop(this.#workspace.signal.reason);
    this.#news.wake();
  };

  /** Waits for the end of some work, or for mail. */
  async #rest(): Promise<void> {
    const { mail, effects } = this.#workspace;
    const { promise, resolve } = Promise.withResolvers<void>();
    const resume = effects.rest();
    this.#news.onWake(() => {
      resume();
      resolve();
    });
    mail.onArrival(this.#news.wake);
    await promise;
  }

  async #readAnswers(): Promise<void> {
    this.#hasToLook = false;
    const workspace = this.#workspace;
    const { decided, expired } = await findDecisions(workspace);
    for (const [call, decision] of decided) {
      const { run_id, call_id, suspension, ticket } = call;
      workspace.consume({ run_id, call_id, suspension });
      const take = ticket?.run_id === undefined ? takeAnswer : takeChildEnd;
      const news = take(workspace, call, decision);
      if (news !== undefined) this.#news.add(news);
    }
    for (const call of expired) this.#news.add(expireQuestion(workspace, call));
  }
}

function insidePlace(op: Op): Op {
  const path: Path = [...PLACE, ...op.path];
  return { ...op, path };
}
