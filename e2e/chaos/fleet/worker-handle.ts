import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { WorkerOptions } from "../worker/worker-options.ts";
import { type RigProcess, startProcess } from "./child-process.ts";

/** What all lives of a worker share. */
export interface WorkerPlan extends Omit<WorkerOptions, "incarnation" | "socket" | "arm"> {
  readonly folder: string;
  /** Whether the process of the next life is loaded while the present one lives. */
  readonly isWarm: boolean;
}

/** A worker over all its lives. */
export class WorkerHandle {
  readonly #plan: WorkerPlan;
  #incarnation = 0;
  #process: RigProcess | undefined;
  /** The next life: loaded, and waiting to be told to begin. */
  #next: RigProcess | undefined;
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

  /** Where its present life listens: each life has a place of its own, so that nobody speaks to a dead one by mistake. */
  get socket(): string {
    return join(this.#plan.folder, `${this.name}-${this.#incarnation}.sock`);
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

  /** Starts the next life. Resolves when it answers, or has already died. */
  async start(arm?: WorkerOptions["arm"]): Promise<void> {
    if (this.#isClosed) throw new Error(`${this.name} was closed.`);
    this.#incarnation += 1;
    this.#isStopped = false;
    const { folder: _folder, isWarm: _isWarm, ...plan } = this.#plan;
    const options: WorkerOptions = {
      ...plan,
      incarnation: this.#incarnation,
      socket: this.socket,
      ...(arm !== undefined && { arm }),
    };
    this.#process = this.#next ?? this.#load();
    this.#next = undefined;
    await this.#process.tell(JSON.stringify(options));
    // One that is told to die may do so at once; any other that does not come up is broken, and everything it proves too.
    if (arm === undefined && !this.#process.isAlive)
      throw new Error(`${this.name} did not start: ${this.#lastWords()}`);
    if (this.#plan.isWarm && this.#process.isAlive) this.#next = this.#load();
  }

  async kill(): Promise<void> {
    this.#process?.signal("SIGKILL");
    await this.#process?.exited;
  }

  /** Ends all of it, for good. */
  async close(): Promise<void> {
    this.#isClosed = true;
    this.#next?.signal("SIGKILL");
    this.letGo();
    await this.kill();
  }

  get #logFile(): string {
    return join(this.#plan.folder, `${this.name}.log`);
  }

  #lastWords(): string {
    return readFileSync(this.#logFile, "utf8").slice(-1_000);
  }

  #load(): RigProcess {
    const { store, plant } = this.#plan;
    return startProcess({ script: "worker/main.ts", parameters: [store.kind], log: this.#logFile, plant });
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
}
