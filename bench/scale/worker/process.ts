import { TASKS, type TaskName } from "./tasks.ts";
import { Worker } from "./worker.ts";

// A worker process: does the tasks its parent asks for, and ends with its parent.

/** What the parent sends. */
export interface Question {
  readonly number: number;
  readonly task: TaskName;
  readonly parameters: unknown;
}

/** What it gets back. */
export interface Answer {
  readonly number: number;
  readonly answer?: unknown;
  readonly problem?: string;
}

const worker = new Worker();

async function answer({ number, task, parameters }: Question): Promise<Answer> {
  try {
    // The parent's `ask` has the types of both.
    const work = TASKS[task] as (worker: Worker, parameters: unknown) => Promise<unknown>;
    return { number, answer: await work(worker, parameters) };
  } catch (error) {
    return { number, problem: error instanceof Error ? (error.stack ?? error.message) : String(error) };
  }
}

process.on("message", async (question: Question) => {
  process.send?.(await answer(question));
});
process.on("disconnect", () => process.exit());
process.send?.({ number: 0 } satisfies Answer);
