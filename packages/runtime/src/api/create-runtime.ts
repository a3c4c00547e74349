import {
  assertId,
  type BlobStore,
  type CallQuery,
  type Documents,
  type Durability,
  type Env,
  type Lease,
  notFound,
  type Page,
  RepriseError,
  type RunQuery,
  type RunRecord,
  type RunRequest,
  type Store,
  type TokenCounter,
  type ToolCallRecord,
} from "@reprise/contracts";
import { assertLimits } from "../assert-limits.ts";
import { BudgetBook } from "../budget/budget-book.ts";
import type { BeforeModelAttempt } from "../budget/run-gate.ts";
import { TokenEstimator } from "../context/token-estimator.ts";
import { Dispatcher } from "../dispatcher/dispatcher.ts";
import { LiveBus } from "../journal/live-bus.ts";
import { Signals } from "../journal/signals.ts";
import { StoppedRuns } from "../journal/stopped-runs.ts";
import { type Blobs, createBlobs } from "../media/blobs.ts";
import type { RunComparison } from "../replay/compare-runs.ts";
import type { RunRecording } from "../replay/recording.ts";
import type { ReplayMode, ReplayResult } from "../replay/replay-recording.ts";
import { exportRun, replayRun } from "../replay/replay-run.ts";
import { compareStored, type Rerun, type RerunChanges, rerunFrom } from "../replay/rerun-from.ts";
import { Agents } from "../resolve/agents.ts";
import { buildRegistries, type Definitions } from "../resolve/build-registries.ts";
import type { RegistrySet } from "../resolve/registry-set.ts";
import { DEFAULT_LIMITS, type Limits, type Services } from "../services.ts";
import { ThreadCache } from "../thread/thread-cache.ts";
import { RunPools } from "../tools/pools/run-pools.ts";
import { type AgentInfo, describePlan } from "./agent-info.ts";
import { type Budgets, createBudgets } from "./budgets.ts";
import { type CallTool, prepareToolCall } from "./call-tool.ts";
import { type Costs, createCosts } from "./costs.ts";
import { createDecisions, type Decisions } from "./decisions.ts";
import { forwardDecisions } from "./forward-decisions.ts";
import { createMailbox, type Mailbox } from "./mailbox.ts";
import { createRunHandle, type RunHandle } from "./run-handle.ts";
import type { RunOutcome } from "./run-outcome.ts";
import { type StartRun, toRequest } from "./start-run.ts";
import { executePrepared, type PreparedRun, prepareRun } from "./submit.ts";
import { createThreads, type Threads } from "./threads.ts";

/** What to run, as lists or as registries built by `createRegistryBuilder`; and what to run it on. */
export interface RuntimeOptions extends Definitions {
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
  /** Adds what the platform brings to whatever is defined, now and by `redefine`. */
  readonly complete?: (definitions: Definitions) => Definitions;
  /** Called when the runtime is closed and needs its store no more. */
  readonly onClose?: () => Promise<void>;
}

/** Everything of a runtime that belongs to one tenant. */
export type TenantRuntime = Omit<Runtime, "close" | "forTenant" | "redefine">;

