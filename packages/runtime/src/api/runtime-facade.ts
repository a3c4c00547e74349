import {
  assertId,
  type CallFilter,
  type Documents,
  type Durability,
  type Lease,
  notFound,
  type Observe,
  type Page,
  RepriseError,
  type RunFilter,
  type RunRecord,
  type RunRequest,
  type ToolCallRecord,
  type Worker,
} from "@reprise/contracts";
import { toStoredKeys } from "@reprise/contracts/shape";
import { assertKnownKeys } from "../define/assert-known-keys.ts";
import type { Agent } from "../define/define-agent.ts";
import type { Dispatcher } from "../dispatcher/dispatcher.ts";
import type { Services } from "../loop/services.ts";
import { type Blobs, createBlobs } from "../media/blobs.ts";
import type { RunComparison } from "../replay/compare-runs.ts";
import { type ModelCall, readModelCalls } from "../replay/read-model-calls.ts";
import type { RunRecording } from "../replay/recording.ts";
import type { ReplayMode, ReplayResult } from "../replay/replay-recording.ts";
import { exportRun, exportRunText, replayRun } from "../replay/replay-run.ts";
import { buildAddition, buildRegistries, DEFINITION_KEYS, type Definitions } from "../resolve/build-registries.ts";
import { type AgentInfo, describePlan } from "./agent-info.ts";
import { type AgentPart, listAgentParts } from "./agent-parts.ts";
import { type Budgets, createBudgets } from "./budgets.ts";
import { type CallTool, prepareToolCall } from "./call-tool.ts";
import { type Costs, createCosts } from "./costs.ts";
import { createDecisions, type Decisions } from "./decisions.ts";
import { type AgentExtension, type AgentVariant, extendAgent } from "./extend-agent.ts";
import { createMailbox, type Mailbox } from "./mailbox.ts";
import { prepareTools } from "./plugin-resources.ts";
import { type PreparedRun, prepareRun } from "./prepare-run.ts";
import { type CallPreview, type PreviewCall, previewCall } from "./preview-call.ts";
import { compareStored, type Rerun, type RerunChanges, rerunFrom } from "./rerun-from.ts";
import { createRunHandle, type RunHandle } from "./run-handle.ts";
import type { RunOutcome } from "./run-outcome.ts";
import type { Runtime, SubmitOptions } from "./runtime.ts";
import { type StartRun, toRequest } from "./start-run.ts";
import { submitRun } from "./submit-run.ts";
import { createThreads, type Threads } from "./threads.ts";

/** The dispatcher of a runtime, and its way out of the store. */
export interface Workers {
  readonly dispatcher: Dispatcher;
  leave(): Promise<void>;
  extendDefinitions(definitions: Definitions): Definitions;
}

/** One tenant's view of a runtime. All of them share what works. */
export class RuntimeFacade implements Runtime {
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

