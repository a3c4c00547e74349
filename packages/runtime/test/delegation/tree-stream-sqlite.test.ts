import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { awaitRun, type NewChildRun } from "@reprise/contracts";
import { scriptedModel } from "@reprise/models";
import { createNodeEnv } from "@reprise/node";
import { type Agent, createRuntime, defineAgent, defineTool, type Runtime } from "@reprise/runtime";
import { createMemoryBlobStore } from "@reprise/stores/memory";
import { openSqliteStore } from "@reprise/stores/sqlite";
import { expect, it, onTestFinished } from "vitest";

const delegate = defineTool({
  id: "delegate",
  description: "Has another agent work.",
  inputSchema: { type: "object", additionalProperties: true },
  class: "read_only",
  execute: async (child: NewChildRun, { runs }) => awaitRun(await runs.start(child)),
});

async function open(file: string, agents: readonly Agent[]): Promise<Runtime> {
  const env = createNodeEnv();
  const store = await openSqliteStore({ file });
  const runtime = await createRuntime({ agents, env, store, blobs: createMemoryBlobStore(env) });
  onTestFinished(async () => {
    await runtime.close();
    await store.close();
  });
  return runtime;
}

it("brings fifty runs below to a reader that has its own connection to the SQLite file and none of the agents", async () => {
  const folder = await mkdtemp(join(tmpdir(), "reprise-tree-"));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const file = join(folder, "threads.db");
  const calls = (agentId: string, count: number) =>
    Array.from({ length: count }, () => ({ call: "delegate", arguments: { agentId, prompt: "look" } }));
  const first =
    (count: number, agentId: string) =>
    ({ messages }: { readonly messages: readonly unknown[] }) =>
      messages.length === 1 ? calls(agentId, count) : "thanks";
  const worker = await open(file, [
    defineAgent({ id: "boss", model: scriptedModel(first(7, "lead")), tools: [delegate] }),
    defineAgent({ id: "lead", model: scriptedModel(first(6, "helper")), tools: [delegate] }),
    defineAgent({ id: "helper", model: scriptedModel(() => "helped") }),
  ]);
  const reader = await open(file, [defineAgent({ id: "other", model: scriptedModel([]) })]);
  const { id } = await worker.start({ agent: "boss", threadId: "above", input: "go" });
  const run = await reader.run(id);
  const all = await Array.fromAsync(run.eventsWithCursor({ children: "events" }));
  const keyOf = ({ event }: (typeof all)[number]) => (event.seq === undefined ? [] : [`${event.run_id}:${event.seq}`]);
  const whole = all.flatMap(keyOf).sort();
  expect(new Set(whole).size).toBe(whole.length);
  expect(new Set(all.map(({ event }) => event.run_id)).size).toBe(50);
  const stored = (await reader.runs({ limit: 100 })).items.reduce((sum, { last_seq }) => sum + last_seq, 0);
  expect(whole).toHaveLength(stored);
  const middle = Math.floor(all.length / 2);
  const rest = await Array.fromAsync(run.eventsWithCursor({ children: "events", after: all[middle]?.cursor ?? "" }));
  expect([...all.slice(0, middle + 1), ...rest].flatMap(keyOf).sort()).toEqual(whole);
  expect(await run.record()).toMatchObject({ total: { runs: 50 } });
});
