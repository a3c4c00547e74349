import {
  awaitRun,
  type ChildEnd,
  type Decision,
  type ModelProvider,
  type OpenWait,
  type ProgramChild,
  type ProgramEnd,
  type ProgramEvent,
  type ProgramIdentity,
  type ProgramNews,
  type ProgramPort,
  type ProgramQuestion,
  type ProgramWork,
  RepriseError,
  type StartedChild,
  type SuspendRequest,
  type Termination,
  type ToolCallRecord,
  toolFailure,
  toolPending,
  toolSuccess,
  type WorkContext,
} from "@reprise/contracts";
import { getAt, type Json, type JsonObject, type Op, type Path } from "@reprise/state";
import { PROGRAM_CALL } from "../budget/budget-call.ts";
import { countTokens } from "../budget/record-cost.ts";
import { type GatedRun, RunGate } from "../budget/run-gate.ts";
import type { ShownEvent, Working } from "../effects/port.ts";
import { type FoundModel, lookUpModel } from "../resolve/look-up-model.ts";
import type { RegistrySet } from "../resolve/registry-set.ts";
import type { ResolvedRunPlan } from "../resolve/resolved-agent.ts";
import type { StartedRun } from "../run/ports.ts";
import { ticketFor } from "../thread/ask-about.ts";
import { callIdOf, messageIdOf, stepIdOf } from "../thread/derived-ids.ts";
import { inheritedStates, RUN_PATH } from "../thread/run-state.ts";
import { reportBy } from "../tools/perform-call.ts";
import { describeDecision, findDecisions } from "./decide-calls.ts";
import { inputOf } from "./run-input.ts";
import type { RunWorkspace } from "./run-workspace.ts";
import { sayAnswer } from "./say-answer.ts";
import { endCall, moveCall, suspendCall } from "./settle-call.ts";

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
      return { type: "error", value: end.message, code: end.code };
    case "stopped":
      return { type: "stopped", value: { code: end.code, ...(end.detail !== undefined && { detail: end.detail }) } };
    case "done":
      sayAnswer(workspace, typeof end.output === "string" ? end.output : JSON.stringify(end.output));
      return { type: "natural_end" };
    default:
      return end satisfies never;
  }
}

/** What is stored of work that ended. */
interface StoredWork {
  readonly value: Json;
  /** Blobs that the value names. */
  readonly blobs?: readonly string[];
}

class ProgramRun implements ProgramPort {
  readonly definition: JsonObject;
  readonly #workspace: RunWorkspace;
  readonly #stop = new AbortController();
  readonly #running = new Set<string>();
  readonly #news: ProgramNews[] = [];
  #failure: { readonly error: unknown } | undefined;
  #wake: (() => void) | undefined;
  /** Whether the inbox has to be read: it may hold answers from before this activation. */
  #hasToLook = true;

