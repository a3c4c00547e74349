import { type Message, suspendTool, type Tool, type ToolContext, textOf } from "@reprise/contracts";
import { type Script, type ScriptedModel, scriptedModel } from "@reprise/models";
import {
  type AgentDefinition,
  createRuntime,
  defineAgent,
  defineTool,
  type Limits,
  type PoolSizes,
  type RunHandle,
  type Runtime,
} from "@reprise/runtime";
import { createMemoryBlobStore } from "@reprise/stores/memory";
import { createWorld, type World } from "../../support/open-runtime.ts";
import { type Caps, concurrencyOf, flatten, KINDS, type PlannedCall, toolIdOf } from "./plan.ts";

/** One execution of a tool, as the virtual clock saw it. */
export interface Span {
  readonly runId: string;
  readonly parentRunId: string | undefined;
  readonly callId: string;
  /** Which call of its round it is. */
  readonly index: number;
  readonly toolId: string;
  readonly startedAt: number;
  endedAt: number | undefined;
  end: "returned" | "threw" | "asked" | "stopped" | undefined;
}

/** A run on the stage: what it was told to do, and when. */
export interface StagedRun {
  readonly plan: readonly PlannedCall[];
  readonly startedAt: number;
  /** The run at the top of its tree. */
  readonly root: string;
}

export interface StageOptions {
  readonly plan: readonly PlannedCall[];
  readonly pools?: PoolSizes;
  readonly caps?: Caps;
  readonly agent?: Partial<Omit<AgentDefinition, "id" | "model" | "tools">>;
  readonly limits?: Partial<Limits>;
  readonly world?: World;
  /** What a call does besides taking its time; its answer is the call's. */
  readonly act?: (call: PlannedCall, context: ToolContext) => unknown;
}

/** A runtime whose agent makes the calls it is told to make, with tools that take time by the virtual clock. */
export interface Stage extends World {
  readonly runtime: Runtime;
  readonly model: ScriptedModel;
  readonly spans: readonly Span[];
  readonly runs: ReadonlyMap<string, StagedRun>;
  /** Starts a run on thread t1 that makes the planned calls, then says "done". */
  start(): Promise<RunHandle>;
  /** Moves the time, from one end of a tool to the next, until the promise has settled. */
  play<Value>(promise: Promise<Value>): Promise<Value>;
  /** Does something at a time. */
  at(ms: number, action: () => Promise<unknown> | unknown): Promise<void>;
}

export const ROOMY: PoolSizes = { read: 20, serial: 1, concurrent: 10 };

export async function openStage(options: StageOptions): Promise<Stage> {
  const { plan, pools = ROOMY, caps = {}, agent, limits } = options;
  const world = options.world ?? createWorld();
  const model = scriptedModel(planned);
  const clock = new StageClock(world);
  const spans: Span[] = [];
  const runs = new Map<string, StagedRun>();
  const perform = async (call: PlannedCall, context: ToolContext): Promise<unknown> => {
    const span = beginSpan(call, context, world.env.clock.mono());
    spans.push(span);
    const finish = (end: Span["end"]): void => {
      span.end = end;
      span.endedAt = world.env.clock.mono();
    };
    try {
      const answer = await act(call, context);
      finish(call.end === "asks" && context.decision === undefined ? "asked" : "returned");
      return answer;
    } catch (error) {
      finish(context.signal.aborted ? "stopped" : "threw");
      throw error;
    }
  };
  const act = async (call: PlannedCall, context: ToolContext): Promise<unknown> => {
    const answer = options.act?.(call, context);
    if (call.end === "stays") await untilAborted(context.signal);
    if (call.ms > 0) await clock.sleep(call.ms, context.signal);
    await Promise.all((call.below ?? []).map((below) => runBelow(below, context)));
    if (call.end === "throws") throw new Error("It broke.");
    if (call.end === "asks" && context.decision === undefined) return suspendTool({ action: "question" });
    return answer ?? context.identity.callId;
  };
  const runBelow = async (below: readonly PlannedCall[], { identity }: ToolContext): Promise<void> => {
    const startedAt = world.env.clock.mono();
    const run = await runtime.submit({
      agent_id: "agent",
      parent_run_id: identity.runId,
      messages: [{ role: "user", content: JSON.stringify(below) }],
    });
    runs.set(run.id, { plan: below, startedAt, root: runs.get(identity.runId)?.root ?? identity.runId });
    await run.outcome();
  };
  const runtime = await createRuntime({
    agents: [
      defineAgent({
        toolConcurrency: concurrencyOf(plan, caps),
        ...agent,
        id: "agent",
        model,
        tools: createTools(plan, perform),
      }),
    ],
    env: world.env,
    store: world.store,
    blobs: createMemoryBlobStore(world.env),
    limits: { closeTimeoutMs: 1, ...limits, pools },
  });
  return {
    ...world,
    runtime,
    model,
    spans,
    runs,
    start: async () => {
      const startedAt = world.env.clock.mono();
      const run = await runtime.start({ agent: "agent", threadId: "t1", input: JSON.stringify(plan) });
      runs.set(run.id, { plan, startedAt, root: run.id });
      return run;
    },
    play: (promise) => clock.play(promise),
    at: async (ms, action) => {
      await clock.sleep(ms - world.env.clock.mono());
      await action();
    },
  };
}

