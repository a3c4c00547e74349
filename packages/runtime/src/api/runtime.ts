import type {
  BlobStore,
  CallFilter,
  Documents,
  Durability,
  Env,
  Lease,
  LiveRelay,
  Observe,
  Page,
  RunFilter,
  RunRecord,
  RunRequest,
  Store,
  TokenCounter,
  ToolCallRecord,
  Worker,
} from "@reprise/contracts";
import type { Json } from "@reprise/state";
import type { BeforeModelAttempt } from "../budget/run-gate.ts";
import type { Agent } from "../define/define-agent.ts";
import type { Blobs } from "../media/blobs.ts";
import type { RunComparison } from "../replay/compare-runs.ts";
import type { ModelCall } from "../replay/read-model-calls.ts";
import type { RunRecording } from "../replay/recording.ts";
import type { ReplayMode, ReplayResult } from "../replay/replay-recording.ts";
import type { Definitions } from "../resolve/build-registries.ts";
import type { RegistrySet } from "../resolve/registry-set.ts";
import type { Limits } from "../run/limits.ts";
import type { RecordedWorld } from "../run/recorded-world.ts";
import type { OnToolError } from "../tools/report-tool-error.ts";
import type { AgentInfo } from "./agent-info.ts";
import type { AgentPart } from "./agent-parts.ts";
import type { Budgets } from "./budgets.ts";
import type { CallTool } from "./call-tool.ts";
import type { Costs } from "./costs.ts";
import type { Decisions } from "./decisions.ts";
import type { AgentExtension, AgentVariant } from "./extend-agent.ts";
import type { Mailbox } from "./mailbox.ts";
import type { PreparedRun } from "./prepare-run.ts";
import type { CallPreview, PreviewCall } from "./preview-call.ts";
import type { Rerun, RerunChanges } from "./rerun-from.ts";
import type { RunHandle } from "./run-handle.ts";
import type { RunOutcome } from "./run-outcome.ts";
import type { StartRun } from "./start-run.ts";
import type { Threads } from "./threads.ts";

/** The definitions of a runtime, as lists or as registries built by `createRegistryBuilder`, and its store and environment. */
export interface RuntimeOptions<Known extends Agent = Agent> extends Definitions<Known> {
  /** Instead of the lists. */
  readonly registries?: RegistrySet;
  readonly store: Store;
  readonly blobs: BlobStore;
  readonly env: Env;
  readonly limits?: Partial<Limits>;
  readonly tenant?: string;
  /** Counts tokens for agents with a context policy. Without one, a rule does, on the safe side. */
  readonly tokenCounter?: TokenCounter;
  /**
   * The name under which this process works, the same over restarts: what it left unfinished is taken up at once instead of
   * after the lease. `STORE_OWNED` while another process has it. Without one, a name is made up.
   */
  readonly instanceId?: string;
  /** Called before anything is sent to a model, also before a retry. Throwing fails the run, and nothing is sent. */
  readonly beforeModelAttempt?: BeforeModelAttempt;
  /**
   * Carries events of runs to readers in other processes while they happen, as `natsLive(url)`. Without one these readers see them when
   * they are committed. The caller closes it, after the runtime.
   */
  readonly live?: LiveRelay;
  /** Hears of every failure of a tool that the tool did not mean by a `ToolError`, with the error as it was thrown. Also logged. */
  readonly onToolError?: OnToolError;
  /** Recorded answers that stand in for those of models, tools and plugins: for evaluations of recorded runs. */
  readonly recordedWorld?: RecordedWorld;
  /** Adds what the platform brings to whatever is defined, now and by `redefine`. */
  readonly extendDefinitions?: (definitions: Definitions) => Definitions;
  /** Called when the runtime is closed and needs its store no more. */
  readonly onClose?: () => Promise<void>;
}

/** For requests of clients: restrictions, and who sends them. */
export interface SubmitOptions {
  /** The client may not raise its agent's budget, neither by one of its own nor by that of a run above: the smallest limit counts. */
  readonly capBudget?: boolean;
  /** The person or client behind the decisions in the request. */
  readonly decidedBy?: string;
}

/** Everything of a runtime that belongs to one tenant. */
export type TenantRuntime<Known extends Agent = Agent> = Omit<
  Runtime<Known>,
  "close" | "forTenant" | "redefine" | "addAgent" | "extendAgent" | "observe" | "work"
>;

/** The type of an agent's answers; any JSON for an agent that is known only by its id. */
export type OutputOf<Known extends Agent, Id extends string> =
  Known extends Agent<infer KnownId, infer Output>
    ? Id extends KnownId
      ? unknown extends Output
        ? Json
        : Output
      : never
    : never;

