import type { AgentEvent, BudgetPolicy, Message, Store, Tool } from "@reprise/contracts";
import { type Script, scriptedModel } from "@reprise/models";
import {
  type AgentDefinition,
  createRuntime,
  defineAgent,
  type Limits,
  type RunHandle,
  type Runtime,
} from "@reprise/runtime";
import { createMemoryBlobStore, createMemoryStore } from "@reprise/stores/memory";
import { createFakeEnv, type FakeEnv, type ProtocolScene } from "@reprise/testkit";

export interface StageOptions {
  readonly script: Script;
  readonly tools?: readonly Tool[];
  readonly agent?: Partial<Omit<AgentDefinition, "id" | "model" | "tools">>;
  readonly limits?: Partial<Limits>;
  readonly store?: Store;
  readonly env?: FakeEnv;
}

/** A runtime with one agent in a world without chance: recording twice gives the same. */
export interface Stage {
  readonly runtime: Runtime;
  readonly store: Store;
  readonly env: FakeEnv;
  /** Starts the run that is recorded, or another one after it. */
  start(options?: StartOptions): Promise<RunHandle>;
}

export interface StartOptions {
  readonly text?: string;
  readonly runId?: string;
  readonly budget?: BudgetPolicy;
}

const BIRTHDAY = 1_767_225_600_000;

export async function openStage(options: StageOptions): Promise<Stage> {
  const env = options.env ?? createFakeEnv({ now: BIRTHDAY });
  const store = options.store ?? createMemoryStore({ clock: env.clock });
  const pricing = { input_per_million: 1, output_per_million: 1 };
  const runtime = await createRuntime({
    env,
    store,
    blobs: createMemoryBlobStore(env),
    models: [{ id: "p/m", provider: "p", model: "m", max_output_tokens: 50, pricing }],
    providers: [{ id: "p", model: () => scriptedModel(options.script, "m") }],
    agents: [defineAgent({ ...options.agent, id: "agent", model: "p/m", tools: options.tools ?? [] })],
    limits: { closeTimeoutMs: 1, modelIdleTimeoutMs: null, ...options.limits },
  });
  const start = ({ text = "Go.", runId = "run-1", budget }: StartOptions = {}): Promise<RunHandle> =>
    runtime.submit({
      agent_id: "agent",
      thread_id: "thread-1",
      run_id: runId,
      messages: [{ id: `user-of-${runId}`, role: "user", content: text }],
      busy_policy: "continue",
      ...(budget !== undefined && { policy: { budget } }),
    });
  return { runtime, store, env, start };
}

/** Lets everything run that waits for nothing but its turn. */
export async function settle(rounds = 40): Promise<void> {
  for (let round = 0; round < rounds; round += 1) await new Promise((resolve) => setImmediate(resolve));
}

export type Recorded = Omit<ProtocolScene, "name" | "about">;

/** Ends a recording: all that was to be read of the run, and what the thread keeps of it. */
export async function recordRun(stage: Stage, run: RunHandle): Promise<Recorded> {
  await run.outcome();
  return recordThread(stage, run, await Array.fromAsync(run.eventsWithCursor()));
}

export async function recordThread(
  { runtime }: Pick<Stage, "runtime">,
  run: RunHandle,
  events: readonly { readonly event: AgentEvent; readonly cursor: string }[],
): Promise<Recorded> {
  const page = await runtime.threads.messages("thread-1", { limit: 200 });
  const messages = page.messages.map(({ cursor: _place, ...message }): Message => message);
  const calls = (await runtime.calls({ threadId: "thread-1" })).items;
  return {
    thread_id: "thread-1",
    run_id: run.id,
    events: events.map(({ event, cursor }) => ({ cursor, event })),
    messages,
    calls,
  };
}
