import {
  type ModelProvider,
  type ProgramEvent,
  type ProgramWork,
  RepriseError,
  type WorkContext,
} from "@reprise/contracts";
import type { Json } from "@reprise/state";
import { countTokens } from "../budget/record-cost.ts";
import { type GatedRun, RunGate } from "../budget/run-gate.ts";
import type { ShownEvent, Working } from "../effects/port.ts";
import { type FoundModel, lookUpModel } from "../resolve/look-up-model.ts";
import type { RegistrySet } from "../resolve/registry-set.ts";
import type { ProgramNewsQueue } from "./program-news.ts";
import type { RunWorkspace } from "./run-workspace.ts";

/** What is stored of work that ended. */
interface StoredWork {
  readonly value: Json;
  /** Blobs that the value names. */
  readonly blobs?: readonly string[];
}

/** How work speaks while it is under way. */
interface Voice {
  show(event: ShownEvent): void;
  report(value: Json): void;
}

/** The work that a program has under way. Its ends and announcements become news. */
export class ProgramWorks {
  readonly #workspace: RunWorkspace;
  readonly #news: ProgramNewsQueue;
  readonly #stop = new AbortController();
  readonly #running = new Set<string>();
  /** Announcements of work that the program has not confirmed yet. */
  readonly #announced = new Map<string, (() => void)[]>();
  #failure: { readonly error: unknown } | undefined;

  constructor(workspace: RunWorkspace, news: ProgramNewsQueue) {
    this.#workspace = workspace;
    this.#news = news;
  }

  get isIdle(): boolean {
    return this.#running.size === 0;
  }

  /** Throws what work could not take for a failure of its own. */
  assertSound(): void {
    if (this.#failure !== undefined) throw this.#failure.error;
  }

  stop(reason: unknown): void {
    this.#stop.abort(reason);
  }

  begin({ key, perform }: ProgramWork): void {
    const { effects } = this.#workspace;
    const join = effects.fork();
    this.#running.add(key);
    const over = (): void => {
      join();
      this.#running.delete(key);
      this.#news.wake();
    };
    effects
      .work(this.#question(key), (voice) => this.#perform(key, perform, voice))
      .then(({ value, blobs = [] }) => {
        this.#workspace.refersTo(blobs);
        this.#news.add({ type: "ended", key, value });
      })
      .catch((error: unknown) => {
        if (!this.#stop.signal.aborted) this.#failure ??= { error };
      })
      .finally(over);
  }

  #question(key: string): Working<StoredWork> {
    const { journal } = this.#workspace;
    return {
      kind: "work",
      of: key,
      seq: () => journal.seq,
      isShown: isShownByWork,
      play: (event) => this.#show(key, event),
      report: (value) => {
        const confirm = this.#announced.get(key)?.shift() ?? (() => undefined);
        this.#news.add({ type: "announced", key, value, confirm });
        this.#news.wake();
      },
      // Made of JSON; its interface hides it.
      encode: (stored) => stored as unknown as Json,
      decode: (stored) => stored as unknown as StoredWork,
    };
  }

  async #perform(key: string, perform: ProgramWork["perform"], voice: Voice): Promise<StoredWork> {
    const workspace = this.#workspace;
    const { services, claim, run, budget } = workspace;
    const blobs: string[] = [];
    const gated: GatedRun = {
      run,
      claim,
      services,
      budget,
      // What the gate has to say comes in as everything else that the work shows.
      emit: (type, data) => voice.show({ type, data } as ShownEvent),
    };
    const gate = new RunGate(gated, key, `w${key}-e${claim.epoch}`);
    workspace.assertHeld();
    try {
      const value = await perform(this.#contextOf(key, gate, blobs, voice));
      return blobs.length === 0 ? { value } : { value, blobs };
    } finally {
      await gate.close();
    }
  }

  #contextOf(key: string, gate: RunGate, blobs: string[], voice: Voice): WorkContext {
    const { services, claim, run, policy } = this.#workspace;
    return {
      signal: this.#stop.signal,
      show: (event) => voice.show(event as ShownEvent),
      announce: (value) => {
        const { promise, resolve } = Promise.withResolvers<void>();
        this.#announced.set(key, [...(this.#announced.get(key) ?? []), resolve]);
        voice.report(value);
        return promise;
      },
      gate,
      putBlob: async (content, options) => {
        const { ref } = await services.blobs.put(claim.tenant, content, options);
        blobs.push(ref);
        return ref;
      },
      getBlob: async (ref) => (await services.blobs.get(claim.tenant, ref))?.content,
      env: services.env,
      provider: (id) => findProvider(services.agents.registries, run.agent_id, id),
      tool: (id) => services.agents.registries.tools.get(id),
      policy,
    };
  }

  /** Costs are counted where they are shown: in the same order live and in a replay. */
  #show(key: string, { type, data }: ShownEvent): void {
    const workspace = this.#workspace;
    if (type !== "node_cost") {
      workspace.emit(type, data as never, key);
      return;
    }
    // The data is that of the type.
    const cost = data as Extract<ProgramEvent, { type: "node_cost" }>["data"];
    const { run } = workspace;
    const total = (run.cost_microcents ?? 0) + cost.cost_microcents;
    if (cost.priced || run.cost_microcents !== undefined) workspace.setRun({ cost_microcents: total });
    if (!cost.priced) workspace.setRun({ is_unpriced: true });
    countTokens(workspace, { prompt_tokens: cost.input_tokens, completion_tokens: cost.output_tokens });
    workspace.emit(type, { ...cost, cumulative_cost_microcents: total }, key);
  }
}

/** Events that work shows under its key as their step. */
function isShownByWork(type: ShownEvent["type"]): boolean {
  return type.startsWith("node_") || type === "budget_warning";
}

/** The provider that stands for models which were registered by their own ids. */
const RUNTIME_PROVIDER = "runtime";

function findProvider(registries: RegistrySet, agentId: string, id: string): ModelProvider | undefined {
  const registered = registries.providers.get(id);
  if (registered !== undefined || id !== RUNTIME_PROVIDER) return registered;
  const find = (name: string): FoundModel => lookUpModel(registries, agentId, name);
  return {
    id,
    model: (name) => find(name).model,
    media: (name) => {
      const { media } = find(name);
      if (media === undefined) throw new RepriseError("MODEL_NOT_FOUND", `Model ${name} makes no media.`);
      return media;
    },
    describe: (name) => find(name).modelSpec,
  };
}