  constructor(workspace: RunWorkspace, definition: JsonObject) {
    this.#workspace = workspace;
    this.definition = definition;
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
    return this.#workspace.openCalls.map(({ call_id: callId, arguments: about, expires_at, ticket }) => ({
      key: keyOf(about),
      callId,
      ...(expires_at !== undefined && { expiresAt: expires_at }),
      ...(ticket?.run_id !== undefined && { runId: ticket.run_id }),
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

  begin({ key, perform }: ProgramWork): void {
    const { effects } = this.#workspace;
    const join = effects.fork();
    this.#running.add(key);
    const over = (): void => {
      join();
      this.#running.delete(key);
      this.#wake?.();
    };
    effects
      .work(this.#workQuestion(key), (voice) => this.#perform(key, perform, voice))
      .then(({ value, blobs = [] }) => {
        this.#workspace.refersTo(blobs);
        this.#news.push({ type: "ended", key, value });
      })
      .catch((error: unknown) => {
        if (!this.#stop.signal.aborted) this.#failure ??= { error };
      })
      .finally(over);
  }

  ask({ key, name, action, message, parameters, responseSchema, expiresInMs, isTimer }: ProgramQuestion): string {
    const call = this.#openCall({ key, name });
    const request: SuspendRequest = {
      action,
      ...(message !== undefined && { message }),
      ...(parameters !== undefined && { parameters }),
      ...(responseSchema !== undefined && { response_schema: responseSchema }),
      ...(expiresInMs !== undefined && { expires_in_ms: expiresInMs }),
      ...(isTimer === true && { on_expiry: "execute" as const }),
      ...(isTimer !== true && { pending: { name, arguments: parameters ?? {} } }),
    };
    this.#suspend(call, request);
    return call.call_id;
  }

  withdraw(callId: string): void {
    const call = this.#workspace.openCalls.find(({ call_id }) => call_id === callId);
    if (call === undefined) return;
    const message = "The question no longer matters.";
    this.#workspace.emitOnCommit("tool_call_cancelled", { id: callId, reason: "withdrawn" }, call.step_id);
    endCall(this.#workspace, call, toolFailure(PROGRAM_CALL, "cancelled", message), "cancel");
  }

  async startRuns(runs: readonly ProgramChild[]): Promise<readonly StartedChild[]> {
    const workspace = this.#workspace;
    const calls = runs.map(({ key, agentId, prompt }) =>
      moveCall(workspace, this.#openCall({ key, agent_id: agentId, prompt }), "start"),
    );
    workspace.setRun({ has_children: true });
    await workspace.commit("tool_intent");
    const started: StartedChild[] = [];
    for (const call of calls) started.push(await this.#startRun(call));
    return started;
  }

  /** Starts the runs again whose calls an earlier owner left at work: those it had started are found. */
  async recover(): Promise<void> {
    for (const call of this.#workspace.openCalls) {
      if (call.status !== "running") continue;
      const started = await this.#startRun(call);
      if (!("error" in started)) continue;
      const end: ChildEnd = { status: "failed", error: started.error };
      this.#news.push({ type: "child", key: started.key, callId: call.call_id, end });
    }
  }

  async raiseBudget(limitMicrocents: number): Promise<void> {
    const { effects, budget, run } = this.#workspace;
    const question = { kind: "budget", of: run.run_id, encode: () => undefined } as const;
    await effects.perform(question, async () => {
      await budget?.change({ type: "set_limit", limit_microcents: limitMicrocents });
    });
  }

  async next({ isIdle }: { readonly isIdle: boolean }): Promise<readonly ProgramNews[]> {
    const { mail, effects, run } = this.#workspace;
    let isGathered = false;
    for (;;) {
      this.#workspace.signal.throwIfAborted();
      if (this.#failure !== undefined) throw this.#failure.error;
      if (mail.take("decisions") || this.#hasToLook) {
        await this.#readAnswers();
        // A cancellation meanwhile is the end of the run. Work that it stopped must not be taken for work that failed.
        this.#workspace.signal.throwIfAborted();
      }
      if (this.#news.length > 0 && (isGathered || this.#running.size === 0)) return answersFirst(this.#news.splice(0));
      if (this.#news.length > 0) {
        // What is over already comes in before this does: it then shares a commit with the rest.
        await effects.perform({ kind: "gather", of: run.run_id, encode: () => undefined }, () => undefined);
        isGathered = true;
        continue;
      }
      if (isIdle || this.#running.size === 0) return [];
      const { promise, resolve } = Promise.withResolvers<void>();
      const resume = effects.rest();
      this.#wake = () => {
        this.#wake = undefined;
        resume();
        resolve();
      };
      mail.onArrival(this.#wake);
      await promise;
    }
  }

  close(): void {
    this.#workspace.signal.removeEventListener("abort", this.#onAbort);
    this.#stop.abort(new Error("The program has come to its end."));
  }

  readonly #onAbort = (): void => {
    this.#stop.abort(this.#workspace.signal.reason);
    this.#wake?.();
  };

  #workQuestion(key: string): Working<StoredWork> {
    const { journal } = this.#workspace;
    return {
      kind: "work",
      of: key,
      seq: () => journal.seq,
      isShown: isShownByWork,
      play: (event) => this.#show(key, event),
      report: (value) => {
        const confirm = this.#announced.get(key)?.shift() ?? (() => undefined);
        this.#news.push({ type: "announced", key, value, confirm });
        this.#wake?.();
      },
      // Made of JSON; its interface hides it.
      encode: (stored) => stored as unknown as Json,
      decode: (stored) => stored as unknown as StoredWork,
    };
  }

  /** Announcements of work that the program has not confirmed yet. */
  readonly #announced = new Map<string, (() => void)[]>();

  async #perform(
    key: string,
    perform: ProgramWork["perform"],
    voice: { show(event: ShownEvent): void; report(value: Json): void },
  ): Promise<StoredWork> {
    const workspace = this.#workspace;
    const { services, claim, run, budget } = workspace;
    const blobs: string[] = [];
    const gated: GatedRun = {
      run,
      claim,
      services,
      budget,
      // What the gate has to say comes in as everything else that the work shows.
      emit: (type, data) => voice.show({ type, data } as ShownEvent),
    };
    const gate = new RunGate(gated, key, `w${key}-e${claim.epoch}`);
    const context: WorkContext = {
      signal: this.#stop.signal,
      show: (event) => voice.show(event as ShownEvent),
      announce: (value) => {
        const { promise, resolve } = Promise.withResolvers<void>();
        this.#announced.set(key, [...(this.#announced.get(key) ?? []), resolve]);
        voice.report(value);
        return promise;
      },
      gate,
      putBlob: async (content, options) => {
        const { ref } = await services.blobs.put(claim.tenant, content, options);
        blobs.push(ref);
        return ref;
      },
      getBlob: async (ref) => (await services.blobs.get(claim.tenant, ref))?.content,
      env: services.env,
      provider: (id) => findProvider(services.agents.registries, run.agent_id, id),
      tool: (id) => services.agents.registries.tools.get(id),
      policy: workspace.policy,
    };
    workspace.assertHeld();
    try {
      const value = await perform(context);
      return blobs.length === 0 ? { value } : { value, blobs };
    } finally {
      await gate.close();
    }
  }

  /** Costs are counted where they are shown: in the same order live and in a replay. */
  #show(key: string, { type, data }: ShownEvent): void {
    if (type !== "node_cost") {
      this.#workspace.emit(type, data as never, key);
      return;
    }
    // The data is that of the type.
    const cost = data as Extract<ProgramEvent, { type: "node_cost" }>["data"];
    const { run } = this.#workspace;
    const total = (run.cost_microcents ?? 0) + cost.cost_microcents;
    if (cost.priced || run.cost_microcents !== undefined) this.#workspace.setRun({ cost_microcents: total });
    if (!cost.priced) this.#workspace.setRun({ is_unpriced: true });
    countTokens(this.#workspace, { prompt_tokens: cost.input_tokens, completion_tokens: cost.output_tokens });
    this.#workspace.emit(type, { ...cost, cumulative_cost_microcents: total }, key);
  }

  async #readAnswers(): Promise<void> {
    this.#hasToLook = false;
    const workspace = this.#workspace;
    const { decided, expired } = await findDecisions(workspace);
    for (const [call, decision] of decided) this.#take(call, decision);
    for (const call of expired) this.#expire(call);
  }

  #take(call: ToolCallRecord, decision: Decision): void {
    const workspace = this.#workspace;
    const { run_id, call_id, suspension, step_id, ticket } = call;
    const key = keyOf(call.arguments);
    workspace.consume({ run_id, call_id, suspension });
    if (ticket?.run_id !== undefined) {
      const end = childEndOf(decision.result ?? null);
      const moved = moveCall(workspace, call, "decide");
      if (end.status === "completed")
        endCall(workspace, moved, toolSuccess(PROGRAM_CALL, decision.result ?? null), "succeed");
      else
        endCall(
          workspace,
          moved,
          toolFailure(PROGRAM_CALL, "execution_failed", end.error ?? "The run was stopped."),
          "fail",
        );
      this.#news.push({ type: "child", key, callId: call_id, end });
      return;
    }
    const moved = moveCall(workspace, call, "decide");
    if (decision.binding_hash !== undefined && decision.binding_hash !== call.binding_hash && ticket !== undefined) {
      suspendCall(workspace, moved, ticket, toolPending(PROGRAM_CALL, ticket));
      return;
    }
    workspace.emitOnCommit("tool_call_resumed", { target_id: call_id, result: describeDecision(decision) }, step_id);
    const { action, result, arguments: edited, reason, decided_by } = decision;
    if (action === "resume") endCall(workspace, moved, toolSuccess(PROGRAM_CALL, result ?? edited ?? null), "succeed");
    else endCall(workspace, moved, toolFailure(PROGRAM_CALL, "denied", reason ?? "The question was denied."), "cancel");
    this.#news.push({
      type: "answered",
      key,
      callId: call_id,
      action,
      ...(result !== undefined && { result }),
      ...(edited !== undefined && { arguments: edited }),
      ...(reason !== undefined && { reason }),
      ...(decided_by !== undefined && { decidedBy: decided_by }),
    });
  }

  #expire(call: ToolCallRecord): void {
    const workspace = this.#workspace;
    const { call_id, ticket } = call;
    if (ticket?.on_expiry === "execute") {
      const due = moveCall(workspace, call, "decide");
      endCall(workspace, due, toolSuccess(PROGRAM_CALL, null), "succeed");
    } else {
      workspace.emitOnCommit("tool_call_cancelled", { id: call_id, reason: "expired" }, call.step_id);
      const message = "The question expired before a decision was made.";
      endCall(workspace, call, toolFailure(PROGRAM_CALL, "expired", message), "cancel");
    }
    this.#news.push({ type: "expired", key: keyOf(call.arguments), callId: call_id });
  }

  /** Each question is a step of its own, so that its call has an id that no other has. */
  #openCall(about: JsonObject): ToolCallRecord {
    const workspace = this.#workspace;
    const { run_id, thread_id, steps } = workspace.run;
    const step_id = stepIdOf(run_id, steps + 1);
    workspace.setRun({ steps: steps + 1 });
    workspace.emitOnCommit("step_start", { message_id: messageIdOf(step_id) }, step_id);
    const asked = { tool_id: PROGRAM_CALL, tool_version: "1", arguments: about, updated_at: workspace.now };
    const call_id = callIdOf(step_id, 0);
    return { call_id, run_id, thread_id, step_id, ...asked, status: "new", suspension: 0 };
  }

