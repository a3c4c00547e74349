import type {
  BudgetOptions,
  BusyPolicy,
  MessageInput,
  RunOrigin,
  RunOverrideOptions,
  RunOverrides,
  RunPolicy,
  RunPolicyOptions,
  RunRequest,
} from "@reprise/contracts";
import { chatOptionsShape } from "@reprise/contracts";
import { toStoredKeys, toStoredNames } from "@reprise/contracts/shape";
import type { Json, JsonObject } from "@reprise/state";
import { assertKnownKeys, type KeysOf } from "../define/assert-known-keys.ts";

/** A run as an author asks for it. */
export interface StartRun<Id extends string = string> {
  readonly agent: Id;
  readonly threadId?: string;
  /** The user's input: text, or messages. */
  readonly input: string | readonly MessageInput[];
  readonly resourceId?: string;
  readonly state?: { readonly [key: string]: Json };
  /** When the thread is busy; unless said otherwise a waiting run is superseded and a running one waited for. */
  readonly whenBusy?: BusyPolicy;
  readonly origin?: RunOrigin;
  /** The run this one works for. */
  readonly parentRunId?: string;
  /** The thread of that run, when it is to be told in a message that this one is over. */
  readonly parentThreadId?: string;
  /** The tool call that starts it, in that run: `context.identity.callId`. */
  readonly parentCallId?: string;
  /** The sender, shown in the mailbox. */
  readonly senderId?: string;
  /** Another model, prompt or setting for this run; only for agents with `clientOverrides`. */
  readonly overrides?: RunOverrideOptions;
  /** Limits of this run, in addition to those of its agent. */
  readonly policy?: RunPolicyOptions;
  /** The budget of this run and all runs below it. The same as `policy.budget`. */
  readonly budget?: BudgetOptions;
  /** Entries with a higher priority go first in the queue of the thread. */
  readonly priority?: number;
  /** Idempotency key: a second request with the same key starts no second run. */
  readonly dedupeKey?: string;
  /** The trace that the run continues, in the form of W3C Trace Context; unless given, the caller's as a tracing plugin knows it. */
  readonly traceparent?: string;
  /** The `tracestate` that belongs to the `traceparent`. */
  readonly tracestate?: string;
  readonly metadata?: { readonly [key: string]: Json };
}

const START_KEYS: KeysOf<StartRun> = {
  agent: true,
  threadId: true,
  input: true,
  resourceId: true,
  state: true,
  whenBusy: true,
  origin: true,
  parentRunId: true,
  parentCallId: true,
  parentThreadId: true,
  senderId: true,
  overrides: true,
  policy: true,
  budget: true,
  priority: true,
  dedupeKey: true,
  traceparent: true,
  tracestate: true,
  metadata: true,
};

const OVERRIDE_KEYS: KeysOf<RunOverrideOptions> = {
  model: true,
  instructions: true,
  toolExecutionMode: true,
  chatOptions: true,
};

/** An author's words in wire form: what was not said is not there. */
export function toRequest(run: StartRun): RunRequest {
  assertKnownKeys("start", run, START_KEYS, "INVALID_REQUEST");
  const { input, threadId, resourceId, state, whenBusy, origin, parentRunId, budget, priority, dedupeKey } = run;
  const policy = policyOf({ ...run.policy, ...(budget !== undefined && { budget }) });
  return {
    agent_id: run.agent,
    messages: typeof input === "string" ? [{ role: "user", content: input }] : input,
    ...(threadId !== undefined && { thread_id: threadId }),
    ...(resourceId !== undefined && { resource_id: resourceId }),
    ...(state !== undefined && { state }),
    ...(whenBusy !== undefined && { busy_policy: whenBusy }),
    ...(origin !== undefined && { origin }),
    ...(parentRunId !== undefined && { parent_run_id: parentRunId }),
    ...(run.parentThreadId !== undefined && { parent_thread_id: run.parentThreadId }),
    ...(run.senderId !== undefined && { sender_id: run.senderId }),
    ...(run.overrides !== undefined && { overrides: overridesOf(run.overrides) }),
    ...(run.parentCallId !== undefined && { parent_call_id: run.parentCallId }),
    ...(Object.keys(policy).length > 0 && { policy }),
    ...(priority !== undefined && { priority }),
    ...(dedupeKey !== undefined && { dedupe_key: dedupeKey }),
    ...(run.traceparent !== undefined && { traceparent: run.traceparent }),
    ...(run.tracestate !== undefined && { tracestate: run.tracestate }),
    ...(run.metadata !== undefined && { metadata: run.metadata }),
  };
}

function policyOf({ budget, ...lists }: RunPolicyOptions): RunPolicy {
  return { ...toStoredKeys(lists), ...(budget !== undefined && { budget: toStoredKeys(budget) }) };
}

function overridesOf(options: RunOverrideOptions): RunOverrides {
  assertKnownKeys("the overrides of start", options, OVERRIDE_KEYS, "INVALID_REQUEST");
  const { model, instructions, toolExecutionMode, chatOptions } = options;
  const config = {
    ...(toolExecutionMode !== undefined && { tool_execution_mode: toolExecutionMode }),
    // Checked with the rest of the request.
    ...(chatOptions !== undefined && {
      chat_options: toStoredNames(chatOptions, chatOptionsShape.schema) as JsonObject,
    }),
  };
  return {
    ...(model !== undefined && { model }),
    ...(instructions !== undefined && { system_prompt: instructions }),
    ...(Object.keys(config).length > 0 && { config }),
  };
}
