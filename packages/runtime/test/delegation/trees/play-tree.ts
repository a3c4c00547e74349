import {
  awaitRun,
  type Message,
  RepriseError,
  type RunRecord,
  type Store,
  type TenantStore,
  type Tool,
  textOf,
} from "@reprise/contracts";
import { type ScriptStep, type ScriptTurn, scriptedModel } from "@reprise/models";
import { createRuntime, defineAgent, defineTool, type Runtime } from "@reprise/runtime";
import { createMemoryBlobStore, createMemoryStore } from "@reprise/stores/memory";
import { createFakeEnv, type FakeEnv } from "@reprise/testkit";
import { isQuiet } from "../../model/drain.ts";
import { FakeProcess } from "../../model/process.ts";
import { type TreeNode, type TreeScenario, TURNS } from "./tree-scenario.ts";

/** How often time moves on until everything has to be over. A deadlock does not end by waiting. */
const ROUNDS = 150;

/** More turns of the event loop than a request to a model takes. */
const TURNS_TO_LEAVE = 60;

/** What every answer takes. */
const USAGE: ScriptStep = { usage: { promptTokens: 40, completionTokens: 10 } };

const REFUSALS: ReadonlySet<string> = new Set(["RUN_NOT_ACTIVE", "RUN_NOT_FOUND", "RUNTIME_CLOSED"]);

interface Instance {
  readonly process: FakeProcess;
  readonly runtime: Runtime;
}

/** The end of a child, as the call that waited for it was told. */
export interface ToldEnd {
  readonly run_id: string;
  readonly status: string;
  readonly output?: string;
}

/** Plays a tree of runs over several processes with few slots, and tells what became of it. */
export class PlayedTree {
  readonly env: FakeEnv;
  readonly store: Store;
  readonly tenant: TenantStore;
  readonly scenario: TreeScenario;
  /** The runs that somebody cancelled. */
  readonly cancelled = new Set<string>();
  readonly problems: string[] = [];
  /** The nodes for which no model may be asked any more. */
  readonly #sealed = new Set<number>();
  readonly #blobs;
  readonly #instances: Instance[] = [];

  constructor(scenario: TreeScenario) {
    this.scenario = scenario;
    this.env = createFakeEnv({ seed: scenario.seed });
    this.store = createMemoryStore({ clock: this.env.clock });
    this.tenant = this.store.forTenant("default");
    this.#blobs = createMemoryBlobStore(this.env);
  }

  /** Returns a process that saw nothing of it. */
  async play(): Promise<Runtime> {
    for (let count = 0; count < this.scenario.processes; count += 1) await this.#boot();
    const { budget } = this.scenario;
    const policy = budget === undefined ? {} : { policy: { budget } };
    const request = { agent_id: "agent", thread_id: "root", run_id: "root", ...policy };
    await this.#any().runtime.submit({ ...request, messages: [{ role: "user", content: "node 0" }] });
    for (const event of this.scenario.events) {
      await this.#turns(event.after);
      if (event.do === "cancel") await this.#cancel(event.pick);
      else this.#alive[event.pick % this.#alive.length]?.process.die();
    }
    if (this.#alive.length === 0) await this.#boot();
    for (let round = 0; round < ROUNDS && !(await isQuiet(this.tenant)); round += 1) {
      await this.env.advance(2_000);
      await this.#turns(20);
      await this.#decideOpen();
    }
    return (await this.#boot()).runtime;
  }

  async runs(): Promise<readonly RunRecord[]> {
    return (await this.tenant.listRuns({ limit: 200 })).items;
  }

  /** The node that a thread is about. */
  async nodeOf(threadId: string): Promise<TreeNode | undefined> {
    return this.#findNode((await this.tenant.readMessages(threadId, 0)).messages);
  }

  get #alive(): readonly Instance[] {
    return this.#instances.filter(({ process }) => process.status === "alive");
  }

  #any(): Instance {
    const [first] = this.#alive;
    if (first === undefined) throw new Error("No process is alive.");
    return first;
  }