  #suspend(call: ToolCallRecord, request: SuspendRequest): void {
    const ticket = ticketFor(call, request, { askedBy: "program", mode: "use_decision_as_tool_result" });
    suspendCall(this.#workspace, call, ticket, toolPending(PROGRAM_CALL, ticket));
    this.#workspace.emitOnCommit("step_end", {}, call.step_id);
  }

  async #startRun(call: ToolCallRecord): Promise<StartedChild> {
    const workspace = this.#workspace;
    const { services, claim, run, signal, effects } = workspace;
    const key = keyOf(call.arguments);
    const [agentId = "", prompt = ""] = ["agent_id", "prompt"].map((name) => String(getAt(call.arguments, [name])));
    workspace.assertHeld();
    const encode = (started: StartedRun | { readonly error: string }): Json => ({ ...started });
    const started = await effects.perform({ kind: "delegate", of: call.call_id, encode }, async () => {
      let told: StartedRun | undefined;
      const inherited = async () => inheritedStates(workspace.document);
      const below = services.delegation.runsOf({ tenant: claim.tenant, run, call, signal, inherited }, (child) => {
        told = child;
      });
      try {
        const child = await below.start({ agentId, prompt });
        return told ?? { ...child, depth: (run.depth ?? 0) + 1, background: false };
      } catch (error) {
        signal.throwIfAborted();
        // What the tree does not allow fails the node. Anything else is a matter of the run.
        if (!RepriseError.is(error, "DELEGATION_LIMIT") && !RepriseError.is(error, "AGENT_NOT_FOUND")) throw error;
        return { error: error.message };
      }
    });
    if ("error" in started) {
      endCall(workspace, call, toolFailure(PROGRAM_CALL, "execution_failed", started.error), "fail");
      workspace.emitOnCommit("step_end", {}, call.step_id);
      return { key, error: started.error };
    }
    reportBy(workspace, call, started);
    this.#suspend(call, awaitRun({ runId: started.runId, agentId: started.agentId }).request);
    return { key, callId: call.call_id, runId: started.runId, threadId: started.threadId };
  }
}

