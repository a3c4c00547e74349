import type { PoolSizes } from "../../run/limits.ts";
import type { RoutingClass } from "./routing-class.ts";
import { type Release, Semaphore } from "./semaphore.ts";

/** A tool, and how many calls of it may run at once. */
export interface LimitedTool {
  readonly id: string;
  readonly max?: number | undefined;
}

const NOTHING: Release = () => undefined;

function giveBack(releaseClass: Release, releaseTool: Release | undefined): void {
  releaseClass();
  releaseTool?.();
}

/**
 * The slots in which the calls of one root run and the agents below it are executed. A call takes up to two: one of its
 * tool, when that is limited, and one of its class.
 */
export class ToolPools {
  readonly #sizes: PoolSizes;
  readonly #read: Semaphore;
  readonly #serial: Semaphore;
  readonly #concurrent: Semaphore;
  readonly #byTool = new Map<string, Semaphore>();

  private constructor(sizes: PoolSizes, shared: { readonly read: Semaphore; readonly serial: Semaphore }) {
    this.#sizes = sizes;
    this.#read = shared.read;
    this.#serial = shared.serial;
    this.#concurrent = new Semaphore(sizes.concurrent);
  }

  /** The pools of a root run. */
  static create(sizes: PoolSizes): ToolPools {
    return new ToolPools(sizes, { read: new Semaphore(sizes.read), serial: new Semaphore(sizes.serial) });
  }

  /**
   * The pools of an agent below: the same slots for reading and for writing one at a time, so that writers keep out of each
   * other's way all over the tree; its own for what may hold a slot while it waits for agents further down.
   */
  forkForSubagent(): ToolPools {
    return new ToolPools(this.#sizes, { read: this.#read, serial: this.#serial });
  }

  /** Takes the slots a call needs when they are free: who came first is first, and costs no turn. */
  tryAdmit(route: Exclude<RoutingClass, "short_circuit">, tool: LimitedTool): Release | undefined {
    const releaseTool = tool.max === undefined ? NOTHING : this.#slotsOf(tool.id, tool.max).tryAcquire();
    const releaseClass = releaseTool === undefined ? undefined : this.#poolOf(route).tryAcquire();
    if (releaseTool === undefined || releaseClass === undefined) {
      releaseTool?.();
      return undefined;
    }
    return releaseTool === NOTHING ? releaseClass : () => giveBack(releaseClass, releaseTool);
  }

  /** Waits for the slots a call needs. `tool.max` limits the calls of its tool at this level. */
  async admit(route: Exclude<RoutingClass, "short_circuit">, tool: LimitedTool, signal: AbortSignal): Promise<Release> {
    signal.throwIfAborted();
    // A slot that is free costs no turn: who came first is first.
    let releaseTool: Release | undefined;
    if (tool.max !== undefined) {
      const slots = this.#slotsOf(tool.id, tool.max);
      releaseTool = slots.tryAcquire() ?? (await slots.acquire(signal));
    }
    try {
      const pool = this.#poolOf(route);
      const releaseClass = pool.tryAcquire() ?? (await pool.acquire(signal));
      if (releaseTool === undefined) return releaseClass;
      return () => giveBack(releaseClass, releaseTool);
    } catch (error) {
      releaseTool?.();
      throw error;
    }
  }

  #poolOf(route: Exclude<RoutingClass, "short_circuit">): Semaphore {
    switch (route) {
      case "read_only":
        return this.#read;
      case "serial":
        return this.#serial;
      case "concurrent":
        return this.#concurrent;
      default:
        return route satisfies never;
    }
  }

  #slotsOf(toolId: string, max: number): Semaphore {
    const known = this.#byTool.get(toolId);
    if (known !== undefined) return known;
    const made = new Semaphore(max);
    this.#byTool.set(toolId, made);
    return made;
  }
}
