import type { Immutable, Json, Path, StateAction, StateDefinition } from "@reprise/state";
import type { Decision } from "../decision/decision.ts";
import type { KeptDocuments } from "../document/documents.ts";
import type { MessageInput } from "../message/message.ts";
import type { RunPolicy } from "../run/run-policy.ts";
import type { ChildRuns } from "./child-runs.ts";
import type { ToolDescriptor } from "./tool-descriptor.ts";

/** The state as one call sees it: with its own writes, without uncommitted writes of others. */
export interface ToolState {
  /** A state's value, the initial one where nothing is stored. */
  get<State>(definition: StateDefinition<State>): Immutable<State>;
  /** The value at any path of the document. */
  at(path: Path): Json | undefined;
  /** Asks for a change. It becomes part of the thread with the call's result, or not at all. */
  apply(action: StateAction): void;
}

/** The ids of the call and its run, for logs and keys. */
export interface ToolIdentity {
  readonly tenant: string;
  /** The resource that the run works for: the one of its thread, or else the one that the run was started with. */
  readonly resourceId?: string;
  readonly threadId: string;
  readonly runId: string;
  readonly callId: string;
  readonly agentId: string;
  /** Every agent that worked on the run so far, in order. The last one is `agentId`. */
  readonly agentPath: readonly string[];
  readonly stepId: string;
  readonly parentRunId?: string;
}

export interface ToolProgress {
  readonly progress?: number;
  readonly total?: number;
  readonly message?: string;
}

/** The context of one execution of a tool. */
export interface ToolContext {
  readonly state: ToolState;
  readonly identity: ToolIdentity;
  readonly policy: RunPolicy;
  /** The agent's tools that the run may use, whether or not the model was told about them. */
  readonly tools: readonly ToolDescriptor[];
  /** Aborted when the run is cancelled, the tool's time is up or the owner lost its claim. */
  readonly signal: AbortSignal;
  /** The same for every execution of this call: pass it on to what must not happen twice. */
  readonly idempotencyKey: string;
  /** The decision that let this execution happen, if one did. */
  readonly decision: Decision | undefined;
  /** The time this execution started; the same on replay. */
  readonly now: number;
  /** A section of the agent's spec, for the plugin that brought this tool. */
  section(key: string): Json | undefined;
  /** A new id, derived from the call; the same on replay. */
  id(): string;
  /** Starts runs of other agents and looks after them. */
  readonly runs: ChildRuns;
  /** Shows how far the work is. Not durable. */
  progress(progress: ToolProgress): void;
  /** Puts a message into the thread after the round. */
  queueMessage(message: MessageInput): void;
  /** Documents of a kind that belong to the tenant instead of a thread: settings, grants, notes. Kinds are shared by all plugins and tools. */
  documents(kind: string): KeptDocuments;
  /** Runs something impure once and remembers its answer; a replay gets the answer without running it. */
  record<Value extends Json>(name: string, run: () => Promise<Value> | Value): Promise<Value>;
}

/** A tool as the runtime holds it. The author's types are hidden behind `execute`. */
export interface Tool<Output = unknown> {
  readonly descriptor: ToolDescriptor;
  /** Checks arguments as the author would want them; answers with what is wrong, or with the checked input. */
  check(input: Json): Promise<CheckedInput>;
  needsApproval(input: unknown): Promise<boolean>;
  /** Whether a call with these arguments may be executed again after a crash, although not every call of the tool may. */
  mayRepeat?(input: Json): boolean;
  /** Runs the author's code on checked input. May throw anything; never trusted to return. */
  execute(input: unknown, context: ToolContext): Promise<unknown>;
  /** Carries the output type to callers; never set. */
  readonly output?: Output;
}

export type CheckedInput =
  | { readonly ok: true; readonly input: unknown }
  | { readonly ok: false; readonly problem: string };
