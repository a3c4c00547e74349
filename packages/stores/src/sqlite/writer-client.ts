import { Worker } from "node:worker_threads";
import { RepriseError, type StoreSignal, toRepriseError } from "@reprise/contracts";
import { fromPlainError } from "./writer.ts";
import type { NumberedTask, Outcome, WriterReport, WriterTask } from "./writer-task.ts";
import type { WriterOptions } from "./writer-thread.ts";

interface Waiting {
  resolve(answer: unknown): void;
  reject(error: RepriseError): void;
}

/** The writer as the rest of the process sees it: a task goes out, a promise comes back. */
export class WriterClient {
  readonly #worker: Worker;
  readonly #waiting = new Map<number, Waiting>();
  readonly #onSignals: (signals: readonly StoreSignal[]) => void;
  readonly #exited: Promise<void>;
  #number = 0;
  /** Asked for in this turn of the event loop and not sent yet. */
  #unsent: NumberedTask[] = [];
  #failure: RepriseError | undefined;

  private constructor(options: WriterOptions, onSignals: (signals: readonly StoreSignal[]) => void) {
    this.#onSignals = onSignals;
    this.#worker = startWorker(options);
    this.#exited = new Promise((resolve) => {
      this.#worker.once("exit", () => {
        this.#fail(new RepriseError("STORE_UNAVAILABLE", "The store is closed."));
        resolve();
      });
    });
    this.#worker.on("error", (cause) => {
      this.#fail(new RepriseError("STORE_UNAVAILABLE", `The writer of the store failed: ${cause.message}`, { cause }));
    });
  }

  /** Starts the writer and waits until its file is open. */
  static async open(
    options: WriterOptions,
    onSignals: (signals: readonly StoreSignal[]) => void,
  ): Promise<WriterClient> {
    const client = new WriterClient(options, onSignals);
    await client.#begin();
    return client;
  }

  /** Does a task; resolves when it is durable. The answer is the task's own. */
  do<Answer>(task: WriterTask): Promise<Answer> {
    const number = ++this.#number;
    return new Promise((resolve, reject) => {
      if (this.#failure !== undefined) return reject(this.#failure);
      // Only the writer answers, and it answers each task as the task's type says.
      this.#waiting.set(number, { resolve: resolve as (answer: unknown) => void, reject });
      if (this.#waiting.size === 1) this.#worker.ref();
      // What is asked for in one turn is sent together: waking the writer costs more than most tasks.
      if (this.#unsent.length === 0) process.nextTick(() => this.#send());
      this.#unsent.push({ number, task });
    });
  }

  /** Lets what was asked for be done, then ends the writer. */
  async close(): Promise<void> {
    // Closing waits for the end, and so does the process.
    this.#worker.ref();
    this.#send();
    if (this.#failure === undefined) this.#worker.postMessage("close");
    this.#failure ??= new RepriseError("STORE_UNAVAILABLE", "The store is closed.");
    await this.#exited;
  }

  #send(): void {
    const tasks = this.#unsent;
    if (tasks.length === 0) return;
    this.#unsent = [];
    try {
      this.#worker.postMessage(tasks);
    } catch (error) {
      // One of them holds something that is no data, a function perhaps, and so could not be stored either.
      const [first, ...others] = tasks;
      if (others.length === 0 && first !== undefined) return this.#refuse(first, error);
      for (const task of tasks) {
        this.#unsent = [task];
        this.#send();
      }
    }
  }

  #refuse({ number }: NumberedTask, error: unknown): void {
    const { message } = toRepriseError(error);
    this.#settle({ number, error: { code: "INVALID_REQUEST", message, details: {} } });
  }

  #begin(): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#waiting.set(0, { resolve: () => resolve(), reject });
      this.#worker.on("message", (report: WriterReport) => this.#take(report));
    });
  }

  #take(report: WriterReport): void {
    if (report.report === "ready") this.#settle({ number: 0, answer: null });
    else if (report.report === "failed") this.#settle({ number: 0, error: report.error });
    else {
      // Signals are sent before the writer continues, so that no caller waits for a signal that was already sent.
      this.#onSignals(report.signals);
      for (const outcome of report.outcomes) this.#settle(outcome);
    }
  }

  #settle(outcome: Outcome): void {
    const waiting = this.#waiting.get(outcome.number);
    this.#waiting.delete(outcome.number);
    // A writer that no caller waits for does not keep the process alive.
    if (this.#waiting.size === 0) this.#worker.unref();
    if ("error" in outcome) waiting?.reject(fromPlainError(outcome.error));
    else waiting?.resolve(outcome.answer);
  }

  #fail(error: RepriseError): void {
    this.#failure ??= error;
    for (const { reject } of this.#waiting.values()) reject(error);
    this.#waiting.clear();
  }
}

/**
 * Of the writer's heap. It holds one batch at a time; on a machine with much memory V8 would let this grow to 192 MB, and keeps the
 * pages when they are free.
 */
const YOUNG_GENERATION_MB = 48;

/** From source the worker is TypeScript too and needs the condition that leads to the sources of other packages. */
function startWorker(workerData: WriterOptions): Worker {
  const isSource = import.meta.url.endsWith(".ts");
  const file = new URL(isSource ? "./writer-thread.ts" : "./writer-thread.js", import.meta.url);
  const execArgv = isSource ? ["--conditions=reprise-source"] : [];
  // The writer needs nothing of the environment but where compiled modules are kept. `NODE_OPTIONS` would load code into it.
  const { NODE_COMPILE_CACHE } = process.env;
  return new Worker(file, {
    workerData,
    env: NODE_COMPILE_CACHE === undefined ? {} : { NODE_COMPILE_CACHE },
    execArgv: [...execArgv, "--disable-warning=ExperimentalWarning"],
    resourceLimits: { maxYoungGenerationSizeMb: YOUNG_GENERATION_MB },
  });
}
