import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import type { Answer, Question } from "./worker/process.ts";
import type { TaskAnswer, TaskName, TaskParameters } from "./worker/tasks.ts";

/** Those that run, so that none is left behind. */
const RUNNING = new Set<WorkerProcess>();

const LONGEST_MS = 300_000;

/** A process of its own with a store and a runtime, seen from the benchmark. */
export class WorkerProcess {
  /** From the fork until it answered for the first time: Node's start and the import of the packages. */
  readonly startMs: number;
  readonly #process: ChildProcess;
  readonly #asked = new Map<number, { resolve(answer: unknown): void; reject(error: Error): void }>();
  #questions = 0;

  private constructor(child: ChildProcess, startMs: number) {
    this.#process = child;
    this.startMs = startMs;
    child.on("message", ({ number, answer, problem }: Answer) => {
      const asked = this.#asked.get(number);
      this.#asked.delete(number);
      if (problem === undefined) asked?.resolve(answer);
      else asked?.reject(new Error(`A worker process failed: ${problem}`));
    });
    child.once("exit", (code, signal) => {
      RUNNING.delete(this);
      for (const { reject } of this.#asked.values()) reject(new Error(`A worker process ended: ${code ?? signal}.`));
    });
  }

  static async start(): Promise<WorkerProcess> {
    const startedAt = performance.now();
    const execArgv = ["--expose-gc", "--conditions=reprise-source", "--disable-warning=ExperimentalWarning"];
    const child = fork(new URL("./worker/process.ts", import.meta.url), { execArgv });
    await once(child, "message");
    const worker = new WorkerProcess(child, performance.now() - startedAt);
    RUNNING.add(worker);
    return worker;
  }

  /** Fails when it takes longer than anything here may. */
  ask<Name extends TaskName>(task: Name, parameters: TaskParameters<Name>): Promise<TaskAnswer<Name>> {
    this.#questions += 1;
    const question: Question = { number: this.#questions, task, parameters };
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => reject(new Error(`${task} takes too long.`)), LONGEST_MS);
      this.#asked.set(question.number, {
        resolve(answer) {
          clearTimeout(timer);
          // The task of this name gave it, in the other process.
          resolve(answer as TaskAnswer<Name>);
        },
        reject(error) {
          clearTimeout(timer);
          reject(error);
        },
      });
      this.#process.send(question);
    });
  }

  /** `kill -9`. Resolves when it is gone. */
  async kill(): Promise<void> {
    if (this.#process.exitCode !== null || this.#process.signalCode !== null) return;
    const gone = once(this.#process, "exit");
    this.#process.kill("SIGKILL");
    await gone;
  }

  /** Closes its runtime and its store, and ends it. */
  async stop(): Promise<void> {
    await this.ask("close", null);
    await this.kill();
  }
}

/** Ends those that a failure left behind. */
export async function killWorkers(): Promise<void> {
  await Promise.all([...RUNNING].map((worker) => worker.kill()));
}
