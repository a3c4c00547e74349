import type { BlobStore, Store } from "../../packages/contracts/src/index.ts";
import { scriptedModel } from "../../packages/models/src/index.ts";
import { createNodeEnv } from "../../packages/node/src/index.ts";
import { createRuntime, defineAgent, defineTool, type Runtime } from "../../packages/runtime/src/index.ts";
import { defineState } from "../../packages/state/src/index.ts";

const ROUNDS = 3;

const notes = defineState({
  path: "notes",
  scope: "thread",
  initial: (): readonly string[] => [],
  actions: { add: (list, text: string) => [...list, text] },
});

const note = defineTool({
  id: "note",
  description: "Writes something down.",
  inputSchema: { type: "object", properties: { text: { type: "string" } }, required: ["text"] },
  execute(_input, { state, idempotencyKey }) {
    state.apply(notes.add(idempotencyKey));
    return "noted";
  },
});

const model = scriptedModel(({ messages }) => {
  const rounds = messages
    .slice(messages.findLastIndex(({ role }) => role === "user"))
    .filter(({ role }) => role === "tool");
  if (rounds.length < ROUNDS) return [{ call: "note", arguments: { text: "x".repeat(100) } }];
  return [{ text: Array.from({ length: 50 }, (_, index) => `word ${index} `) }];
});

/** A runtime on a store, whose runs take four steps and change the state three times. */
export function openRuntime(store: Store, blobs: BlobStore): Promise<Runtime> {
  const agent = defineAgent({ id: "writer", model, tools: [note] });
  return createRuntime({ agents: [agent], store, blobs, env: createNodeEnv() });
}

/** One run on a thread of its own, read to its end; its id. */
export async function runOnce(runtime: Runtime): Promise<string> {
  const run = await runtime.start({ agent: "writer", input: "y".repeat(1_000) });
  for await (const _event of run.events());
  return run.id;
}

export async function replayOnce(runtime: Runtime, runId: string): Promise<void> {
  const result = await runtime.replay(runId, { mode: "verify" });
  if (!result.equal) throw new Error(`The replay differs: ${JSON.stringify(result)}`);
}
