import type { Json, JsonObject, Op } from "@reprise/state";
import type { SuspendOptions } from "../decision/suspend-ticket.ts";
import type { Env } from "../env/env.ts";
import type { EventData } from "../event/event-data.ts";
import type { ModelRequest, TokenUsage } from "../model/model.ts";
import type { ModelProvider } from "../model/model-provider.ts";
import type { ModelSpec } from "../model/model-spec.ts";
import type { RunPolicy } from "../run/run-policy.ts";
import type { RunOrigin } from "../run/run-record.ts";
import type { Tool } from "../tool/tool.ts";

/**
 * Runs agents that decide by themselves what comes next, such as workflows. A program is code of the framework, not of an author: a replay runs it
 * again.
 *
 * - What it does follows from `definition`, `state`, `now` and the news it gets. It reads nothing else.
 * - Everything impure is work (`begin`). Work is not repeated in a replay; its answer comes from the recording.
 * - `run` is called again for every activation, also after a crash. Whatever was not committed is gone then.
 */
export interface RunProgram {
  readonly kind: string;
  /** The problem with a definition; undefined when it can be run. */
  findProblem(definition: JsonObject): string | undefined;
  run(port: ProgramPort): Promise<ProgramEnd>;
}

/** What an activation of a program came to. */
export type ProgramEnd =
  | { readonly type: "done"; readonly output: Json }
  | { readonly type: "failed"; readonly code: string; readonly message: string; readonly retryable: boolean }
  | { readonly type: "stopped"; readonly code: string; readonly detail?: string }
  /** Every answer that is awaited comes from outside. The run gives its claim back. */
  | { readonly type: "waiting" };

/** Events that a program emits. */
export type ProgramEventType =
  | "workflow_start"
  | "node_start"
  | "node_delta"
  | "node_reasoning_delta"
  | "node_tool_call"
  | "node_tool_result"
  | "node_cost"
  | "node_end"
  | "node_retry"
  | "node_wait"
  | "node_resume";

export type ProgramEvent = {
  [Type in ProgramEventType]: { readonly type: Type; readonly data: EventData[Type] };
}[ProgramEventType];

/** A program's access to its run. */
export interface ProgramPort {
  readonly identity: ProgramIdentity;
  readonly definition: JsonObject;
  /** What the run was asked for. */
  readonly input: string;
  /** The program's part of the state; undefined in the first activation before anything was stored. */
  readonly state: Json | undefined;
  /** The time of the store when the last news came in. */
  readonly now: number;
  /** What the run has cost so far, in millionths of a cent. */
  readonly spentMicrocents: number;
  /** Aborted when the run is cancelled or its claim is lost. */
  readonly signal: AbortSignal;
  /** The hash of a text, by which definitions are told apart. */
  hash(text: string): string;
  /** Changes the program's part of the state, with the next commit. Paths begin inside of it. */
  change(ops: readonly Op[]): void;
  /** Emits an event at once. The next commit stores it. */
  emit(event: ProgramEvent): void;
  /** Emits an event once the next commit has made it true. */
  emitOnCommit(event: ProgramEvent): void;
  commit(): Promise<void>;
  /** Has the next commit refer to blobs that work of this run did not store, so that they stay as long as the run. */
  refersTo(blobs: readonly string[]): void;
  /** Starts work beside the program. Its end is news. The key is unique among all work of the activation. */
  begin(work: ProgramWork): void;
  /** Asks a person, or waits for a time. The answer is news. Returns the id of the call that stands for the question. */
  ask(question: ProgramQuestion): string;
  /** Withdraws a question that no longer matters. */
  withdraw(callId: string): void;
  /** Starts runs of other agents and waits for them. Their ends are news. Commits before it starts any. */
  startRuns(runs: readonly ProgramChild[]): Promise<readonly StartedChild[]>;
  /** Waits for news, all of it. With `isIdle` the program waits for answers from outside alone: the list is empty when there is none. */
  next(options: { readonly isIdle: boolean }): Promise<readonly ProgramNews[]>;
  /** Sets the limit of the run's budget, after a person granted it. */
  raiseBudget(limitMicrocents: number): Promise<void>;
  /** The questions and runs below that are open, by key. */
  readonly open: readonly OpenWait[];
}

