import type {
  BlobStore,
  CheckpointReason,
  ChildRun,
  ChildRuns,
  Claim,
  Decision,
  DecisionKey,
  Env,
  EventData,
  EventType,
  InheritedState,
  LoggedAction,
  MailboxEffect,
  Message,
  RunLimitsPolicy,
  RunPolicy,
  RunRecord,
  TenantStore,
  ToolCallRecord,
  ToolExecutionMode,
} from "@reprise/contracts";
import type { Json, Op, TrackedPatch } from "@reprise/state";
import type { MailFlag } from "../effects/mail-flag.ts";
import type { EffectPort } from "../effects/port.ts";
import type { ResolvedAgent, ResolvedRunPlan } from "../resolve/resolved-agent.ts";
import type { SourcedTools } from "../resolve/tool-sources.ts";
import type { StoreTime } from "../thread/store-time.ts";
import type { Limits } from "./limits.ts";
import type { RecordedWorld } from "./recorded-world.ts";

// The parts of a run at work. A function takes the parts it uses; `RunWorkspace` is all of them.

/** Which run this is, and how it stands. */
export interface RunView {
  readonly run: RunRecord;
  readonly claim: Claim;
  readonly policy: RunPolicy;
  /** The store's time when the last effect came in. */
  readonly now: number;
  /** Aborted when the run is cancelled or the claim is lost. */
  readonly signal: AbortSignal;
}

/** Changes the run's row. The change is stored with the next commit. */
export interface RunEditor extends RunView {
  setRun(change: Partial<RunRecord>): void;
  replaceRun(run: RunRecord): void;
}

/** The agent of the run, resolved once per activation. */
export interface AgentView {
  /** Throws for an agent that runs elsewhere. */
  readonly agent: ResolvedAgent;
  readonly plan: ResolvedRunPlan;
  /** How the calls of a step run: as the client chose, or else as the agent says. */
  readonly toolExecutionMode: ToolExecutionMode;
  /** The version of a tool as the process has it, or "" when it has no such tool. */
  versionOf(toolId: string): string;
}

/** What the tool sources of the agent list for this activation. */
export interface ToolShelf {
  /** Undefined before they were asked. */
  readonly sourced: SourcedTools | undefined;
  /** Offers these beside the agent's own tools from now on, instead of those listed before. */
  useTools(sourced: SourcedTools): void;
}

/** The port through which everything from outside of the thread comes in. */
export interface Outside {
  readonly effects: EffectPort;
}

/** The thread's state with all changes of this run, committed or not. */
export interface StateAccess {
  readonly document: Json;
  addPatch(source: string, ops: readonly Op[], actions?: readonly LoggedAction[]): TrackedPatch | undefined;
  /** Registers run-scoped states that were written, so that the next run deletes them. */
  noteRunScoped(names: Iterable<string>): void;
}

/** The messages of the thread, committed or not. */
export interface Conversation {
  readonly lastMessage: Message | undefined;
  /** The messages that the model gets. */
  modelMessages(): readonly Message[];
  /** Adds a message unless the thread has one with its id. */
  addMessage(message: Message): void;
}

/** The tool calls of the run that are not over. */
export interface CallBook {
  /** In the order in which the model asked for them. */
  readonly openCalls: readonly ToolCallRecord[];
  /** Undefined for a call that is over. */
  callStatus(callId: string): ToolCallRecord["status"] | undefined;
  setCall(call: ToolCallRecord): void;
}

/** The event stream of the run. */
export interface EventSink {
  /** Publishes an event at once. It becomes durable with the next commit, or is withdrawn. */
  emit<Type extends EventType>(type: Type, data: EventData[Type], stepId?: string): void;
  /** Publishes an event after the next commit. */
  emitOnCommit<Type extends EventType>(type: Type, data: EventData[Type], stepId?: string): void;
}

/** What is in the store for the run: decisions, steering, a cancellation. */
export interface Mailbox {
  readonly mail: MailFlag;
  readonly store: TenantStore;
  /** Marks a decision as used by the next commit. */
  consume(key: DecisionKey): void;
  settleEntry(effect: MailboxEffect): void;
  /** The decisions that were found when the run was taken up again, once. */
  takeFound(): readonly Decision[];
}

/** What a tool leaves behind beside its result. */
export interface RoundNotes {
  /** Logs actions beside the patches they became. */
  logActions(actions: readonly LoggedAction[]): void;
  /** How many messages a call has queued before: each gets an id of its own. */
  countQueued(callId: string): number;
  /** Adds a message once every call of the round has its result: nothing may stand between a call and its result. */
  addMessageAfterRound(message: Message): void;
  /** Names blobs that the next commit refers to. */
  refersTo(refs: readonly string[]): void;
}

/** Makes the changes of the run durable. */
export interface Commits {
  /** Whether a commit would write anything. */
  readonly hasChanges: boolean;
  commit(...reasons: readonly CheckpointReason[]): Promise<void>;
  /** Drops what was added since the last commit, when that was nothing but messages and patches. */
  discard(): void;
  /** Acts on the world once everything up to now is committed. */
  afterCommit(act: () => void): void;
}

/** What the process lends to every run. */
export interface Host {
  readonly services: HostServices;
}

/** Starts and finds the runs below a run. The part of the runtime's front that the loop may use. */
export interface Delegation {
  /** A run that the thread of another run started. */
  find(tenant: string, run: RunRecord, runId: string): Promise<ChildRun | undefined>;
  /** Whether a run of a tree was cancelled with the tree. Then it is asked to stop, if it was not before. */
  heed(tenant: string, run: RunRecord): Promise<boolean>;
  /** The runs below the call of a run. `started` hears of every run that the call started, also of one that an earlier execution of it did. */
  runsOf(caller: DelegatingCall, started: (child: StartedRun) => void): ChildRuns;
}

/** A run that a call started. */
export interface StartedRun extends Pick<ChildRun, "runId" | "threadId" | "agentId"> {
  readonly depth: number;
  readonly background: boolean;
  /** The limits that the call set for it. */
  readonly limits?: RunLimitsPolicy;
}

/** The call that starts runs, and its run. */
export interface DelegatingCall {
  readonly tenant: string;
  readonly run: RunRecord;
  readonly call: ToolCallRecord;
  /** The state of the thread as the call sees it. */
  readonly document?: Json;
  /** Aborted when the call is to stop. */
  readonly signal: AbortSignal;
  /** The state that plugins of its run pass on. */
  inherited(): Promise<readonly InheritedState[]>;
}

export interface HostServices {
  readonly env: Env;
  readonly recordedWorld?: RecordedWorld | undefined;
  readonly limits: Limits;
  readonly blobs: BlobStore;
  readonly time: Pick<StoreTime, "now">;
  readonly delegation: Delegation;
}