  forTenant(tenant: string): RuntimeFacade {
    assertId("tenant", tenant);
    return new RuntimeFacade(this.#services, this.#workers, tenant, this.#closed);
  }

  redefine(definitions: Definitions): this {
    assertKnownKeys("redefine", definitions, DEFINITION_KEYS);
    this.#services.agents.replace(buildRegistries(this.#workers.extendDefinitions(definitions)));
    this.#dispatcher.redefined();
    return this;
  }

  addAgent(agent: Agent): this {
    this.#services.agents.add(buildAddition(this.#workers.extendDefinitions({ agents: [agent] })));
    this.#dispatcher.redefined();
    return this;
  }

  extendAgent(agentId: string, extension: AgentExtension): AgentVariant {
    const forget = extendAgent(this.#services.agents, agentId, extension);
    // Runs of the variant may wait for it already.
    this.#dispatcher.redefined();
    return { prepare: async () => void (await prepareTools(this.#services, this.tenant, extension.id)), forget };
  }

  async start(run: StartRun): Promise<RunHandle<never>> {
    return this.submit(toRequest(run));
  }

  async submit(request: RunRequest, options?: SubmitOptions): Promise<RunHandle<never>> {
    return submitRun(this.#services, this.#dispatcher, this.prepare(request), options);
  }

  prepare(request: RunRequest): PreparedRun {
    return prepareRun(this.#services, this.tenant, request);
  }

  async callTool(call: CallTool): Promise<RunHandle> {
    await prepareTools(this.#services, this.tenant, call.agent);
    return submitRun(this.#services, this.#dispatcher, prepareToolCall(this.#services, this.tenant, call));
  }

  async previewCall(call: PreviewCall): Promise<CallPreview> {
    return previewCall(this.#services, this.tenant, call);
  }

  async runToCompletion(run: StartRun): Promise<RunOutcome<never>> {
    return (await this.start(run)).outcome();
  }

  async run(runId: string): Promise<RunHandle> {
    const store = this.#services.store.forTenant(this.tenant);
    const run = (await store.loadRun(runId)) ?? (await store.listEntries({ run_id: runId })).items[0];
    if (run === undefined) throw notFound("RUN_NOT_FOUND", "run", runId);
    return this.#handle(runId, run.thread_id);
  }

  runs(query: RunFilter = {}): Promise<Page<RunRecord>> {
    return this.#services.store.forTenant(this.tenant).listRuns(toStoredKeys(query));
  }

  calls(query: CallFilter): Promise<Page<ToolCallRecord>> {
    return this.#services.store.forTenant(this.tenant).listCalls(toStoredKeys(query));
  }

  agents(): readonly AgentInfo[] {
    const { agents } = this.#services;
    const { agents: known, models } = agents.registries;
    return known.ids().map((id) => describePlan(agents.describedPlan(id, this.tenant), models.ids()));
  }

  async agentParts(agentId: string): Promise<readonly AgentPart[]> {
    return listAgentParts(this.#services, this.tenant, agentId);
  }

  now(): number {
    return this.#services.time.now();
  }

  leases(): Promise<readonly Lease[]> {
    return this.#services.store.operator.listLeases(this.tenant);
  }

  workers(): Promise<readonly Worker[]> {
    return this.#services.store.operator.listWorkers();
  }

  mailboxDepth(): Promise<number> {
    return this.#services.store.operator.countDueThreads();
  }

  missingAgents(): Promise<readonly string[]> {
    return this.#services.store.operator.listMissingAgents();
  }

  get isReplaced(): boolean {
    return this.#dispatcher.isReplaced;
  }

  replay(runId: string, { mode = "verify" }: { readonly mode?: ReplayMode } = {}): Promise<ReplayResult> {
    return replayRun(this.#services, this.tenant, runId, mode);
  }

  async rerunFrom(runId: string, step: number, changes: RerunChanges = {}): Promise<Rerun> {
    // Before the thread is forked for it.
    this.#dispatcher.assertOpen();
    return rerunFrom(this.#services, this, { runId, step, changes });
  }

  modelCalls(runId: string, step: number): Promise<readonly ModelCall[]> {
    return readModelCalls(this.#services, this.tenant, runId, step);
  }

  compareRuns(runId: string, otherId: string): Promise<RunComparison> {
    return compareStored(this.#services, this.tenant, runId, otherId);
  }

  exportRun(runId: string): Promise<RunRecording> {
    return exportRun(this.#services, this.tenant, runId);
  }

  exportRunText(runId: string): Promise<AsyncGenerator<string, undefined>> {
    return exportRunText(this.#services, this.tenant, runId);
  }

  observe(observe: Observe): () => void {
    const { observers } = this.#services;
    // Its own function: the same observer may be added twice, and each is stopped by itself.
    const own: Observe = (run) => observe(run);
    observers.add(own);
    return () => {
      observers.delete(own);
    };
  }

  async work(): Promise<void> {
    if (this.#closed.signal.aborted) return;
    this.#dispatcher.stay();
    await new Promise<void>((resolve) =>
      this.#closed.signal.addEventListener("abort", () => resolve(), { once: true }),
    );
  }

  async close(): Promise<void> {
    if (this.#dispatcher.isClosed) return;
    try {
      await this.#dispatcher.close();
    } finally {
      // Waiters are told, whatever happened to the claims.
      const message = "The runtime was closed. The run continues in another process, or when this one starts again.";
      this.#closed.abort(new RepriseError("RUNTIME_CLOSED", message));
      this.#services.signals.close();
      await this.#workers.leave();
    }
  }

  #handle(runId: string, threadId: string): RunHandle {
    return createRunHandle(this.#services, this.tenant, runId, threadId);
  }
}
