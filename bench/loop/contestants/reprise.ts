import type { LanguageModel } from "../../../packages/contracts/src/index.ts";
import { createNodeEnv } from "../../../packages/node/src/index.ts";
import { createRuntime, defineAgent, defineTool, type Runtime } from "../../../packages/runtime/src/index.ts";
import { createMemoryBlobStore, createMemoryStore } from "../../../packages/stores/src/memory/index.ts";
import type { Contestant, RunReport } from "../contestant.ts";
import { instantModel } from "../models/reprise-model.ts";
import { INSTRUCTIONS, lookUp, QUESTION, TOOL_DESCRIPTION, TOOL_NAME, toolSchema } from "../workload.ts";

export const REPRISE = "Reprise";

const tool = defineTool({
  id: TOOL_NAME,
  description: TOOL_DESCRIPTION,
  class: "read_only",
  inputSchema: toolSchema,
  execute: (input: { readonly city: string }) => lookUp(input),
});

/** A runtime with a new memory store and one agent, everything else as it comes. */
export function openRuntimeWith(model: LanguageModel): Promise<Runtime> {
  const env = createNodeEnv();
  return createRuntime({
    agents: [defineAgent({ id: "bench", instructions: INSTRUCTIONS, model, tools: [tool] })],
    store: createMemoryStore(env),
    blobs: createMemoryBlobStore(env),
    env,
    // A hundred runs at a time, and room for the next hundred while those are being put away.
    limits: { maxActiveRuns: 200 },
  });
}

export function openRuntime(): Promise<Runtime> {
  return openRuntimeWith(instantModel);
}

/** One run on a thread of its own; every event is read. */
export async function runOnce(runtime: Runtime, threadId?: string): Promise<RunReport & { readonly threadId: string }> {
  const run = await runtime.start({ agent: "bench", input: QUESTION, ...(threadId !== undefined && { threadId }) });
  let text = "";
  let events = 0;
  for await (const event of run.events()) {
    events += 1;
    if (event.type === "text_delta") text += event.data.delta;
  }
  return { text, events, threadId: run.threadId };
}

export const reprise: Contestant = {
  name: REPRISE,
  note: "`runtime.start` and `run.events()`; memory store, four commits a run, leases, idle and tool timeouts on",
  open: async () => {
    const runtime = await openRuntime();
    return { run: () => runOnce(runtime), close: () => runtime.close() };
  },
};