  async #boot(): Promise<Instance> {
    const { latency, slots, pool } = this.scenario;
    const process = new FakeProcess(`p${this.#instances.length}`, {
      env: this.env,
      store: this.store,
      latency,
      isDeaf: false,
      onClaim: () => undefined,
      onCommit: () => undefined,
    });
    const model = scriptedModel(({ messages }) => this.#answer(messages), "tree");
    const runtime = await createRuntime({
      agents: [defineAgent({ id: "agent", model, tools: this.#tools(process), allowedAgents: ["agent"] })],
      store: process.store,
      env: process.env,
      blobs: this.#blobs,
      instanceId: process.name,
      limits: { maxActiveRuns: slots, pools: { read: pool, serial: pool, concurrent: pool }, closeTimeoutMs: 1 },
    });
    const instance = { process, runtime };
    this.#instances.push(instance);
    return instance;
  }

  #tools({ env }: FakeProcess): readonly Tool[] {
    const inputSchema = { type: "object", additionalProperties: true } as const;
    const pause = async (_: unknown, { signal }: { readonly signal: AbortSignal }) => {
      await env.clock.sleep(300, signal);
      return "done";
    };
    return [
      defineTool({
        id: "delegate",
        description: "Has a node below work.",
        inputSchema,
        idempotent: true,
        recursive: this.scenario.isConcurrent,
        execute: async (
          {
            node,
            isBackground,
            ...limited
          }: { readonly node: number; readonly isBackground: boolean } & Pick<TreeNode, "limits">,
          { runs },
        ) => {
          const background = isBackground ? { background: true } : {};
          const child = await runs.start({ agentId: "agent", prompt: `node ${node}`, ...background, ...limited });
          return isBackground ? "started" : awaitRun(child);
        },
      }),
      defineTool({ id: "read", description: "Reads.", inputSchema, class: "read_only", execute: pause }),
      defineTool({ id: "write", description: "Writes.", inputSchema, idempotent: true, execute: pause }),
      defineTool({ id: "ask", description: "Needs a yes.", inputSchema, needsApproval: true, execute: () => "asked" }),
    ];
  }

  /** The model of a node: it delegates turn by turn, and answers with the number of runs that worked on its answer. */
  #answer(messages: readonly Message[]): ScriptTurn {
    const node = this.#findNode(messages);
    if (node !== undefined && this.#sealed.has(node.id))
      this.problems.push(`A model was asked for node ${node.id} after it was cancelled.`);
    if (node === undefined || node.fails) return [{ fail: "invalid_request" }];
    const turn = messages.filter(({ role, tool_calls = [] }) => role === "assistant" && tool_calls.length > 0).length;
    const steps = [...this.#stepsOf(node)][turn];
    return [...(steps ?? [{ text: String(countAnswers(messages)) }]), USAGE];
  }

  *#stepsOf({ id, work }: TreeNode): Generator<readonly ScriptStep[]> {
    if (work !== "nothing") yield [{ call: work, arguments: {} }];
    for (let turn = 0; turn < TURNS; turn += 1) {
      const children = this.scenario.nodes.filter((child) => child.parent === id && child.turn === turn);
      const calls = children.map(({ id: node, isBackground, limits }) => ({
        call: "delegate",
        arguments: { node, isBackground, ...(limits !== undefined && { limits }) },
      }));
      if (calls.length > 0) yield calls;
    }
  }

  #findNode(messages: readonly Message[]): TreeNode | undefined {
    for (const { role, content } of messages) {
      const found = role === "user" ? /^node (\d+)$/.exec(textOf({ content })) : null;
      if (found !== null) return this.scenario.nodes[Number(found[1])];
    }
    return undefined;
  }

  async #cancel(pick: number): Promise<void> {
    const runs = await this.runs();
    const run = runs[pick % Math.max(runs.length, 1)];
    const [instance] = this.#alive;
    if (run === undefined || instance === undefined) return;
    try {
      await (await instance.runtime.run(run.run_id)).cancel();
      this.cancelled.add(run.run_id);
      // A request that had passed the last look at the tree may still leave.
      await this.#turns(TURNS_TO_LEAVE);
      this.#seal(await this.nodeOf(run.thread_id));
    } catch (error) {
      if (!RepriseError.is(error) || !REFUSALS.has(error.code)) throw error;
    }
  }

  #seal(node: TreeNode | undefined): void {
    if (node === undefined) return;
    this.#sealed.add(node.id);
    for (const child of this.scenario.nodes) if (child.parent === node.id) this.#seal(child);
  }

  async #decideOpen(): Promise<void> {
    const { runtime } = this.#any();
    for (const { id } of await runtime.decisions.list()) {
      await runtime.decisions.decide(id, { action: "approve" }).catch((error: unknown) => {
        if (!RepriseError.is(error)) throw error;
      });
    }
  }

  async #turns(count: number): Promise<void> {
    for (let turn = 0; turn < count; turn += 1) await this.env.yield();
  }
}

/** The ends of children that a conversation tells of. */
export function toldEnds(messages: readonly Message[]): readonly ToldEnd[] {
  return messages.flatMap((message) => {
    const text = message.role === "tool" ? textOf(message) : "";
    // A result of `delegate` that waited is the end of a run.
    return text.startsWith('{"run_id"') ? [JSON.parse(text) as ToldEnd] : [];
  });
}

/** A run counts itself, and what the runs answered that it waited for. */
export function countAnswers(messages: readonly Message[]): number {
  const counts = toldEnds(messages).map(({ status, output }) => (status === "completed" ? Number(output) : 0));
  return counts.reduce((sum, count) => sum + count, 1);
}
