import { awaitRun, handOff, type NewChildRun, type Tool, toolEffect } from "@reprise/contracts";
import { type Script, scriptedModel } from "@reprise/models";
import {
  createRuntime,
  defineAgent,
  defineTool,
  parallel,
  type RunRecording,
  type Runtime,
  refine,
  sequence,
} from "@reprise/runtime";
import { createWorld } from "../support/open-runtime.ts";
import { gate, soon, until } from "../support/wait.ts";

const delegate = defineTool({
  id: "delegate",
  description: "Has another agent work.",
  inputSchema: { type: "object", additionalProperties: true },
  idempotent: true,
  recursive: true,
  execute: async (child: NewChildRun, { runs }) => {
    const started = await runs.start(child);
    return child.background === true ? { ...started } : awaitRun(started);
  },
});
const look = defineTool({
  id: "look",
  description: "Looks.",
  inputSchema: {},
  class: "read_only",
  execute: () => "seen",
});
const hang = defineTool({
  id: "hang",
  description: "Ends when its run does.",
  inputSchema: {},
  idempotent: true,
  execute: (_, { signal }) =>
    new Promise((_resolve, reject) => signal.addEventListener("abort", () => reject(signal.reason), { once: true })),
});

const transfer = defineTool({
  id: "transfer",
  description: "Hands the run to another agent.",
  inputSchema: { type: "object", additionalProperties: true },
  idempotent: true,
  execute: ({ to }: { readonly to: string }) => toolEffect("handed over", [handOff(to, { message: "Look." })]),
});

const task = (child: Partial<NewChildRun>) => ({
  call: "delegate",
  arguments: { agentId: "worker", prompt: "look", ...child },
});
const used = { usage: { promptTokens: 90, completionTokens: 10 } };

interface Tree {
  readonly boss: Script;
  readonly worker?: Script;
  readonly agent?: "boss" | "pair" | "both" | "checked";
  readonly tools?: readonly Tool[];
  /** The run that is exported: the one at the top unless given. */
  readonly of?: "child" | "notice";
  readonly meanwhile?: (runtime: Runtime, runId: string) => Promise<void>;
}

async function recordTree({
  boss,
  worker = ["found it"],
  agent = "boss",
  tools = [],
  of,
  meanwhile,
}: Tree): Promise<RunRecording> {
  const runtime = await createRuntime({
    ...createWorld(),
    agents: [
      defineAgent({ id: "boss", model: scriptedModel(boss, "boss"), tools: [delegate, transfer] }),
      defineAgent({ id: "worker", model: scriptedModel(worker, "worker"), tools: [look, hang, ...tools] }),
      sequence({
        id: "pair",
        steps: ["worker", { agent: "worker", input: "again: {previous}", limits: { limitTokens: 40_000 } }],
      }),
      parallel({ id: "both", steps: ["worker", "worker"], maxConcurrency: 1 }),
      refine({ id: "checked", generator: "worker", critic: "worker", maxRounds: 2 }),
    ],
    limits: { closeTimeoutMs: 1 },
  });
  const run = await runtime.start({ agent, threadId: "t1", input: "go", budget: { limitTokens: 100_000 } });
  await meanwhile?.(runtime, run.id);
  await soon(run.outcome());
  const runs = async () => (await runtime.runs({ limit: 10 })).items;
  await until(async () => (await runs()).every(({ status }) => status === "done"));
  const child = (await runs()).find(({ agent_id, parent_run_id }) => agent_id === "worker" && parent_run_id === run.id);
  const exported = of === undefined ? run.id : of === "child" ? (child?.run_id ?? "") : `${child?.run_id}-completion`;
  if (of === "notice") await soon((await runtime.run(exported)).outcome());
  const recording = await runtime.exportRun(exported);
  void runtime.close().catch(() => undefined);
  return recording;
}

/** The run above ends first, so that the end of the run below is a run of its own. */
function recordBackground(of: "child" | "notice"): Promise<RunRecording> {
  const isOver = gate();
  return recordTree({
    boss: [
      [task({ background: true }), used],
      [{ text: "later" }, used],
      [{ text: "noted" }, used],
    ],
    worker: [
      [{ call: "pause" }, used],
      [{ text: "found it" }, used],
    ],
    tools: [defineTool({ id: "pause", description: "Waits.", inputSchema: {}, execute: () => isOver.promise })],
    of,
    async meanwhile(runtime, runId) {
      await soon((await runtime.run(runId)).outcome());
      isOver.open();
    },
  });
}

const LIMITS = { limitTokens: 40_000, limitToolCalls: 1 };

/** Runs with runs below them, and runs below others. */
export const TREE_SHAPES: { readonly [shape: string]: () => Promise<RunRecording> } = {
  "waited for runs below": () =>
    recordTree({
      boss: [
        [task({ limits: LIMITS }), task({ prompt: "look too", limits: LIMITS }), used],
        [{ text: "thanks" }, used],
      ],
      worker: () => [{ text: "found it" }, used],
    }),
  "run below with limits": () =>
    recordTree({
      boss: [
        [task({ limits: LIMITS }), used],
        [{ text: "thanks" }, used],
      ],
      worker: [
        [{ call: "look" }, used],
        [{ call: "look" }, used],
        [{ text: "enough" }, used],
      ],
      of: "child",
    }),
  "run below in the background": () => recordBackground("child"),
  "notice of a run below": () => recordBackground("notice"),
  "cancelled with runs below": () =>
    recordTree({
      boss: [[task({ limits: LIMITS }), used]],
      worker: [[{ call: "hang" }, used]],
      meanwhile: async (runtime, runId) => {
        const isAtWork = async () => (await runtime.runs({ parentRunId: runId })).items.some(({ steps }) => steps > 0);
        await until(isAtWork);
        await (await runtime.run(runId)).cancel("enough");
      },
    }),
  "composed of agents": () => recordTree({ boss: [], worker: () => [{ text: "found it" }, used], agent: "pair" }),
  "agents beside each other": () => recordTree({ boss: [], worker: () => [{ text: "found it" }, used], agent: "both" }),
  "refined until its rounds were over": () =>
    recordTree({
      boss: [],
      worker: [
        [{ text: "a draft" }, used],
        [{ text: "too short" }, used],
        [{ text: "a longer draft" }, used],
        [{ text: "PASS" }, used],
      ],
      agent: "checked",
    }),
  "handed over to another agent": () =>
    recordTree({
      boss: [[{ call: "transfer", arguments: { to: "worker" } }, used]],
      worker: [
        [{ call: "look" }, used],
        [{ text: "found it" }, used],
      ],
    }),
};