/** The call of an answer is over with the next commit. A program has to know the answer before it commits anything, or a crash loses it. */
function answersFirst(news: readonly ProgramNews[]): readonly ProgramNews[] {
  const isAnswer = ({ type }: ProgramNews): boolean => type === "answered" || type === "expired" || type === "child";
  return [...news.filter(isAnswer), ...news.filter((each) => !isAnswer(each))];
}

/** The provider that stands for models which were registered by their own ids. */
const RUNTIME_PROVIDER = "runtime";

function findProvider(registries: RegistrySet, agentId: string, id: string): ModelProvider | undefined {
  const registered = registries.providers.get(id);
  if (registered !== undefined || id !== RUNTIME_PROVIDER) return registered;
  const find = (name: string): FoundModel => lookUpModel(registries, agentId, name);
  return {
    id,
    model: (name) => find(name).model,
    media: (name) => {
      const { media } = find(name);
      if (media === undefined) throw new RepriseError("MODEL_NOT_FOUND", `Model ${name} makes no media.`);
      return media;
    },
    describe: (name) => find(name).modelSpec,
  };
}

/** Events that work shows under its key as their step. */
function isShownByWork(type: ShownEvent["type"]): boolean {
  return type.startsWith("node_") || type === "budget_warning";
}

function keyOf(about: Json): string {
  return String(getAt(about, ["key"]) ?? "");
}

function insidePlace(op: Op): Op {
  const path: Path = [...PLACE, ...op.path];
  return { ...op, path };
}

function childEndOf(result: Json): ChildEnd {
  const [status, output, error] = ["status", "output", "error"].map((name) => getAt(result, [name]));
  return {
    status: status === "completed" || status === "stopped" ? status : "failed",
    ...(typeof output === "string" && { output }),
    ...(typeof error === "string" && { error }),
  };
}
