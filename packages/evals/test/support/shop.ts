import {
  type Agent,
  createRuntime,
  defineAgent,
  defineState,
  defineTool,
  type LanguageModel,
  memory,
  type Plugin,
  scriptedModel,
  type Tool,
} from "reprise";
import { createNodeEnv, type RunRecording } from "reprise/advanced";
import type { Script } from "reprise/testing";
import { z } from "zod";
import { type EvalCase, type SaveCaseOptions, saveCase } from "../../src/index.ts";

export const env = createNodeEnv({ log: () => undefined });

const orders = defineState({
  path: "orders",
  initial: (): readonly string[] => [],
  actions: { refund: (list, id: string) => [...list, id] },
});

/** The tools of a shop, and how often each was really called. */
export function openShop(): { readonly tools: readonly Tool[]; readonly called: string[] } {
  const called: string[] = [];
  const find = defineTool({
    id: "find_order",
    description: "Finds an order.",
    class: "read_only",
    inputSchema: z.object({ id: z.string() }),
    execute: ({ id }) => {
      called.push(`find_order ${id}`);
      return { id, total: 20 + called.length };
    },
  });
  const refund = defineTool({
    id: "refund",
    description: "Refunds an order.",
    inputSchema: z.object({ id: z.string(), amount: z.number() }),
    needsApproval: ({ amount }) => amount > 50,
    execute: ({ id, amount }, { state }) => {
      called.push(`refund ${id} ${amount}`);
      state.apply(orders.refund(id));
      return { receipt: `r-${id}` };
    },
  });
  return { tools: [find, refund], called };
}

export const SCRIPT: Script = [
  [
    { text: ["Let me ", "look."] },
    { call: "find_order", arguments: { id: "a1" } },
    { usage: { promptTokens: 100, completionTokens: 10 } },
  ],
  [{ call: "refund", arguments: { id: "a1", amount: 20 } }, { usage: { promptTokens: 150, completionTokens: 10 } }],
  [{ text: "Your 20 are on their way." }, { usage: { promptTokens: 200, completionTokens: 8 } }],
];

export interface ShopAgent {
  readonly model?: LanguageModel | string;
  readonly tools?: readonly Tool[];
  readonly plugins?: readonly Plugin[];
  readonly budget?: { readonly limitTokens?: number };
  readonly maxRounds?: number;
}

/** A model that must not be asked. */
export const silent: LanguageModel = {
  id: "scripted",
  stream: () => {
    throw new Error("The model was asked.");
  },
};

export function shopAgent({ model = silent, tools = openShop().tools, ...more }: ShopAgent = {}): Agent {
  return defineAgent({ id: "shop", model, tools, ...more });
}

export interface RecordOptions extends ShopAgent {
  readonly script?: Script;
  readonly input?: string;
  readonly decide?: "approve" | "deny";
  readonly threadId?: string;
  readonly runId?: string;
  /** What is said on the thread before. */
  readonly before?: { readonly input: string; readonly script: Script };
}

/** Records a run of the shop, and gives back its export. */
export async function record(options: RecordOptions = {}): Promise<RunRecording> {
  const { script = SCRIPT, input = "Refund my order a1.", decide, before, threadId = "t1", runId, ...agent } = options;
  const store = memory();
  if (before !== undefined) {
    const earlier = await createRuntime({ agents: [shopAgent({ model: scriptedModel(before.script) })], store });
    await earlier.runToCompletion({ agent: "shop", threadId, input: before.input });
    await earlier.close();
  }
  const runtime = await createRuntime({ agents: [shopAgent({ ...agent, model: scriptedModel(script) })], store });
  const request = { agent_id: "shop", thread_id: threadId, messages: [{ role: "user" as const, content: input }] };
  const run = await runtime.submit({ ...request, ...(runId !== undefined && { run_id: runId }) });
  for (let state = await run.outcome(); state.status === "waiting"; state = await run.outcome()) {
    for (const { id } of state.open) await runtime.decisions.decide(id, { action: decide ?? "approve" });
  }
  const recording = await runtime.exportRun(run.id);
  await runtime.close();
  return recording;
}

export async function makeCase(
  options: RecordOptions = {},
  save: Partial<Omit<SaveCaseOptions, "env">> = {},
): Promise<EvalCase> {
  return saveCase(await record(options), { id: "refund-small", env, ...save });
}
