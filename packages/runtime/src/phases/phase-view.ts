import {
  agentPathOf,
  type CallView,
  type ChildRun,
  type ContextWindow,
  type Egress,
  type Message,
  type ModelRequest,
  type Phase,
  type PhaseContext,
  type PhaseState,
  type PluginAnswer,
  type PluginInference,
  RepriseError,
  type RunPolicy,
  type ToolCallRecord,
} from "@reprise/contracts";
import { getAt, type Immutable, isJson, type Json, type Path, type StateDefinition } from "@reprise/state";
import { decodeFailure, encodeFailure } from "../effects/failure.ts";
import type { Recorded } from "../effects/port.ts";
import { copyJson } from "../json/copy-json.ts";
import { freezeDeep } from "../json/freeze-deep.ts";
import { findContextWindow } from "../resolve/context-window.ts";
import { reachableAgents } from "../resolve/reachable-agents.ts";
import { readSection } from "../resolve/read-section.ts";
import { keptDocuments } from "../run/kept-documents.ts";
import type { Conversation, Mailbox, Outside } from "../run/ports.ts";
import { type InferringRun, inferForPlugin } from "./infer-for-plugin.ts";

/** The parts of a run that its plugins can look at. */
export interface ObservedRun
  extends InferringRun,
    Pick<Conversation, "modelMessages">,
    Pick<Mailbox, "store">,
    Outside {
  readonly services: InferringRun["services"] & { readonly tokens: TokenCounting };
}

/** Counts tokens as the window does. */
interface TokenCounting {
  prepare(): Promise<void>;
  estimateFrame(frame: Pick<ModelRequest, "system" | "tools">): number;
  estimateMessage(message: Message): number;
}

/** The moment a phase happens at: the same for all its hooks. */
export interface PhaseMoment {
  readonly phase: Phase;
  readonly now: number;
  /** The state when the phase began. */
  readonly document: Json;
  /** Names the phase within its run, so that ids made in it follow from where it is. */
  readonly key: string;
}

/**
 * A phase as one plugin's hook sees it. Nothing is copied for it: the document is immutable, and what is not asked for is
 * not made.
 */
export class PhaseView implements PhaseContext, PhaseState {
  readonly phase: Phase;
  readonly now: number;
  readonly #workspace: ObservedRun;
  readonly #moment: PhaseMoment;
  readonly #plugin: string;
  #ids = 0;
  #questions = 0;
  #recorded: Recorded[] | undefined;

  constructor(workspace: ObservedRun, moment: PhaseMoment, plugin: string, facts: object | undefined) {
    this.phase = moment.phase;
    this.now = moment.now;
    this.#workspace = workspace;
    this.#moment = moment;
    this.#plugin = plugin;
    if (facts !== undefined) Object.assign(this, facts);
  }

  get state(): PhaseState {
    return this;
  }