export interface Runtime {
  /** The same runtime for another tenant: one process serves many, and each sees only its own. */
  forTenant(tenant: string): TenantRuntime;
  /**
   * Replaces everything that can be run. Every mistake is reported before anything changes. Runs at work go on as they began until
   * they wait or end.
   */
  redefine(definitions: Definitions): void;
  /** Starts a run; resolves when it is accepted durably. */
  start(run: StartRun): Promise<RunHandle>;
  /** The same for a request in wire form, with every field there is. */
  submit(request: RunRequest): Promise<RunHandle>;
  /** Checks a request and gives it its ids; stores nothing. For callers that must know the ids before the run exists. */
  prepare(request: RunRequest): PreparedRun;
  /** Accepts a prepared run; resolves when that is durable. */
  execute(prepared: PreparedRun): Promise<RunHandle>;
  /** Starts a run and waits until it is done or waits for decisions. */
  runToCompletion(run: StartRun): Promise<RunOutcome>;
  /** Makes one call of an agent's tool, without a model, as a run of its own. */
  callTool(call: CallTool): Promise<RunHandle>;
  /** A run by its id, also one that is still queued. */
  run(runId: string): Promise<RunHandle>;
  runs(query?: RunQuery): Promise<Page<RunRecord>>;
  /** Tool calls, oldest first, whatever became of them. */
  calls(query?: CallQuery): Promise<Page<ToolCallRecord>>;
  /** What each agent came to: its model, plugins, tools, and what is odd about it. */
  agents(): readonly AgentInfo[];
  /** Who works on which thread, in all processes of the store. */
  leases(): Promise<readonly Lease[]>;
  /** Whose threads these are. */
  readonly tenant: string;
  /** What survives what, as the store says. */
  readonly durability: Durability;
  readonly threads: Threads;
  /** Small things the tenant keeps outside of threads, for whoever embeds the runtime. */
  readonly documents: Documents;
  readonly decisions: Decisions;
  /** What is queued, and what became of it. */
  readonly mailbox: Mailbox;
  /** What messages name by `blob:` and `media://`. */
  readonly blobs: Blobs;
  /** What runs, threads and trees of runs cost. */
  readonly costs: Costs;
  /** What runs may still spend. */
  readonly budgets: Budgets;
  /**
   * Runs a finished run again from what is stored of it, without a model and without tools, and compares every commit with the
   * recorded one. `verify`, unless it is said otherwise, runs nobody's code; `reexecute` asks today's plugins and rules.
   */
  replay(runId: string, options?: { readonly mode?: ReplayMode }): Promise<ReplayResult>;
  /**
   * Takes a finished run up again before one of its steps, on a fork of its thread, with another model, other instructions or other
   * tools. This is a real run. The changed agent is known in this process alone.
   */
  rerunFrom(runId: string, step: number, changes?: RerunChanges): Promise<Rerun>;
  /** How a finished run differs from another one: a rerun of it, or any that went another way. */
  compareRuns(runId: string, otherId: string): Promise<RunComparison>;
  /** A finished run as one JSON value, for `replayExport` in another process. */
  exportRun(runId: string): Promise<RunRecording>;
  /** Lets runs come to their end for a while, gives the others back, and takes no more. */
  close(): Promise<void>;
}

/** Puts a runtime together. Every mistake in the agents is reported here. */
export async function createRuntime(options: RuntimeOptions): Promise<Runtime> {
  const { env, store, blobs, tenant = "default" } = options;
  const limits = { ...DEFAULT_LIMITS, ...options.limits };
  assertLimits(limits);
  const closed = new AbortController();
  const { complete = (definitions: Definitions) => definitions } = options;
  const services: Services = {
    env,
    store,
    blobs,
    limits,
    agents: new Agents(options.registries ?? buildRegistries(complete(options)), env),
    pools: new RunPools(limits.pools),
    budgets: new BudgetBook(store),
    beforeModelAttempt: options.beforeModelAttempt,
    bus: new LiveBus(),
    signals: new Signals(store, env.clock, limits.recheckMs),
    stopped: new StoppedRuns(),
    threads: new ThreadCache(limits.cachedThreads),
    tokens: new TokenEstimator(options.tokenCounter, env.log),
    closed: closed.signal,
    owner: options.instanceId ?? env.ids.uuid(),
  };
  // Resolved now, so that what is odd about an agent is said at the start.
  for (const id of services.agents.registries.agents.ids())
    if (options.registries === undefined) services.agents.plan(id);
  const leaveStore = await enterStore(services, options.instanceId);
  const leave = async (): Promise<void> => {
    await leaveStore();
    await options.onClose?.();
  };
  const dispatcher = new Dispatcher(services);
  dispatcher.open();
  return new RuntimeFacade(services, { dispatcher, leave, complete, isClosed: false }, tenant, closed);
}

async function enterStore({ store, signals }: Services, instanceId: string | undefined): Promise<() => Promise<void>> {
  if (instanceId === undefined) return async () => undefined;
  try {
    return await store.operator.enter(instanceId);
  } catch (error) {
    signals.close();
    throw error;
  }
}

/** What works for a runtime, and how it leaves the store. */
interface Workers {
  readonly dispatcher: Dispatcher;
  leave(): Promise<void>;
  complete(definitions: Definitions): Definitions;
  /** Set once, for every tenant. */
  isClosed: boolean;
}

class RuntimeFacade implements Runtime {
  readonly tenant: string;
  readonly durability: Durability;
  readonly threads: Threads;
  readonly documents: Documents;
  readonly decisions: Decisions;
  readonly mailbox: Mailbox;
  readonly blobs: Blobs;
  readonly costs: Costs;
  readonly budgets: Budgets;
  readonly #services: Services;
  readonly #dispatcher: Dispatcher;
  readonly #closed: AbortController;
  readonly #workers: Workers;

