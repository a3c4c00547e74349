import {
  type CallView,
  type Phase,
  type PhaseContext,
  type PhaseState,
  RepriseError,
  type RunPolicy,
  type ToolCallRecord,
} from "@reprise/contracts";
import { getAt, type Immutable, isJson, type Json, type Path, type StateDefinition } from "@reprise/state";
import type { Recorded } from "../effects/port.ts";
import { copyJson } from "../json/copy-json.ts";
import { freezeDeep } from "../json/freeze-deep.ts";
import { readSection } from "../resolve/read-section.ts";
import type { AgentView, Conversation, Outside, RunView } from "../run/ports.ts";

/** The parts of a run that its plugins can look at. */
export type ObservedRun = RunView & Pick<AgentView, "agent"> & Pick<Conversation, "modelMessages"> & Outside;

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
    return this.#workspace.run.agent_id;
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

  get signal(): AbortSignal {
    return this.#workspace.signal;
  }

  // Fields and not methods: authors take them out of the context by name.

  readonly section = (key: string): Json | undefined => readSection(this.#workspace.agent, this.#plugin, key);

  readonly id = (): string => `${this.#moment.key}-${this.#plugin}-i${this.#ids++}`;

  readonly record = async <Value extends Json>(name: string, run: () => Promise<Value> | Value): Promise<Value> => {
    const key = `${this.#moment.key}/${this.#plugin}`;
    const value = await this.#workspace.effects.record(key, name, run);
    if (!isJson(value)) {
      const message = `Plugin ${this.#plugin} records ${name}, which is not JSON.`;
      throw new RepriseError("INVALID_ACTION", message, { details: { plugin: this.#plugin, name } });
    }
    this.#recorded ??= [];
    this.#recorded.push({ place: key, name, value: copyJson(value) });
    return value;
  };

  /** The answers that came through `record`. */
  get recorded(): readonly Recorded[] {
    return this.#recorded ?? [];
  }
}

/** What plugins see of a call. */
export function viewCall({ call_id, tool_id, arguments: given, suspension }: ToolCallRecord): CallView {
  return { callId: call_id, toolId: tool_id, arguments: given, suspension };
}
