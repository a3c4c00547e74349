import {
  type AgentEvent,
  CHANGESET_FORMAT,
  type Changeset,
  type CheckpointReason,
  type Claim,
  type DecisionKey,
  type EventData,
  type EventType,
  isTerminal,
  type LoggedAction,
  type MailboxEffect,
  type Message,
  type RunPolicy,
  type RunRecord,
  type TenantStore,
  TOOL_CALL_TRANSITIONS,
  type ToolCallRecord,
  type ToolDescriptor,
} from "@reprise/contracts";
import { applyPatch, getAt, type Json, type Op, ops, type TrackedPatch } from "@reprise/state";
import type { Agent } from "../define/define-agent.ts";
import type { Services } from "../services.ts";
import type { LoadedThread } from "../thread/loaded-thread.ts";
import { toolVersion } from "../tools/binding-hash.ts";
import { isAllowed } from "../tools/is-allowed.ts";
import { commitWithin } from "./commit-within.ts";
import { compareCallIds } from "./derived-ids.ts";
import { RUN_PATH } from "./run-state.ts";

/** Where messages wait for the end of a round that has suspended calls. */
const QUEUED_PATH = [RUN_PATH, "queued"];

export interface WorkspaceOptions {
  readonly services: Services;
  readonly claim: Claim;
  readonly run: RunRecord;
  readonly thread: LoadedThread;
  readonly signal: AbortSignal;
  /** Throws when the claim may have run out: asked before anything that cannot be undone. */
  readonly assertHeld: () => void;
}

/**
 * What an activation has done since its last commit. Nothing here is part of the thread until `commit` returns: a change
 * is visible to the run itself, and text to whoever watches, and all of it is gone if the process dies.
 */
export class RunWorkspace {
  readonly services: Services;
  readonly claim: Claim;
  readonly store: TenantStore;
  readonly thread: LoadedThread;
  /** Aborted when the run is cancelled or the claim is lost. */
  readonly signal: AbortSignal;
  #run: RunRecord;
  #document: Json;
  #commits = 0;
  #seq: number;
  #calls = new Map<string, ToolCallRecord>();
  #pending = emptyPending();
  readonly #later: Message[] = [];
  /** Events that are shown only once they are durable; they get their seq when they are committed. */
  #held: ((seq: number) => AgentEvent)[] = [];

  readonly assertHeld: () => void;

  constructor({ services, claim, run, thread, signal, assertHeld }: WorkspaceOptions) {
    this.assertHeld = assertHeld;
    this.services = services;
    this.claim = claim;
    this.store = services.store.forTenant(claim.tenant);
    this.thread = thread;
    this.signal = signal;
    this.#run = run;
    this.#seq = run.last_seq;
    this.#document = thread.document;
  }

