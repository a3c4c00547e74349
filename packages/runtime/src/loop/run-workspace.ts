import {
  type AgentSpec,
  activeAgentOf,
  type CheckpointReason,
  type Claim,
  type Decision,
  type DecisionKey,
  type EventData,
  type EventType,
  type LoggedAction,
  type MailboxEffect,
  type Message,
  type RunPolicy,
  type RunRecord,
  type TenantStore,
  type Termination,
  type ToolCallRecord,
  type ToolExecutionMode,
} from "@reprise/contracts";
import { applyPatch, type Json, type Op, type TrackedPatch } from "@reprise/state";
import { budgetOf, type RunBudget } from "../budget/run-budget.ts";
import type { MailFlag } from "../effects/mail-flag.ts";
import type { EffectPort } from "../effects/port.ts";
import { withFrontendTools } from "../resolve/frontend-tools.ts";
import type { ResolvedAgent, ResolvedRunPlan } from "../resolve/resolved-agent.ts";
import { type SourcedTools, withSourcedTools } from "../resolve/tool-sources.ts";
import { toolVersion } from "../resolve/tool-version.ts";
import type {
  AgentView,
  CallBook,
  Commits,
  Conversation,
  EventSink,
  Host,
  Mailbox,
  Outside,
  RoundNotes,
  RunEditor,
  StateAccess,
  ToolShelf,
} from "../run/ports.ts";
import type { LoadedThread } from "../thread/loaded-thread.ts";
import { callStateOps, frontendOf, inheritedPlugins, noteScopedOps } from "../thread/run-state.ts";
import type { ToolPools } from "../tools/pools/tool-pools.ts";
import { commitWithin } from "./commit-within.ts";
import { ActiveTime } from "./evaluate-stop.ts";
import { OpenCalls } from "./open-calls.ts";
import { composeChangeset, hasChanges, noChanges, reasonsOf } from "./pending-changes.ts";
import { localAgent, pinnedPlan } from "./pinned-plan.ts";
import { placeQueued } from "./queued-messages.ts";
import { RunJournal } from "./run-journal.ts";
import type { Services } from "./services.ts";

/**
 * What an activation has done since its last commit. Nothing here is part of the thread until `commit` returns: a change
 * is visible to the run itself, and text to watchers, and all of it is gone if the process dies.
 */