/** Runs agents. `Known` are the agents it was created with; without it any id may be started. */
export interface Runtime<Known extends Agent = Agent> {
  /** The same runtime for another tenant: one process serves many, and each sees only its own. */
  forTenant(tenant: string): TenantRuntime<Known>;
  /**
   * Replaces everything that can be run. Every mistake is reported before anything changes. Active runs continue as they began until
   * they wait or end. Returns the same runtime, typed by its new agents.
   */
  redefine<Next extends Agent>(definitions: Definitions<Next>): Runtime<Next>;
  /**
   * Has one more agent from now on, which may name the tools, models and plugins the runtime knows. `REGISTRY_CONFLICT` when its id is
   * taken. `redefine` replaces it like all others. Returns the same runtime, typed with the agent.
   */
  addAgent<Added extends Agent>(agent: Added): Runtime<Known | Added>;
  /**
   * Has a variant of an agent with one more plugin, in this process alone and in no list of agents, until it is forgotten.
   * `REMOTE_AGENT_NOT_DIRECTLY_RUNNABLE` for an agent that has no plugins here.
   */
  extendAgent(agentId: Known["id"], extension: AgentExtension): AgentVariant;
  /** Starts a run; resolves when it is accepted durably. */
  start<Id extends Known["id"]>(run: StartRun<Id>): Promise<RunHandle<OutputOf<Known, Id>>>;
  /**
   * The same for a request in wire form, with every field there is. Sent again under its run id or dedupe key it is the run that was
   * started first; another request under them is `RUN_EXISTS`.
   */
  submit(request: RunRequest, options?: SubmitOptions): Promise<RunHandle>;
  /** Checks a request and gives it its ids; stores nothing. For callers that must know the ids before the run exists. */
  prepare(request: RunRequest): PreparedRun;
  /** Starts a run and waits until it is done or waits for decisions. */
  runToCompletion<Id extends Known["id"]>(run: StartRun<Id>): Promise<RunOutcome<OutputOf<Known, Id>>>;
  /** Makes one call of an agent's tool, without a model, as a run of its own. */
  callTool(call: CallTool): Promise<RunHandle>;
  /** Whether a call would run, be asked about or be refused, as the agent's plugins and the tool say. Nothing is done. */
  previewCall(call: PreviewCall): Promise<CallPreview>;
  /** A run by its id, also one that is still queued. */
  run(runId: string): Promise<RunHandle>;
  runs(query?: RunFilter): Promise<Page<RunRecord>>;
  /** Tool calls, oldest first, of a run or a thread, or of the whole tenant with an open status. `INVALID_REQUEST` otherwise. */
  calls(query: CallFilter): Promise<Page<ToolCallRecord>>;
  /** Lists the resolved agents: model, plugins, tools and warnings. */
  agents(): readonly AgentInfo[];
  /** What the plugins of an agent bring to it beside tools, such as servers and skills, and how that is doing in this process. */
  agentParts(agentId: string): Promise<readonly AgentPart[]>;
  /** Who works on which thread, in all processes of the store. */
  leases(): Promise<readonly Lease[]>;
  /** The processes that work on the store, with what each can run. */
  workers(): Promise<readonly Worker[]>;
  /** The agents whose work waits because no live process has them. */
  missingAgents(): Promise<readonly string[]>;
  /** How many threads of all tenants have work that is due and that no process has claimed; counted up to 10,000. */
  mailboxDepth(): Promise<number>;
  /** Whether another process took the instance id of this one, which was silent for longer than its lease, and takes no more work. */
  readonly isReplaced: boolean;
  /** The store's time, in milliseconds since 1970: what stored times are to be compared with, and made from. */
  now(): number;
  /** Whose threads these are. */
  readonly tenant: string;
  /** The durability that the store promises. */
  readonly durability: Durability;
  readonly threads: Threads;
  /** Small documents of the tenant outside of threads, for the host. */
  readonly documents: Documents;
  readonly decisions: Decisions;
  /** The queues of threads, and the status of their entries. */
  readonly mailbox: Mailbox;
  /** The files that messages refer to by `blob:` and `media://`. */
  readonly blobs: Blobs;
  /** The costs of runs, threads and trees of runs. */
  readonly costs: Costs;
  /** The budgets of runs, and their remainders. */
  readonly budgets: Budgets;
  /**
   * Runs a finished run again from what is stored of it, without a model and without tools, and compares every commit with the
   * recorded one. `verify`, the default, runs no code of the definition; `reexecute` asks today's plugins and rules.
   */
  replay(runId: string, options?: { readonly mode?: ReplayMode }): Promise<ReplayResult>;
  /**
   * Takes a finished run up again before one of its steps, on a fork of its thread, with another model, other instructions, other
   * tools or other results of the tools it called. This is a real run. The changed agent is known in this process alone.
   */
  rerunFrom(runId: string, step: number, changes?: RerunChanges): Promise<Rerun>;
  /** What models were asked in a step of a finished run, exactly, and what they answered. No model is asked for it. */
  modelCalls(runId: string, step: number): Promise<readonly ModelCall[]>;
  /** How a finished run differs from another one: a rerun of it, or any that went another way. */
  compareRuns(runId: string, otherId: string): Promise<RunComparison>;
  /** A finished run as one JSON value, for `replayExport` in another process. */
  exportRun(runId: string): Promise<RunRecording>;
  /** The same as pieces of JSON text, read from the store as fast as they are taken: for runs that are too long to be held. */
  exportRunText(runId: string): Promise<AsyncGenerator<string, undefined>>;
  /**
   * Watches every run that this process works on, of all tenants, from its next activation on. Returns the way to stop. A plugin
   * watches the runs of its agents with `observe`.
   */
  observe(observe: Observe): () => void;
  /**
   * Keeps the process until the runtime is closed, and resolves then: for a process that only works. Without it a process ends when
   * it has nothing to do, as any program does.
   */
  work(): Promise<void>;
  /** Lets runs come to their end for a while, gives the others back, and takes no more. */
  close(): Promise<void>;
}
