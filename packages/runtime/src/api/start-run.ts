import type {
  BudgetPolicy,
  BusyPolicy,
  MessageInput,
  RunOrigin,
  RunOverrides,
  RunPolicy,
  RunRequest,
} from "@reprise/contracts";
import type { Json } from "@reprise/state";
import { assertKnownKeys, type KeysOf } from "../define/assert-known-keys.ts";

/** A run as an author asks for it. */
export interface StartRun {
  readonly agent: string;
  readonly threadId?: string;
  /** What the user says: text, or messages. */
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
  /** The tool call that starts it, in that run: `context.identity.call_id`. */
  readonly parentCallId?: string;
  /** Who asks, for whoever looks into the mailbox. */
  readonly senderId?: string;
  /** Another model, prompt or setting for this run; only for agents with `clientOverrides`. */
  readonly overrides?: RunOverrides;
  /** What this run may use, on top of what its agent may. */
  readonly policy?: RunPolicy;
  /** What the run and all runs below it may spend; as `policy.budget`. */
  readonly budget?: BudgetPolicy;
  /** Higher goes first among what waits for the thread. */
  readonly priority?: number;
  /** Starting twice with the same key is starting once. */
  readonly dedupeKey?: string;
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
  metadata: true,
};

/** An author's words in wire form: what was not said is not there. */
export function toRequest(run: StartRun): RunRequest {
  assertKnownKeys("start", run, START_KEYS, "INVALID_REQUEST");
  const { input, threadId, resourceId, state, whenBusy, origin, parentRunId, budget, priority, dedupeKey } = run;
  const policy = budget === undefined ? run.policy : { ...run.policy, budget };
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
    ...(run.overrides !== undefined && { overrides: run.overrides }),
    ...(run.parentCallId !== undefined && { parent_call_id: run.parentCallId }),
    ...(policy !== undefined && { policy }),
    ...(priority !== undefined && { priority }),
    ...(dedupeKey !== undefined && { dedupe_key: dedupeKey }),
    ...(run.metadata !== undefined && { metadata: run.metadata }),
  };
}