/** The model makes the calls the user's words say; once they have results, it is done. */
const planned: Script = ({ messages }) => {
  const last = messages.at(-1);
  if (last?.role !== "user") return "done";
  return readPlan(last).map((call) => ({ call: toolIdOf(call), arguments: call }));
};

function readPlan(message: Message): readonly PlannedCall[] {
  // Only plans are said on a stage.
  return JSON.parse(textOf(message)) as readonly PlannedCall[];
}

/** The tools of a plan, each once. */
function createTools(
  plan: readonly PlannedCall[],
  execute: (call: PlannedCall, context: ToolContext) => Promise<unknown>,
): readonly Tool[] {
  const known = flatten(plan).filter(({ tool }) => KINDS[tool] !== "missing");
  const used = new Map(known.map((call) => [toolIdOf(call), call]));
  return [...used].map(([id, { tool, when = "cancel" }]) =>
    defineTool<PlannedCall>({
      id,
      description: id,
      inputSchema: { type: "object" },
      class: KINDS[tool] === "reading" ? "read_only" : "mutating",
      recursive: KINDS[tool] === "delegating",
      interruptBehavior: when,
      needsApproval: ({ end }) => end === "approval",
      execute,
    }),
  );
}

function beginSpan(call: PlannedCall, { identity }: ToolContext, startedAt: number): Span {
  const { runId: run_id, callId: call_id, parentRunId: parent_run_id } = identity;
  return {
    runId: run_id,
    parentRunId: parent_run_id,
    callId: call_id,
    index: Number(call_id.slice(call_id.lastIndexOf("c") + 1)),
    toolId: toolIdOf(call),
    startedAt,
    endedAt: undefined,
    end: undefined,
  };
}

function untilAborted(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    if (signal.aborted) reject(signal.reason);
    else signal.addEventListener("abort", () => reject(signal.reason), { once: true });
  });
}

const IDLE_TURNS = 100;

/** Knows when the next sleeper of a stage is due, and moves the time exactly there. */
class StageClock {
  readonly #world: World;
  readonly #due = new Set<{ readonly at: number }>();

  constructor(world: World) {
    this.#world = world;
  }

  async sleep(ms: number, signal?: AbortSignal): Promise<void> {
    const { clock } = this.#world.env;
    const due = { at: clock.mono() + ms };
    this.#due.add(due);
    try {
      await clock.sleep(ms, signal);
    } finally {
      this.#due.delete(due);
    }
  }

  async play<Value>(promise: Promise<Value>): Promise<Value> {
    const { env } = this.#world;
    let isOver = false;
    const over = promise.finally(() => {
      isOver = true;
    });
    over.catch(() => undefined);
    for (;;) {
      // Nothing but turns of the queue stands between a wake-up and what follows from it: at most one for every call and every commit.
      for (let turn = 0; turn < IDLE_TURNS && !isOver; turn += 1) await new Promise((resolve) => setImmediate(resolve));
      if (isOver) return over;
      const next = Math.min(...[...this.#due].map(({ at }) => at));
      if (next === Number.POSITIVE_INFINITY) throw new Error("Everybody waits for somebody else.");
      await env.advance(next - env.clock.mono());
    }
  }
}
