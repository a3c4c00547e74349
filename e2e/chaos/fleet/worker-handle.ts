import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { WorkerOptions } from "../worker/worker-options.ts";
import { FIRST_GENERATION, type Generation } from "../workload/generation.ts";
import { pauseFor } from "../workload/pause-for.ts";
import { type RigProcess, startProcess } from "./child-process.ts";

/** What all lives of a worker share. */
export interface WorkerPlan extends Omit<WorkerOptions, "incarnation" | "socket" | "arm" | "generation" | "skewMs"> {
  readonly folder: string;
  /** Whether the process of the next life is loaded while the present one lives. */
  readonly isWarm: boolean;
  /** How wrong the clock of a life is, in milliseconds. */
  skewOf(incarnation: number): number;
}

/** How often a life that ends at once is tried again, as a process manager would. */
const MAX_STARTS = 15;
const START_AGAIN_MS = 250;

/** A worker over all its lives. */
export class WorkerHandle {
  readonly #plan: WorkerPlan;
  #generation: Generation = FIRST_GENERATION;
  #incarnation = 0;
  #url = "";
  #process: RigProcess | undefined;
  /** The next life: loaded, and waiting to be told to begin. */
  #next: RigProcess | undefined;
  /** A former life that was replaced while it was held. */
  #frozen: RigProcess | undefined;
  #isStopped = false;
  #isClosed = false;

  constructor(plan: WorkerPlan) {
    this.#plan = plan;
  }

  get name(): string {
    return this.#plan.worker;
  }

  get incarnation(): number {
    return this.#incarnation;
  }

  get generation(): Generation {
    return this.#generation;
  }

  /** Where its present life listens: each life has a place of its own, so that nobody speaks to a dead one by mistake. */
  get socket(): string {
    return join(this.#plan.folder, `${this.name}-${this.#incarnation}.sock`);
  }

  /** Where its present life listens for HTTP; empty until it does. */
  get url(): string {
    return this.#url;
  }

  get isAlive(): boolean {
    return this.#process?.isAlive === true;
  }

  /** Whether it can answer: it lives and is not held. */
  get isResponsive(): boolean {
    return this.isAlive && !this.#isStopped;
  }

  get died(): Promise<void> {
    return this.#process?.exited ?? Promise.resolve();
  }

  /** From its next life on it is of this generation. */
  deploy(generation: Generation): void {
    this.#generation = generation;
  }

  /** Starts the next life. Resolves when it answers, or, with points to die at, has already died. */
  async start(arm?: WorkerOptions["arm"]): Promise<void> {
    this.#isStopped = false;
    for (let starts = 1; !this.#isClosed; starts++) {
      if (await this.#begin(arm)) break;
      // One that is told to die may do so at once; any other that never comes up is broken, and everything it proves too.
      if (arm !== undefined) return;
      if (starts === MAX_STARTS) throw new Error(`${this.name} did not start: ${this.#lastWords()}`);
      await pauseFor(START_AGAIN_MS);
    }
    if (this.#plan.isWarm && this.isAlive) this.#next = this.#load();
  }

  async kill(): Promise<void> {
    this.#process?.signal("SIGKILL");
    await this.#process?.exited;
  }

  /** Ends all of it, for good. */
  async close(): Promise<void> {
    this.#isClosed = true;
    this.#next?.signal("SIGKILL");
    this.#frozen?.signal("SIGKILL");
    this.letGo();
    await Promise.all([this.kill(), this.#frozen?.exited]);
  }

  /** Asks it to end in order; waits until it has. */
  async retire(): Promise<void> {
    this.#process?.signal("SIGTERM");
    await this.#process?.exited;
  }

  /** Holds the process as it is, in the middle of whatever it does. */
  hold(): void {
    this.#isStopped = true;
    this.#process?.signal("SIGSTOP");
  }

  letGo(): void {
    this.#isStopped = false;
    this.#process?.signal("SIGCONT");
  }

  /**
   * Freezes the process and starts its replacement under the same name, as one does with a machine that does not answer. Says whether
   * the replacement came up.
   */
  async replaceFrozen(): Promise<boolean> {
    this.hold();
    this.#frozen = this.#process;
    return this.start().then(
      () => true,
      () => false,
    );
  }

  /** Lets the frozen process continue for a while, as one that was replaced, and ends it. */
  async thaw(afterMs: number): Promise<void> {
    this.#frozen?.signal("SIGCONT");
    await pauseFor(afterMs);
    this.#frozen?.signal("SIGKILL");
    await this.#frozen?.exited;
    this.#frozen = undefined;
    if (!this.isAlive) await this.start();
  }

  get #logFile(): string {
    return join(this.#plan.folder, `${this.name}.log`);
  }

  #lastWords(): string {
    return readFileSync(this.#logFile, "utf8").slice(-1_000);
  }

  /** Begins one life; says whether it came up. */
  async #begin(arm: WorkerOptions["arm"]): Promise<boolean> {
    this.#incarnation += 1;
    const { folder: _folder, isWarm: _isWarm, skewOf, ...plan } = this.#plan;
    const options: WorkerOptions = {
      ...plan,
      incarnation: this.#incarnation,
      socket: this.socket,
      generation: this.#generation,
      skewMs: skewOf(this.#incarnation),
      ...(arm !== undefined && { arm }),
    };
    const life = this.#next ?? this.#load();
    this.#next = undefined;
    this.#process = life;
    this.#url = "";
    const url = await life.tell(JSON.stringify(options));
    this.#url = url ?? "";
    return url !== undefined && life.isAlive;
  }

  #load(): RigProcess {
    const { store, plant } = this.#plan;
    return startProcess({ script: "worker/main.ts", parameters: [store.kind], log: this.#logFile, plant });
  }
}
