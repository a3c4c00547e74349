import {
  type Claim,
  type Message,
  RepriseError,
  type Store,
  type TenantStore,
  type ToolCallRecord,
  type ToolContext,
} from "@reprise/contracts";
import { createRuntime, DEFAULT_LIMITS, defineAgent, type Runtime } from "@reprise/runtime";
import { getAt } from "@reprise/state";
import { createMemoryBlobStore, createMemoryStore } from "@reprise/stores/memory";
import { createFakeEnv, type FakeEnv } from "@reprise/testkit";
import { findBrokenRound } from "./find-broken-round.ts";
import { createGuard } from "./guard.ts";
import { createModel } from "./model.ts";
import { FakeProcess, type TriedCommit } from "./process.ts";
import type { Scenario } from "./scenario.ts";
import { createTools, isReadOnly, PROMOTED, type ToolId, type ToolInput } from "./tools.ts";

/** One time a tool's code ran. */
export interface Execution {
  readonly tool: ToolId;
  readonly runId: string;
  readonly callId: string;
  readonly key: string;
  readonly input: ToolInput;
  readonly process: string;
}

export interface Instance {
  readonly process: FakeProcess;
  readonly runtime: Runtime;
}

/** Several processes on one store, and everything that was seen of them. */
export class World {
  readonly env: FakeEnv;
  readonly store: Store;
  readonly tenant: TenantStore;
  readonly instances: Instance[] = [];
  readonly executions: Execution[] = [];
  /** What went wrong on the way; everything else is looked for in the end. */
  readonly problems: string[] = [];
  readonly #scenario: Scenario;
  readonly #blobs;
  readonly #troubles = new Set<string>();
  /** Who may write to a thread, and since when by its own count. */
  readonly #owners = new Map<string, { readonly process: FakeProcess; readonly epoch: number; askedAt: number }>();
  readonly #commits = new Set<string>();
  #hasOutsidePatch = false;

  constructor(scenario: Scenario) {
    this.#scenario = scenario;
    this.env = createFakeEnv({ seed: scenario.seed });
    this.store = createMemoryStore({ clock: this.env.clock });
    this.tenant = this.store.forTenant("default");
    this.#blobs = createMemoryBlobStore(this.env);
  }

  get alive(): readonly Instance[] {
    return this.instances.filter(({ process }) => process.status === "alive");
  }

  async boot(): Promise<Instance> {
    const { latency, isDeaf, scripts } = this.#scenario;
    const process = new FakeProcess(`p${this.instances.length}`, {
      env: this.env,
      store: this.store,
      latency,
      isDeaf: isDeaf && this.instances.length === 0,
      onClaim: (owner, claim, askedAt) => this.#noteClaim(owner, claim, askedAt),
      onCommit: (owner, commit) => this.#noteCommit(owner, commit),
    });
    const model = createModel({
      process,
      scripts,
      troubles: this.#troubles,
      onRequest: (...request) => this.#checkRequest(...request),
    });
    const tools = createTools(
      (...begun) => this.#begin(process, ...begun),
      (ms, signal) => process.env.clock.sleep(ms, signal),
    );
    const { mode, partial, readsEarly, isGuarded } = this.#scenario.agent;
    const agent = defineAgent({
      id: "agent",
      model,
      tools,
      maxRounds: 6,
      toolExecutionMode: mode,
      partialSuspension: partial,
      startReadsEarly: readsEarly,
      toolConcurrency: PROMOTED,
      plugins: isGuarded ? [createGuard(this.#scenario.seed)] : [],
    });
    const runtime = await createRuntime({
      agents: [agent],
      store: process.store,
      blobs: this.#blobs,
      env: process.env,
      instanceId: process.name,
      limits: { closeTimeoutMs: 1_000 },
    });
    const instance = { process, runtime };
    this.instances.push(instance);
    return instance;
  }

  async turns(count: number): Promise<void> {
    for (let turn = 0; turn < count; turn += 1) await this.env.yield();
  }

  #noteClaim(process: FakeProcess, claim: Claim, askedAt: number): void {
    const known = this.#owners.get(claim.thread_id);
    if (known !== undefined && known.epoch === claim.epoch) known.askedAt = askedAt;
    else if (known === undefined || claim.epoch > known.epoch) {
      this.#owners.set(claim.thread_id, { process, epoch: claim.epoch, askedAt });
    } else this.problems.push(`${process.name} has epoch ${claim.epoch} of ${claim.thread_id} after ${known.epoch}`);
  }

  /** Only the owner writes, and nobody but an outside patch comes between its looks and its writes. */
  #noteCommit(process: FakeProcess, { changeset, epoch, refusal }: TriedCommit): void {
    const { thread_id, changeset_id, run_id } = changeset;
    const current = this.#owners.get(thread_id)?.epoch ?? 0;
    const isAgain = this.#commits.has(changeset_id);
    if (run_id === null) this.#hasOutsidePatch = true;
    else if (epoch !== current && !isAgain && !RepriseError.is(refusal, "STALE_EPOCH")) {
      const answer = refusal === undefined ? "wrote" : `was told ${String(refusal)} about`;
      this.problems.push(`${process.name} ${answer} ${changeset_id} with epoch ${epoch} of ${current}`);
    } else if (epoch === current && RepriseError.is(refusal, "VERSION_CONFLICT") && !this.#hasOutsidePatch) {
      this.problems.push(`${process.name} could not write ${changeset_id} though nobody else writes`);
    }
    if (refusal === undefined) this.#commits.add(changeset_id);
  }

