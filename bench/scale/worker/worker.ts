import type { Store } from "../../../packages/contracts/src/index.ts";
import type { Limits } from "../../../packages/reprise/src/advanced.ts";
import { createRuntime, type Runtime } from "../../../packages/reprise/src/index.ts";
import { createAgents } from "./agents.ts";
import { openStore, type Place } from "./place.ts";
import { Sightings } from "./sightings.ts";

/** How a worker process works. */
export interface WorkerOptions {
  readonly limits?: Partial<Limits>;
  readonly instanceId?: string;
  /** Calls of the agent `long` do not end here. */
  readonly holdsCalls?: boolean;
}

/** The store of this process, and the runtime once it has one. */
export class Worker {
  readonly sightings: Sightings = new Sightings();
  #store: Store | undefined;
  #runtime: Runtime | undefined;

  get store(): Store {
    if (this.#store === undefined) throw new Error("The store is not open.");
    return this.#store;
  }

  get runtime(): Runtime {
    if (this.#runtime === undefined) throw new Error("There is no runtime.");
    return this.#runtime;
  }

  async openStore(place: Place): Promise<void> {
    this.#store = await openStore(place);
  }

  async createRuntime({ limits, instanceId, holdsCalls = false }: WorkerOptions): Promise<void> {
    this.#runtime = await createRuntime({
      agents: createAgents(this.sightings, holdsCalls),
      store: this.store,
      ...(limits !== undefined && { limits }),
      ...(instanceId !== undefined && { instanceId }),
    });
  }

  async close(): Promise<void> {
    await this.#runtime?.close();
    await this.#store?.close();
  }
}
