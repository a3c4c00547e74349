import type { BudgetPolicy, BusyPolicy, DecisionVerb } from "@reprise/contracts";
import type { Limits } from "@reprise/runtime";

/** How a worker process is to be set up. */
export interface WorkerSetup {
  readonly store:
    | { readonly kind: "sqlite"; readonly file: string }
    | { readonly kind: "postgres"; readonly url: string; readonly schema: string }
    /** Threads of a tree are in any of the databases. */
    | { readonly kind: "scattered"; readonly urls: readonly string[] };
  /** Which version of the agents it has. */
  readonly build?: string;
  readonly instanceId?: string;
  /** Where its models are asked over HTTP; without it they are in the process. */
  readonly modelUrl?: string;
  readonly limits?: Partial<Limits>;
}

/** What a worker can be asked to do, and with what. */
export interface WorkerTasks {
  start: {
    readonly agent?: string;
    readonly threadId: string;
    readonly input: string;
    readonly whenBusy?: BusyPolicy;
    readonly parentRunId?: string;
    readonly budget?: BudgetPolicy;
  };
  outcome: { readonly runId: string };
  decide: { readonly target: string; readonly verb: DecisionVerb };
  cancel: { readonly runId: string; readonly reason?: string };
  /** The events of a run as they are stored. */
  events: { readonly runId: string };
  /** The agents whose work waits for a process that has them. */
  missing: Record<never, never>;
  /** What was executed in this process so far. */
  executed: Record<never, never>;
  /** What the model of this process was asked so far: the prompt and the last text. */
  asked: Record<never, never>;
  /** What this process logged so far, at any level. */
  logged: Record<never, never>;
  close: Record<never, never>;
}

export type WorkerTask = keyof WorkerTasks;

/** One execution of a tool. */
export interface Execution {
  readonly tool: string;
  readonly key: string;
}

export interface AskedModel {
  readonly prompt: string;
  readonly last: string;
}

/** One line to a worker. */
export interface Asked {
  readonly number: number;
  readonly task: WorkerTask;
  readonly parameters: WorkerTasks[WorkerTask];
}

/** Why something was not done, with the code of the runtime's error or `UNEXPECTED`. */
export interface Refusal {
  readonly code: string;
  readonly message: string;
}

/** One line from a worker: an answer to a line, or something it says by itself. */
export type Said =
  | { readonly number: number; readonly answer: unknown }
  | { readonly number: number; readonly refusal: Refusal }
  | { readonly say: "ready" | "closed" }
  | { readonly say: "refused"; readonly refusal: Refusal }
  | { readonly say: "executing"; readonly tool: string; readonly key: string };
