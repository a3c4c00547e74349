import type {
  NodeWaitFact,
  ProgramEnd,
  ProgramEvent,
  ProgramPort,
  ProgramQuestion,
  RunProgram,
} from "@reprise/contracts";
import { type Agent, createRuntime, type RunHandle, readAgentSpec } from "@reprise/runtime";
import { type Json, ops } from "@reprise/state";
import { createMemoryBlobStore, createMemoryStore } from "@reprise/stores/memory";
import { createFakeEnv } from "@reprise/testkit";
import type { Scene } from "./scene.ts";
import { type Recorded, recordThread, type Stage, settle } from "./stage.ts";

/** One thing a played program does. */
type Move =
  | ProgramEvent
  /** Asks, emits what that comes to, and stays where it is until the answer came. */
  | { readonly type: "ask"; readonly question: ProgramQuestion; readonly told: (callId: string) => ProgramEvent };

interface Played {
  readonly moves: readonly Move[];
  readonly end: ProgramEnd;
}

/** A program that plays what a workflow would do. How far it came is its state, so that it continues after every wait. */
function play({ moves, end }: Played): RunProgram {
  return {
    kind: "played",
    findProblem: () => undefined,
    async run(port) {
      for (let at = positionOf(port); at < moves.length; ) {
        const move = moves[at];
        if (move?.type === "ask") {
          const { key } = move.question;
          const isAsked = port.open.some((wait) => wait.key === key);
          if (!isAsked) port.emitOnCommit(move.told(port.ask(move.question)));
          await port.commit();
          const news = await port.next({ isIdle: true });
          if (!news.some((item) => "key" in item && item.key === key)) return { type: "waiting" };
        } else if (move !== undefined) port.emit(move);
        at += 1;
        port.change([ops.set(["at"], at)]);
      }
      return end;
    },
  };
}

function positionOf(port: ProgramPort): number {
  if (port.state === undefined) port.change([ops.set([], { at: 0 })]);
  return (port.state as { readonly at: number }).at;
}

async function openWorkflow(played: Played): Promise<Pick<Stage, "runtime" | "env"> & { readonly run: RunHandle }> {
  const env = createFakeEnv({ now: 1_767_225_600_000 });
  const spec = readAgentSpec({ id: "agent", program: { kind: "played", definition: {} } });
  const agent: Agent = { id: "agent", spec, tools: [], plugins: [], stopPolicies: [], program: play(played) };
  const runtime = await createRuntime({
    env,
    store: createMemoryStore({ clock: env.clock }),
    blobs: createMemoryBlobStore(env),
    agents: [agent],
    limits: { closeTimeoutMs: 1 },
  });
  const run = await runtime.submit({
    agent_id: "agent",
    thread_id: "thread-1",
    run_id: "run-1",
    messages: [{ id: "user-of-run-1", role: "user", content: '{"topic":"tea"}' }],
  });
  return { env, runtime, run };
}

type Meanwhile = (stage: Awaited<ReturnType<typeof openWorkflow>>) => Promise<void>;

/** Plays a workflow to its end, or to where it waits; `meanwhile` is what comes from outside. */
async function record(played: Played, meanwhile?: Meanwhile): Promise<Recorded> {
  const stage = await openWorkflow(played);
  const { run } = stage;
  await settle();
  await meanwhile?.(stage);
  await run.outcome();
  await settle();
  return recordThread(stage, run, await Array.fromAsync(run.eventsWithCursor()));
}

const BEGIN: ProgramEvent = {
  type: "workflow_start",
  data: { workflow_id: "review", document: "d0c", inputs: { topic: "tea" }, timeout_ms: 60_000 },
};

const started = (node_id: string, node_type: string, attempt = 1): ProgramEvent => ({
  type: "node_start",
  data: { node_id, node_type, attempt },
});

const completed = (node_id: string, output: Json, more: object = {}): ProgramEvent => ({
  type: "node_end",
  data: { node_id, outcome: "completed", attempt: 1, output, duration_ms: 12, ...more },
});

const spent = (node_id: string, attempt: number, cumulative: number): ProgramEvent => ({
  type: "node_cost",
  data: {
    node_id,
    model: "large",
    input_tokens: 10,
    output_tokens: 5,
    cost_microcents: 6_000,
    cumulative_cost_microcents: cumulative,
    attempt,
    priced: true,
  },
});

const said = (node_id: string, delta: string): ProgramEvent => ({
  type: "node_delta",
  data: { node_id, delta, model: "large" },
});

const gate = (node_id: string, more: Partial<NodeWaitFact> = {}): Move => ({
  type: "ask",
  question: { key: node_id, name: node_id, action: "gate:approval", message: "Publish it?", expiresInMs: 60_000 },
  told: (call_id) => ({
    type: "node_wait",
    data: {
      node_id,
      wait: "gate",
      call_id,
      gate_type: "approval",
      message: "Publish it?",
      assignee: "ada",
      expires_at: 1_767_225_660_000,
      timeout_action: "reject",
      ...more,
    },
  }),
});

const approve: Meanwhile = async ({ runtime }) => {
  const [open] = await runtime.decisions.list({ threadId: "thread-1" });
  await runtime.decisions.decide(open?.id ?? "", { action: "approve" });
};