  /** Looked up when it is needed: a run whose agent is gone must still be able to end. */
  get agent(): Agent {
    return this.services.registry.agent(this.#run.agent_id);
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

  get now(): number {
    return this.services.env.clock.now();
  }

  /** The calls of this run that are not over, in the order the model asked for them. */
  get openCalls(): readonly ToolCallRecord[] {
    return [...this.#calls.values()];
  }

  /** The tools the model is told about: the agent's, less what the run may not use. */
  offeredTools(): readonly ToolDescriptor[] {
    return [...this.agent.tools.values()].map((tool) => tool.descriptor).filter(({ id }) => isAllowed(this.policy, id));
  }

  versionOf(toolId: string): string {
    const tool = this.agent.tools.get(toolId);
    return tool === undefined ? "" : toolVersion(this.services.env, tool);
  }

  /** Messages that will reach the model: those of the thread, and those not committed yet. */
  modelMessages(): readonly Message[] {
    return [...this.thread.messages, ...this.#pending.messages];
  }

  setRun(change: Partial<RunRecord>): void {
    this.#run = { ...this.#run, ...change };
  }

  /**
   * Gives up everything since the last commit but the events that were shown, which cannot be unshown. For a run that must
   * end although its work could not be committed. The open calls are those of the store again.
   */
  abandon(committed: RunRecord, openCalls: readonly ToolCallRecord[]): void {
    const { events } = this.#pending;
    this.#pending = { ...emptyPending(), events };
    this.#held = [];
    this.#later.length = 0;
    this.#document = this.thread.document;
    this.#run = committed;
    this.#calls.clear();
    this.adoptCalls(openCalls);
  }

  /** For an activation that takes up a run: its row without what its last end said. */
  replaceRun(run: RunRecord): void {
    this.#run = run;
  }

  addMessage(message: Message): void {
    const isKnown = this.thread.hasMessage(message.id) || this.#pending.messages.some(({ id }) => id === message.id);
    if (!isKnown) this.#pending.messages.push(message);
  }

  /** Adds a message once every result of the round is there: nothing may stand between a call and its result. */
  addMessageAfterRound(message: Message): void {
    this.#later.push(message);
  }

  addPatch(source: string, ops: readonly Op[], actions: readonly LoggedAction[] = []): TrackedPatch | undefined {
    if (ops.length === 0) return undefined;
    const id = `${this.#run.run_id}-e${this.claim.epoch}-p${this.#commits}.${this.#pending.patches.length}`;
    const patch: TrackedPatch = { id, source, ops, timestamp_ms: this.now };
    this.#document = applyPatch(this.#document, patch);
    this.#pending.patches.push(patch);
    this.logActions(actions);
    return patch;
  }

  /** Keeps intents beside the patches they became. */
  logActions(actions: readonly LoggedAction[]): void {
    this.#pending.actions.push(...actions);
  }

  /** Notes how a call stands; one that is over is no longer open. */
  setCall(call: ToolCallRecord): void {
    this.#pending.calls.set(call.call_id, call);
    if (isTerminal(TOOL_CALL_TRANSITIONS, call.status)) {
      this.#calls.delete(call.call_id);
    } else {
      this.#calls.set(call.call_id, call);
    }
  }

  /** Takes over the open calls of an earlier activation. */
  adoptCalls(calls: readonly ToolCallRecord[]): void {
    const all = [...this.#calls.values(), ...calls].toSorted((left, right) =>
      compareCallIds(left.call_id, right.call_id),
    );
    this.#calls = new Map(all.map((call) => [call.call_id, call]));
  }

  /** Notes a blob that the next commit refers to. */
  refersTo(ref: string): void {
    this.#pending.blobs.push(ref);
  }

  consume(key: DecisionKey): void {
    this.#pending.consumed.push(key);
  }

  settleEntry(effect: MailboxEffect): void {
    this.#pending.mailbox.push(effect);
  }

  /** Shows an event at once. It becomes durable with the next commit, or is withdrawn. */
  show<Type extends EventType>(type: Type, data: EventData[Type], stepId?: string): void {
    const event = this.#event(type, ++this.#seq, this.now, stepId, data);
    this.#pending.events.push(event);
    this.services.bus.show(this.claim.tenant, { epoch: this.claim.epoch, event });
  }

  /** Keeps an event back until the next commit has made it true. */
  hold<Type extends EventType>(type: Type, data: EventData[Type], stepId?: string): void {
    const { now } = this;
    this.#held.push((seq) => this.#event(type, seq, now, stepId, data));
  }

  /** Makes everything since the last commit durable, then shows what was held back. */
  async commit(...reasons: readonly CheckpointReason[]): Promise<void> {
    this.#placeQueuedMessages();
    let seq = this.#seq;
    const held = this.#held.map((complete) => complete(++seq));
    this.#run = { ...this.#run, last_seq: seq, recoveries: 0, updated_at: this.now };
    const changeset = this.#changeset(reasons, held);
    // Counted before the attempt: should it fail for good, what is committed instead must not pass for it.
    this.#commits++;
    const version = await commitWithin(this, changeset, this.thread.version);
    this.thread.advance(version, this.#document, changeset.messages, changeset.supersedes);
    this.#seq = seq;
    this.#pending = emptyPending();
    this.#held = [];
    this.services.bus.forgetTail(this.claim.tenant, this.#run.run_id);
    const { tenant, epoch } = this.claim;
    for (const event of held) this.services.bus.publish(tenant, { epoch, event });
  }

  /** Queued messages wait in the state while a call of their round has no result, and come after the last one. */
  #placeQueuedMessages(): void {
    const later = this.#later.splice(0);
    if (this.#calls.size > 0) {
      // A message is JSON; its interface hides that from the compiler.
      const wait = later.map((message) => ops.append(QUEUED_PATH, message as unknown as Json));
      this.addPatch("runtime", wait);
      return;
    }
    const waiting = getAt(this.#document, QUEUED_PATH);
    if (Array.isArray(waiting)) {
      // What waits there was put there as messages, just above.
      for (const message of waiting) this.addMessage(message as unknown as Message);
      this.addPatch("runtime", [ops.delete(QUEUED_PATH)]);
    }
    for (const message of later) this.addMessage(message);
  }

  #changeset(reasons: readonly CheckpointReason[], held: readonly AgentEvent[]): Changeset {
    const { messages, patches, actions, calls, events, consumed, mailbox, blobs } = this.#pending;
    return {
      format: CHANGESET_FORMAT,
      changeset_id: `${this.#run.run_id}-e${this.claim.epoch}-n${this.#commits}`,
      thread_id: this.#run.thread_id,
      run_id: this.#run.run_id,
      reasons,
      messages,
      supersedes: [],
      patches,
      actions,
      runs: [this.#run],
      calls: [...calls.values()],
      events: held.length === 0 ? events : [...events, ...held],
      consumed_decisions: consumed,
      mailbox_effects: mailbox,
      blob_refs: blobs,
    };
  }

  #event<Type extends EventType>(
    type: Type,
    seq: number,
    timestamp_ms: number,
    step_id: string | undefined,
    data: EventData[Type],
  ): AgentEvent {
    const { run_id, thread_id } = this.#run;
    // Type and data belong together by the signature; the compiler does not follow that through a union.
    return (
      step_id === undefined
        ? { type, run_id, thread_id, seq, timestamp_ms, data }
        : { type, run_id, thread_id, seq, timestamp_ms, step_id, data }
    ) as AgentEvent;
  }
}

function emptyPending(): {
  messages: Message[];
  patches: TrackedPatch[];
  actions: LoggedAction[];
  calls: Map<string, ToolCallRecord>;
  events: AgentEvent[];
  consumed: DecisionKey[];
  mailbox: MailboxEffect[];
  blobs: string[];
} {
  return { messages: [], patches: [], actions: [], calls: new Map(), events: [], consumed: [], mailbox: [], blobs: [] };
}