export interface ProgramIdentity {
  readonly tenant: string;
  readonly runId: string;
  readonly threadId: string;
  readonly agentId: string;
  readonly resourceId?: string;
  readonly origin: RunOrigin;
  /** When the run was accepted. */
  readonly createdAt: number;
}

/** Something impure that is done beside the program. */
export interface ProgramWork {
  readonly key: string;
  /** Answers with JSON. Whatever it throws fails the run: failures that a program handles are answers. */
  perform(context: WorkContext): Promise<Json>;
}

/** What work may use. */
export interface WorkContext {
  /** Aborted when the run is cancelled, its claim is lost, or the program has come to its end. */
  readonly signal: AbortSignal;
  /** Shows an event. */
  show(event: ProgramEvent): void;
  /** Sends the program an announcement as news, and resolves once the program has confirmed it. */
  announce(value: Json): Promise<void>;
  /** Asked before anything is sent to a model: the tree, the host and the budget may refuse. Throws `AttemptRefused` with the reason. */
  readonly gate: WorkGate;
  /** Stores bytes under the hash of their content. The commit that ends the work refers to them. */
  putBlob(content: Uint8Array, options: { readonly media_type: string }): Promise<string>;
  getBlob(ref: string): Promise<Uint8Array | undefined>;
  readonly env: Env;
  /** A provider of models that the runtime has. `runtime` stands for the models that are registered by their own ids. */
  provider(id: string): ModelProvider | undefined;
  /** A tool that the runtime has, whatever the policy of the run says. */
  tool(id: string): Tool | undefined;
  readonly policy: RunPolicy;
}

/** The part of a gate that a route of models asks. */
export interface WorkGate {
  open(attempt: {
    readonly provider: string;
    readonly model: string;
    readonly spec?: ModelSpec;
    readonly request: ModelRequest;
  }): Promise<{
    readonly request: ModelRequest;
    ended(
      end:
        | { readonly usage: TokenUsage }
        | { readonly amount: { readonly microcents: number; readonly tokens: number } }
        | "refused"
        | "unknown",
    ): void;
  }>;
}

/** A question to a person, or a wait for a time when `at` is given. */
export interface ProgramQuestion extends Pick<SuspendOptions, "action" | "message" | "parameters" | "responseSchema"> {
  readonly key: string;
  /** The name that clients show for what waits. */
  readonly name: string;
  readonly expiresInMs?: number;
  /** Nobody is asked: the news is that the time is up. */
  readonly isTimer?: true;
}

/** A run of another agent that a program waits for. */
export interface ProgramChild {
  readonly key: string;
  readonly agentId: string;
  readonly prompt: string;
}

export type StartedChild =
  | { readonly key: string; readonly callId: string; readonly runId: string; readonly threadId: string }
  | { readonly key: string; readonly error: string };

export interface OpenWait {
  readonly key: string;
  readonly callId: string;
  readonly expiresAt?: number;
  /** The run below that is waited for. */
  readonly runId?: string;
}

/** Something a program waited for. */
export type ProgramNews =
  | { readonly type: "ended"; readonly key: string; readonly value: Json }
  /** Work waits until the program confirms. */
  | { readonly type: "announced"; readonly key: string; readonly value: Json; confirm(): void }
  | {
      readonly type: "answered";
      readonly key: string;
      readonly callId: string;
      readonly action: "resume" | "cancel";
      readonly result?: Json;
      readonly arguments?: Json;
      readonly reason?: string;
      readonly decidedBy?: string;
    }
  /** The time of a question or a timer is up. */
  | { readonly type: "expired"; readonly key: string; readonly callId: string }
  | { readonly type: "child"; readonly key: string; readonly callId: string; readonly end: ChildEnd };

export interface ChildEnd {
  readonly status: "completed" | "failed" | "stopped";
  readonly output?: string;
  readonly error?: string;
}