  get<State>(definition: StateDefinition<State>, callId?: string): Immutable<State> {
    return freezeDeep(definition.read(this.#moment.document, callId));
  }

  at(path: Path): Json | undefined {
    return freezeDeep(getAt(this.#moment.document, path));
  }

  get messages(): PhaseContext["messages"] {
    return freezeDeep(this.#workspace.modelMessages());
  }

  get step(): number {
    return this.#workspace.run.steps;
  }

  get runId(): string {
    return this.#workspace.run.run_id;
  }

  get threadId(): string {
    return this.#workspace.run.thread_id;
  }

  get agentId(): string {
    return this.#workspace.agent.spec.id;
  }

  get agentPath(): readonly string[] {
    return agentPathOf(this.#workspace.run);
  }

  get agentSpec(): PhaseContext["agentSpec"] {
    return this.#workspace.agent.spec;
  }

  get agents(): PhaseContext["agents"] {
    const { services, agent, policy } = this.#workspace;
    return reachableAgents(services.agents.registries, agent.spec, policy);
  }

  get tenant(): string {
    return this.#workspace.claim.tenant;
  }

  // Optional properties of the contract are getters here: without a value they return undefined.

  get resourceId(): string {
    return this.#workspace.run.resource_id as string;
  }

  get parentRunId(): string {
    return this.#workspace.run.parent_run_id as string;
  }

  get policy(): RunPolicy {
    return this.#workspace.policy;
  }

  // Optional in the contract, and a getter here: in a process without one it reads undefined.
  get egress(): Egress {
    return this.#workspace.services.env.egress as Egress;
  }

  get signal(): AbortSignal {
    return this.#workspace.signal;
  }

  // Getters of functions and not methods: authors take them out of the context by name. Not fields: most hooks use none of them.

  get section(): PhaseContext["section"] {
    return (key) => readSection(this.#workspace.agent, this.#plugin, key);
  }

  get pluginOf(): PhaseContext["pluginOf"] {
    return (toolId) => this.#workspace.agent.installed.tools.get(toolId)?.plugin;
  }

  get id(): PhaseContext["id"] {
    return () => `${this.#moment.key}-${this.#plugin}-i${this.#ids++}`;
  }

  get record(): PhaseContext["record"] {
    return (name, run) => this.#record(name, run);
  }

  async #record<Value extends Json>(name: string, run: () => Promise<Value> | Value): Promise<Value> {
    const key = `${this.#moment.key}/${this.#plugin}`;
    const value = await this.#workspace.effects.record(key, name, run);
    if (!isJson(value)) {
      const message = `Plugin ${this.#plugin} records ${name}, which is not JSON.`;
      throw new RepriseError("INVALID_ACTION", message, { details: { plugin: this.#plugin, name } });
    }
    this.#recorded ??= [];
    this.#recorded.push({ place: key, name, value: copyJson(value) });
    return value;
  }

  get infer(): PhaseContext["infer"] {
    return (question) => this.#infer(question);
  }

  async #infer(question: PluginInference): Promise<PluginAnswer> {
    const plugin = this.#plugin;
    const place = `${this.#moment.key}/${plugin}/${this.#questions++}`;
    // How a question failed is recorded too: the plugin may have acted on it.
    const recorded = await this.#record("infer", () =>
      inferForPlugin(this.#workspace, { plugin, place }, question).then(
        // Answers are made of JSON; their interface hides it.
        (answer): Json => ({ answer: answer as unknown as Json }),
        (error: unknown): Json => ({ failed: encodeFailure(error) }),
      ),
    );
    const failed = getAt(recorded, ["failed"]);
    if (failed !== undefined) throw decodeFailure(failed, this.signal.reason);
    return getAt(recorded, ["answer"]) as unknown as PluginAnswer;
  }

  get findRun(): PhaseContext["findRun"] {
    return (runId) => this.#findRun(runId);
  }

  async #findRun(runId: string): Promise<ChildRun | undefined> {
    const { services, claim, run } = this.#workspace;
    // A run is made of JSON; its interface hides it. JSON has no undefined.
    const ask = async () => ((await services.delegation.find(claim.tenant, run, runId)) ?? null) as unknown as Json;
    return ((await this.#record(`run ${runId}`, ask)) ?? undefined) as unknown as ChildRun | undefined;
  }

  get documents(): PhaseContext["documents"] {
    return (kind) => keptDocuments(this.#workspace.store, kind, this.record);
  }

  // As with `parentRunId`.
  get window(): ContextWindow {
    const { spec, modelSpec } = this.#workspace.agent;
    return findContextWindow(spec, modelSpec) as ContextWindow;
  }

  get countTokens(): PhaseContext["countTokens"] {
    const { tokens } = this.#workspace.services;
    return async ({ system = "", tools = [], messages = [] }) => {
      await tokens.prepare();
      const frame = system === "" && tools.length === 0 ? 0 : tokens.estimateFrame({ system, tools });
      return messages.reduce((sum, message) => sum + tokens.estimateMessage(message), frame);
    };
  }

  /** The answers that came through `record`. */
  get recorded(): readonly Recorded[] {
    return this.#recorded ?? [];
  }
}

/** Names an activation, and the agent in it: each agent that takes over begins with its own plugins. */
export function activationKey({ run, claim }: Pick<InferringRun, "run" | "claim">): string {
  const { run_id, agent_path } = run;
  return `${run_id}-e${claim.epoch}${agent_path === undefined ? "" : `-h${agent_path.length - 1}`}`;
}

/** What plugins see of a call. */
export function viewCall({ call_id, tool_id, arguments: given, suspension }: ToolCallRecord): CallView {
  return { callId: call_id, toolId: tool_id, arguments: given, suspension };
}