export class RunWorkspace
  implements
    RunEditor,
    AgentView,
    Outside,
    StateAccess,
    Conversation,
    CallBook,
    EventSink,
    Mailbox,
    RoundNotes,
    Commits,
    Host,
    ToolShelf
{
  readonly services: Services;
  readonly claim: Claim;
  readonly store: TenantStore;
  readonly thread: LoadedThread;
  /** Aborted when the run is cancelled or the claim is lost. */
  readonly signal: AbortSignal;
  /** Aborted when the claim is lost: then nothing that still runs is ours. */
  readonly lost: AbortSignal;
  readonly assertHeld: () => void;
  readonly mail: MailFlag;
  readonly lendSlot: () => () => void;
  readonly pools: ToolPools;
  readonly journal: RunJournal;
  /** Through it comes whatever the run learns from outside of its thread. */
  readonly effects: EffectPort;
  /** What the run may spend, with others of its tree; undefined without a limit. */
  readonly budget: RunBudget | undefined;
  /** Counts how long the run is at work. */
  readonly activeTime: ActiveTime;
  /** How the run is to end, when a decision said so. */
  ending: Termination | undefined;
  #run: RunRecord;
  #plan: ResolvedRunPlan | undefined;
  /** The agent as it is defined, once tools of its sources were added to it. */
  #defined: ResolvedAgent | undefined;
  #sourced: SourcedTools | undefined;
  #document: Json;
  #commits = 0;
  readonly #calls = new OpenCalls();
  #pending = noChanges();
  #found: readonly Decision[] = [];
  readonly #later: Message[] = [];
  readonly #queued = new Map<string, number>();

  constructor(options: WorkspaceOptions) {
    const { services, claim, run, thread, effects, assertHeld, lendSlot, pools } = options;
    this.effects = effects;
    this.signal = effects.signal;
    this.lost = effects.lost;
    this.mail = effects.mail;
    this.assertHeld = () => {
      assertHeld();
      effects.signal.throwIfAborted();
    };
    this.lendSlot = lendSlot;
    this.pools = pools;
    this.services = services;
    this.claim = claim;
    this.store = services.store.forTenant(claim.tenant);
    this.thread = thread;
    this.journal = new RunJournal({ bus: services.bus, claim, run, now: () => services.time.now() });
    this.#run = run;
    this.activeTime = new ActiveTime(effects, services.env.clock);
    this.budget = budgetOf(services.budgets, claim, run);
    this.#document = thread.document;
  }

  /** As it is when it is first needed, to the end of the activation or a handoff. Not before: a run whose agent is gone must be able to end. */
  get plan(): ResolvedRunPlan {
    this.#plan ??= pinnedPlan(
      this.effects,
      this.services.agents,
      activeAgentOf(this.#run),
      inheritedPlugins(this.#document),
    );
    return this.#plan;
  }

  get agent(): ResolvedAgent {
    return localAgent(this.plan, activeAgentOf(this.#run));
  }

  get sourced(): SourcedTools | undefined {
    return this.#sourced;
  }

  useTools(sourced: SourcedTools): void {
    this.#defined ??= this.agent;
    const agent = withSourcedTools(this.#defined, sourced, (plugin, tool_id) => {
      const details = { agent_id: activeAgentOf(this.#run), plugin, tool_id };
      this.services.env.log("warn", "a tool source lists a tool whose id is taken; the tool is left out", details);
    });
    this.#sourced = sourced;
    this.#plan = { kind: "local", agent: withFrontendTools(agent, frontendOf(this.#document).tools) };
  }

  /** Offers the tools that the client of the run executes, beside the agent's own. */
  useFrontendTools(): void {
    const { tools } = frontendOf(this.#document);
    if (tools.length === 0) return;
    this.#defined ??= this.agent;
    this.#plan = { kind: "local", agent: withFrontendTools(this.#defined, tools) };
  }

  /** Another agent works on the run from here on. It is resolved when it is first needed. */
  forgetAgent(): void {
    this.#plan = undefined;
    this.#defined = undefined;
    this.#sourced = undefined;
  }

  /** The agent's spec, wherever it runs. */
  get spec(): AgentSpec {
    const { plan } = this;
    return plan.kind === "local" ? plan.agent.spec : plan.spec;
  }

  get run(): RunRecord {
    return this.#run;
  }

  /** The state with everything this run has done so far. */
  get document(): Json {
    return this.#document;
  }

  get policy(): RunPolicy {
    return this.#run.policy ?? {};
  }

  /** How the calls of a step are run: as the client chose, or the agent. */
  get toolExecutionMode(): ToolExecutionMode {
    return this.#run.overrides?.config?.tool_execution_mode ?? this.agent.spec.tool_execution_mode;
  }

  get now(): number {
    return this.effects.now;
  }

  /** The calls of this run that are not over, in the order the model asked for them. */
  get openCalls(): readonly ToolCallRecord[] {
    return this.#calls.all;
  }

  /** How an open call stands; undefined for one that is over. */
  callStatus(callId: string): ToolCallRecord["status"] | undefined {
    return this.#calls.status(callId);
  }

  /** Whether there is anything a commit would make durable. */
  get hasChanges(): boolean {
    return hasChanges(this.#pending);
  }

  versionOf(toolId: string): string {
    const tool = this.agent.tools.get(toolId);
    return tool === undefined ? "" : toolVersion(this.services.env, tool);
  }

  /** Messages that will reach the model: those of the thread, and those not committed yet. */
  modelMessages(): readonly Message[] {
    return this.#pending.messages.length === 0
      ? this.thread.messages.slice()
      : this.thread.messagesWith(this.#pending.messages);
  }

  /** The latest message, of any role. */
  get lastMessage(): Message | undefined {
    return this.#pending.messages.at(-1) ?? this.thread.lastMessage;
  }

  setRun(change: Partial<RunRecord>): void {
    this.#run = { ...this.#run, ...change };
  }

  /**
   * Gives up everything since the last commit but the events that were shown, which cannot be unshown. For a run that must end although
   * its work could not be committed. The open calls are those of the store again.
   */
  abandon(committed: RunRecord, openCalls: readonly ToolCallRecord[]): void {
    this.#pending = noChanges();
    this.journal.dropOnCommit();
    this.#later.length = 0;
    this.#document = this.thread.document;
    this.#run = committed;
    this.#calls.clear();
    this.adoptCalls(openCalls);
  }

  /** Forgets what was added since the last commit, when that was nothing but words: no call and no run has moved. */
  discard(): void {
    this.#pending = noChanges();
    this.#document = this.thread.document;
  }

  /** For an activation that takes up a run: its row without what its last end said. */
  replaceRun(run: RunRecord): void {
    this.#run = run;
  }

  addMessage(message: Message): void {
    const isKnown = this.thread.hasMessage(message.id) || this.#pending.messages.some(({ id }) => id === message.id);
    if (!isKnown) this.#pending.messages.push(message);
  }

  /** Takes an answer back that was added since the last commit, with its calls; another one may stand in its place. */
  replaceAnswer(messageId: string, message: Message | undefined, dropped: readonly ToolCallRecord[] = []): void {
    const { messages, calls } = this.#pending;
    const index = messages.findIndex(({ id }) => id === messageId);
    if (index >= 0) messages.splice(index, 1, ...(message === undefined ? [] : [message]));
    else if (message !== undefined) messages.push(message);
    for (const { call_id } of dropped) {
      calls.delete(call_id);
      this.#calls.drop(call_id);
    }
  }

  /** How many messages a call has queued before: each gets an id of its own. */
  countQueued(callId: string): number {
    const count = this.#queued.get(callId) ?? 0;
    this.#queued.set(callId, count + 1);
    return count;
  }

  /** Adds a message once every result of the round is there: nothing may stand between a call and its result. */
  addMessageAfterRound(message: Message): void {
    this.#later.push(message);
  }

  addPatch(source: string, ops: readonly Op[], actions: readonly LoggedAction[] = []): TrackedPatch | undefined {
    this.logActions(actions);
    if (ops.length === 0) return undefined;
    const id = `${this.#run.run_id}-e${this.claim.epoch}-p${this.#commits}.${this.#pending.patches.length}`;
    const patch: TrackedPatch = { id, source, ops, timestamp_ms: this.now };
    this.#document = applyPatch(this.#document, patch);
    this.#pending.patches.push(patch);
    return patch;
  }

  /** Notes run-scoped states that were written to, so that the next run finds what to delete. */
  noteRunScoped(names: Iterable<string>): void {
    this.addPatch("runtime", noteScopedOps(this.#document, names));
  }

  /** Keeps intents beside the patches they became. */
  logActions(actions: readonly LoggedAction[]): void {
    this.#pending.actions.push(...actions);
  }

  /** Notes how a call stands; one that is over is no longer open. */
  setCall(call: ToolCallRecord): void {
    this.#pending.calls.set(call.call_id, call);
    this.#calls.set(call);
  }

  /** Takes over the open calls of an earlier activation. */
  adoptCalls(calls: readonly ToolCallRecord[]): void {
    this.#calls.adopt(calls);
  }

  /** Notes blobs that the next commit refers to. */
  refersTo(refs: readonly string[]): void {
    this.#pending.blobs.push(...refs);
  }

  consume(key: DecisionKey): void {
    this.#pending.consumed.push(key);
  }

  settleEntry(effect: MailboxEffect): void {
    this.#pending.mailbox.push(effect);
  }

  keepFound(decisions: readonly Decision[]): void {
    this.#found = decisions;
  }

  takeFound(): readonly Decision[] {
    const found = this.#found;
    this.#found = [];
    return found;
  }

  /** Has something happen in the world once everything up to now is committed. */
  afterCommit(act: () => void): void {
    this.#pending.acts.push(act);
  }

  /** Emits an event at once. It becomes durable with the next commit, or is withdrawn. */
  emit<Type extends EventType>(type: Type, data: EventData[Type], stepId?: string): void {
    this.journal.emit(type, data, stepId);
  }

  /** Emits an event with the next commit, which makes it true. */
  emitOnCommit<Type extends EventType>(type: Type, data: EventData[Type], stepId?: string): void {
    this.journal.emitOnCommit(type, data, stepId);
  }

  /**
   * Makes everything since the last commit durable, then shows what was held back. One at a time; tools may continue meanwhile,
   * because nothing of theirs is here before it is settled.
   */
  async commit(...reasons: readonly CheckpointReason[]): Promise<void> {
    placeQueued(this, this.#later.splice(0));
    // How the calls stand, in one patch: a round of many costs what it holds, once.
    this.addPatch("runtime", callStateOps(this.#document, this.#pending.calls));
    const sealed = this.journal.seal();
    this.#run = { ...this.#run, last_seq: sealed.last_seq, recoveries: 0, updated_at: this.now };
    const pending = this.#pending;
    const effects = this.effects.take({ events: sealed.events, patches: pending.patches });
    const parts = { reasons: reasonsOf(pending, reasons), events: sealed.events, effects };
    const changeset = composeChangeset(this.#changesetId(), this.#run, pending, parts);
    // Counted before the attempt: should it fail for good, what is committed instead must not pass for it.
    this.#commits++;
    try {
      const expected = this.thread.version;
      const version = await this.effects.commit(changeset, () => commitWithin(this, changeset, expected));
      this.thread.advance(version, this.#document, changeset);
    } catch (error) {
      this.journal.reopen();
      // Readers took what was said of the thread meanwhile for ours. It was not.
      this.services.signals.nudge(this.claim.tenant, this.claim.thread_id);
      this.effects.putBack();
      throw error;
    }
    this.#pending = noChanges();
    this.journal.publish(sealed);
    for (const act of pending.acts) this.effects.act(act);
  }

  #changesetId(): string {
    return `${this.#run.run_id}-e${this.claim.epoch}-n${this.#commits}`;
  }
}

/** What an activation works with. */
interface WorkspaceOptions {
  readonly services: Services;
  readonly claim: Claim;
  readonly run: RunRecord;
  readonly thread: LoadedThread;
  /** Through it comes whatever the run learns from outside of its thread. */
  readonly effects: EffectPort;
  /** Throws when the claim may have run out: asked before anything that cannot be undone. */
  readonly assertHeld: () => void;
  /** Frees the run's slot while a call waits for runs below it; returns the way to take it back. */
  readonly lendSlot: () => () => void;
  readonly pools: ToolPools;
}