const FAILURE = { code: "provider_unavailable", message: "The model failed (overloaded).", retryable: true };

/** Runs of workflows. */
export const WORKFLOWS: readonly Scene[] = [
  {
    name: "workflow",
    about: "A workflow with an agent that thinks, calls a tool and writes, and a branch that is not taken.",
    record: () =>
      record({
        moves: [
          BEGIN,
          started("in", "input"),
          completed("in", { topic: "tea" }),
          started("is_long", "condition"),
          completed("is_long", false, { selected: false }),
          { type: "node_end", data: { node_id: "shorten", outcome: "skipped", reason: "branch_not_taken" } },
          started("draft", "agent"),
          { type: "node_reasoning_delta", data: { node_id: "draft", delta: "Tea…", model: "large" } },
          {
            type: "node_tool_call",
            data: {
              node_id: "draft",
              id: "c1",
              tool_id: "look_up",
              model: "large",
              arguments: { of: "tea" },
              attempt: 1,
            },
          },
          {
            type: "node_tool_result",
            data: {
              node_id: "draft",
              id: "c1",
              tool_id: "look_up",
              success: true,
              output_summary: "green",
              attempt: 1,
            },
          },
          spent("draft", 1, 6_000),
          said("draft", "Tea "),
          said("draft", "is green."),
          spent("draft", 2, 12_000),
          completed("draft", "Tea is green.", { tokens: { input: 20, output: 10, model: "large" } }),
          started("out", "output"),
          completed("out", "Tea is green."),
        ],
        end: { type: "done", output: "Tea is green." },
      }),
  },
  {
    name: "workflow-gate",
    about: "A workflow whose parallel nodes are retried, and whose gate is approved.",
    record: () =>
      record(
        {
          moves: [
            BEGIN,
            started("files[0].review", "agent"),
            started("files[1].review", "agent"),
            said("files[1].review", "Good."),
            { type: "node_retry", data: { node_id: "files[0].review", attempt: 2, error: FAILURE, delay_ms: 1_000 } },
            completed("files[1].review", "Good."),
            started("files[0].review", "agent", 2),
            said("files[0].review", "Bad."),
            completed("files[0].review", "Bad.", { attempt: 2 }),
            started("publish", "human_gate"),
            gate("publish"),
            {
              type: "node_resume",
              data: { node_id: "publish", wait: "gate", decision: "approved", decided_by: "ada" },
            },
            completed("publish", { decision: "approved" }),
            started("out", "output"),
            completed("out", ["Bad.", "Good."]),
          ],
          end: { type: "done", output: ["Bad.", "Good."] },
        },
        approve,
      ),
  },
  {
    name: "workflow-failed",
    about: "A workflow that fails with a node, after one of its outputs.",
    record: () =>
      record({
        moves: [
          BEGIN,
          started("first", "output"),
          completed("first", "half"),
          started("draft", "agent"),
          {
            type: "node_end",
            data: { node_id: "draft", outcome: "failed", attempt: 1, error: FAILURE, duration_ms: 3 },
          },
          { type: "node_end", data: { node_id: "out", outcome: "skipped", reason: "upstream_unreachable" } },
        ],
        end: { type: "failed", ...FAILURE },
      }),
  },
  {
    name: "workflow-timeout",
    about: "A workflow whose time is up.",
    record: () =>
      record({
        moves: [BEGIN, started("draft", "agent")],
        end: { type: "failed", code: "run_timeout", message: "The run took longer than 60000 ms.", retryable: false },
      }),
  },
  {
    name: "workflow-cancelled",
    about: "A workflow that is cancelled while its gate waits.",
    record: () =>
      record(
        { moves: [BEGIN, started("publish", "human_gate"), gate("publish")], end: { type: "done", output: null } },
        async ({ run }) => {
          await run.cancel("enough");
        },
      ),
  },
  {
    name: "workflow-budget",
    about: "A workflow that waits for a larger budget, and gets it.",
    record: () =>
      record(
        {
          moves: [
            BEGIN,
            started("draft", "agent"),
            spent("draft", 1, 6_000),
            gate("draft", { gate_type: "budget", spent_microcents: 6_000, limit_microcents: 5_000 }),
            { type: "node_resume", data: { node_id: "draft", wait: "gate", decision: "approved" } },
            completed("draft", "Tea."),
          ],
          end: { type: "done", output: "Tea." },
        },
        approve,
      ),
  },
  {
    name: "workflow-media",
    about: "A workflow that waits for a film while a provider makes it.",
    record: () =>
      record(
        {
          moves: [
            BEGIN,
            started("film", "agent"),
            {
              type: "ask",
              question: {
                key: "film",
                name: "film",
                action: "media_job",
                message: "Asks again.",
                expiresInMs: 5_000,
                isTimer: true,
              },
              told: (call_id) => ({
                type: "node_wait",
                data: { node_id: "film", wait: "media_job", call_id, model: "film-1", job_id: "job-1" },
              }),
            },
            { type: "node_resume", data: { node_id: "film", wait: "media_job" } },
            completed("film", { text: "", media: [{ type: "file", url: "media://blob:1", media_type: "video/mp4" }] }),
          ],
          end: { type: "done", output: null },
        },
        async ({ env }) => {
          await env.advance(6_000);
        },
      ),
  },
];
