import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { type ErrorCode, RepriseError } from "@reprise/contracts";
import { onTestFinished } from "vitest";
import type { AskedModel, Execution, Refusal, Said, WorkerSetup, WorkerTask, WorkerTasks } from "./worker-protocol.ts";

/** What the tasks answer, where a test looks at it. */
interface WorkerAnswers extends Record<WorkerTask, unknown> {
  start: string;
  missing: readonly string[];
  executed: readonly Execution[];
  asked: readonly AskedModel[];
  logged: readonly string[];
}

/** A worker process, as its parent has it. */
export interface Worker {
  readonly pid: number;
  ask<Task extends WorkerTask>(task: Task, parameters: WorkerTasks[Task]): Promise<WorkerAnswers[Task]>;
  /** Resolves when the worker has begun to execute a tool for the nth time. */
  executing(tool: string, times?: number): Promise<string>;
  readonly executions: readonly Execution[];
  signal(name: "SIGKILL" | "SIGTERM" | "SIGSTOP" | "SIGCONT"): void;
  /** The exit code, or the signal that ended it. */
  readonly exited: Promise<number | string>;
}

/** Starts a worker and waits until its runtime is open. It is killed with the test, also when it stands still. */
export async function startWorker(setup: WorkerSetup): Promise<Worker> {
  const path = fileURLToPath(new URL("./worker.ts", import.meta.url));
  const child = spawn(process.execPath, ["--conditions=reprise-source", path, JSON.stringify(setup)], {
    stdio: ["pipe", "pipe", "inherit"],
  });
  onTestFinished(() => void child.kill("SIGKILL"));
  const exited = once(child, "exit").then(([code, signal]: (number | string | null)[]) => code ?? signal ?? "unknown");
  const ready = Promise.withResolvers<void>();
  const waiting = new Map<number, PromiseWithResolvers<unknown>>();
  const executions: Execution[] = [];
  const listeners = new Set<() => void>();
  createInterface({ input: child.stdout }).on("line", (line) => {
    // Written by the worker.
    const said = JSON.parse(line) as Said;
    if ("say" in said) {
      if (said.say === "ready") ready.resolve();
      if (said.say === "refused") ready.reject(toError(said.refusal));
      if (said.say === "executing") executions.push({ tool: said.tool, key: said.key });
      for (const listener of listeners) listener();
    } else if ("refusal" in said) waiting.get(said.number)?.reject(toError(said.refusal));
    else waiting.get(said.number)?.resolve(said.answer);
  });
  void exited.then((code) => {
    const error = new Error(`The worker ended (${code}).`);
    ready.reject(error);
    for (const { reject } of waiting.values()) reject(error);
  });
  await ready.promise;
  let asked = 0;
  return {
    pid: child.pid ?? 0,
    executions,
    exited,
    signal: (name) => void child.kill(name),
    ask(task, parameters) {
      asked += 1;
      const answer = Promise.withResolvers<unknown>();
      answer.promise.catch(() => undefined);
      waiting.set(asked, answer);
      child.stdin.write(`${JSON.stringify({ number: asked, task, parameters })}\n`);
      // The worker answers each task as the table of answers says.
      return answer.promise as Promise<never>;
    },
    executing(tool, times = 1) {
      const begun = Promise.withResolvers<string>();
      const look = (): void => {
        const found = executions.filter((execution) => execution.tool === tool)[times - 1];
        if (found !== undefined) begun.resolve(found.key);
      };
      listeners.add(look);
      look();
      return begun.promise.finally(() => listeners.delete(look));
    },
  };
}

function toError({ code, message }: Refusal): Error {
  // Made of a `RepriseError` in the worker, unless it is something nobody expected.
  return code === "UNEXPECTED" ? new Error(message) : new RepriseError(code as ErrorCode, message);
}