  constructor(services: Services, workers: Workers, tenant: string, closed: AbortController) {
    this.#closed = closed;
    this.#services = services;
    this.#workers = workers;
    this.#dispatcher = workers.dispatcher;
    this.tenant = tenant;
    this.durability = services.store.durability;
    this.documents = services.store.forTenant(tenant);
    this.threads = createThreads(services, tenant);
    this.decisions = createDecisions(services, tenant);
    this.mailbox = createMailbox(services, tenant);
    this.blobs = createBlobs(services, tenant);
    this.costs = createCosts(services.store.forTenant(tenant));
    this.budgets = createBudgets(services, tenant);
  }

  forTenant(tenant: string): TenantRuntime {
    assertId("tenant", tenant);
    return new RuntimeFacade(this.#services, this.#workers, tenant, this.#closed);
  }

  redefine(definitions: Definitions): void {
    this.#services.agents.replace(buildRegistries(this.#workers.complete(definitions)));
  }

  start(run: StartRun): Promise<RunHandle> {
    return this.submit(toRequest(run));
  }

  async submit(request: RunRequest): Promise<RunHandle> {
    return this.execute(this.prepare(request));
  }

  prepare(request: RunRequest): PreparedRun {
    return prepareRun(this.#services, this.tenant, request);
  }

  async execute(prepared: PreparedRun): Promise<RunHandle> {
    if (this.#workers.isClosed)
      throw new RepriseError("RUNTIME_CLOSED", "The runtime is closed and takes no more runs.");
    const { initial_decisions = [], messages } = prepared.entry.request;
    if (initial_decisions.length > 0) {
      const runId = await forwardDecisions(this.#services, this.tenant, prepared.thread_id, initial_decisions);
      if (messages.length === 0) return this.#handle(runId, prepared.thread_id);
    }
    const { entry } = await executePrepared(this.#services, this.#dispatcher, prepared);
    return this.#handle(entry.run_id, entry.thread_id);
  }

  async callTool(call: CallTool): Promise<RunHandle> {
    return this.execute(prepareToolCall(this.#services, this.tenant, call));
  }

  async runToCompletion(run: StartRun): Promise<RunOutcome> {
    return (await this.start(run)).outcome();
  }

  async run(runId: string): Promise<RunHandle> {
    const store = this.#services.store.forTenant(this.tenant);
    const run = (await store.loadRun(runId)) ?? (await store.listEntries({ run_id: runId })).items[0];
    if (run === undefined) throw notFound("RUN_NOT_FOUND", "run", runId);
    return this.#handle(runId, run.thread_id);
  }

  runs(query?: RunQuery): Promise<Page<RunRecord>> {
    return this.#services.store.forTenant(this.tenant).listRuns(query);
  }

  calls(query?: CallQuery): Promise<Page<ToolCallRecord>> {
    return this.#services.store.forTenant(this.tenant).listCalls(query);
  }

  agents(): readonly AgentInfo[] {
    const { agents } = this.#services;
    return agents.registries.agents.ids().map((id) => describePlan(agents.plan(id)));
  }

  leases(): Promise<readonly Lease[]> {
    return this.#services.store.operator.listLeases(this.tenant);
  }

  replay(runId: string, { mode = "verify" }: { readonly mode?: ReplayMode } = {}): Promise<ReplayResult> {
    return replayRun(this.#services, this.tenant, runId, mode);
  }

  async rerunFrom(runId: string, step: number, changes: RerunChanges = {}): Promise<Rerun> {
    if (this.#workers.isClosed)
      throw new RepriseError("RUNTIME_CLOSED", "The runtime is closed and takes no more runs.");
    const owner = { dispatcher: this.#dispatcher, tenant: this.tenant };
    return rerunFrom(this.#services, owner, { runId, step, changes });
  }

  compareRuns(runId: string, otherId: string): Promise<RunComparison> {
    return compareStored(this.#services, this.tenant, runId, otherId);
  }

  exportRun(runId: string): Promise<RunRecording> {
    return exportRun(this.#services, this.tenant, runId);
  }

  async close(): Promise<void> {
    if (this.#workers.isClosed) return;
    this.#workers.isClosed = true;
    try {
      await this.#dispatcher.close();
    } finally {
      // Whoever waits is told, whatever happened to the claims.
      const message = "The runtime was closed; the run goes on elsewhere, or later.";
      this.#closed.abort(new RepriseError("RUNTIME_CLOSED", message));
      this.#services.signals.close();
      await this.#workers.leave();
    }
  }

  #handle(runId: string, threadId: string): RunHandle {
    return createRunHandle(this.#services, this.tenant, runId, threadId);
  }
}