  #owns(process: FakeProcess, threadId: string): boolean {
    return this.#owners.get(threadId)?.process === process;
  }

  /** The owner's model sees exactly what is committed and not withdrawn. */
  async #checkRequest(process: FakeProcess, threadId: string, messages: readonly Message[]): Promise<void> {
    if (!this.#owns(process, threadId)) return;
    const stored = await this.tenant.readMessages(threadId, 0);
    if (!this.#owns(process, threadId)) return;
    // Whenever a result came, the model reads it in the order of the calls; `findBrokenRound` looks at that.
    const placeholders = messages.filter(({ role, metadata }) => role === "tool" && metadata?.status === "pending");
    await this.#checkPlaceholders(process, threadId, placeholders);
    const real = messages.filter((message) => !placeholders.includes(message));
    const [shown, kept] = [real.map(({ id }) => id), stored.messages.map(({ id }) => id)];
    if (shown.toSorted().join() !== kept.toSorted().join())
      this.problems.push(`${process.name}'s model saw ${shown}, stored is ${kept}`);
    const broken = findBrokenRound(messages, "model");
    if (broken !== undefined) this.problems.push(`${process.name}'s model saw ${broken} in ${shown}`);
  }

  /** Something stands for the result of a call that waits, where the agent continues; it is kept nowhere. */
  async #checkPlaceholders(process: FakeProcess, threadId: string, shown: readonly Message[]): Promise<void> {
    if (shown.length > 0 && this.#scenario.agent.partial === "wait")
      this.problems.push(`${process.name}'s model saw a placeholder though it waits`);
    for (const { tool_call_id: callId = "" } of shown) {
      const { items } = await this.tenant.listCalls({ thread_id: threadId, limit: 200 });
      const status = items.find(({ call_id }) => call_id === callId)?.status;
      const isOpen = status === "suspended" || (status === "new" && this.#scenario.agent.mode === "sequential");
      if (!isOpen && this.#owns(process, threadId))
        this.problems.push(`${process.name}'s model saw a placeholder of ${callId}, which is ${status}`);
    }
  }

  /** One at a time: what the model asked for before, in the same step, is over. */
  async #checkTurn(place: string, { run_id, step_id, call_id }: ToolCallRecord): Promise<void> {
    const { items } = await this.tenant.listCalls({ run_id, limit: 200 });
    const indexOf = (id: string): number => Number(id.slice(`${step_id}-c`.length));
    const before = items.filter((call) => call.step_id === step_id && indexOf(call.call_id) < indexOf(call_id));
    const open = before.find(({ status }) => !["succeeded", "failed", "cancelled"].includes(status));
    if (open !== undefined) this.problems.push(`${place} began while ${open.call_id} was ${open.status}`);
  }

  /** Notes an execution. Its call must be committed as running, with these arguments, by an owner whose lease continues. */
  async #begin(process: FakeProcess, tool: ToolId, input: ToolInput, context: ToolContext): Promise<void> {
    const { runId: run_id, callId: call_id, threadId: thread_id } = context.identity;
    const key = context.idempotencyKey;
    this.executions.push({ tool, runId: run_id, callId: call_id, key, input, process: process.name });
    // It changes nothing, so it may begin before its call is committed, or in a turn that is taken back.
    if (this.#scenario.agent.readsEarly && isReadOnly(tool)) return;
    const owner = this.#owners.get(thread_id);
    const place = `${process.name}: ${tool} ${call_id}`;
    if (owner?.process !== process || this.env.clock.mono() - owner.askedAt > DEFAULT_LIMITS.leaseMs) {
      this.problems.push(`${place} began after the lease was over`);
      return;
    }
    const row = await this.tenant.loadCall(run_id, call_id);
    if (row?.status !== "running") this.problems.push(`${place} began while its call was ${row?.status}`);
    if (row !== undefined && this.#scenario.agent.mode === "sequential") await this.#checkTurn(place, row);
    const { label, waitMs } = input;
    const edited = context.decision?.arguments;
    if (edited !== undefined && getAt(edited, ["label"]) !== label)
      this.problems.push(`${place} began without its edit`);
    if (JSON.stringify(row?.arguments) !== JSON.stringify({ label, waitMs })) {
      this.problems.push(`${place} began with ${JSON.stringify(input)} for ${JSON.stringify(row?.arguments)}`);
    }
  }
}
