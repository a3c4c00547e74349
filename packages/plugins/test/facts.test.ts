import { excludeTool } from "@reprise/contracts";
import { facts } from "@reprise/plugins/facts";
import { definePlugin, defineTool } from "@reprise/runtime";
import { expect, it } from "vitest";
import { openAgent } from "./support/open-agent.ts";

const look = defineTool({
  id: "look",
  description: "Looks.",
  class: "read_only",
  capabilities: ["read"],
  execute: () => "a cat",
});
const wipe = defineTool({
  id: "wipe",
  description: "Wipes.",
  destructive: true,
  needsApproval: true,
  interruptBehavior: "block",
  execute: () => "clean",
});
const remote = defineTool({
  id: "mcp__web__get",
  description: "Gets.",
  metadata: { policy: "sandboxed" },
  execute: () => "page",
});
const tools = [look, wipe, remote];

/** Hides a tool from the second step on. */
const hiding = definePlugin({
  id: "hiding",
  hooks: { beforeInference: ({ step }) => (step > 1 ? [excludeTool("wipe")] : []) },
});

async function playFacts(options: Parameters<typeof openAgent>[0]) {
  const bench = await openAgent({
    tools,
    script: [[{ call: "look" }], [{ call: "look" }], "done", "again"],
    ...options,
  });
  const run = await bench.runtime.start({ agent: "agent", threadId: "t1", input: "go" });
  const outcome = await run.outcome();
  const events: { readonly type: string; readonly data?: unknown }[] = [];
  for await (const event of run.events()) events.push(event);
  const dataOf = (type: string): readonly unknown[] =>
    events.filter((event) => event.type === type).map(({ data }) => data);
  return { ...bench, outcome, dataOf };
}

it("tells the catalogue once in a run, with every field of an inventory, and again when it changes", async () => {
  const { dataOf, outcome, verify } = await playFacts({ plugins: [facts(), hiding] });
  const [first, second, ...more] = dataOf("tool_catalog_resolved");
  expect(more).toEqual([]);
  expect(first).toMatchObject({
    count: 3,
    tools: [
      {
        tool_name: "look",
        description: "Looks.",
        input_schema: expect.objectContaining({ type: "object" }),
        capabilities: ["read"],
        policy: "available",
        runtime_owner: "local",
        is_read_only: true,
        is_concurrency_safe: true,
        is_destructive: false,
        interrupt_behavior: "cancel",
      },
      { tool_name: "wipe", policy: "ask", is_read_only: false, is_destructive: true, interrupt_behavior: "block" },
      {
        tool_name: "mcp__web__get",
        policy: "sandboxed",
        runtime_owner: "mcp",
        metadata_ref: "tool:mcp__web__get#metadata",
      },
    ],
  });
  expect(second).toMatchObject({ tools: [{}, { tool_name: "wipe", policy: "denied" }, {}] });
  expect(await verify(outcome)).toMatchObject({ equal: true });
});

it("tells which plugin brings a tool", async () => {
  const note = defineTool({ id: "note", description: "Notes.", execute: () => "noted" });
  const { dataOf } = await playFacts({ plugins: [facts(), definePlugin({ id: "notes", tools: [note] })] });
  const [fact] = dataOf("tool_catalog_resolved") as { readonly tools: readonly { readonly tool_name: string }[] }[];
  const entry = (name: string) => fact?.tools.find(({ tool_name }) => tool_name === name);
  expect(entry("note")).toMatchObject({ runtime_owner: "plugin", plugin: "notes" });
  expect(entry("look")).not.toHaveProperty("plugin");
});

it("tells the context of every request, with its sources", async () => {
  const { dataOf, runtime } = await playFacts({ plugins: [facts()] });
  const contexts = dataOf("context_resolved");
  expect(contexts).toHaveLength(3);
  const refs = [
    { kind: "session", ref: "thread:t1", plugin: "facts" },
    { kind: "instruction", ref: "agent:agent", plugin: "facts" },
  ];
  for (const context of contexts) expect(context).toMatchObject({ refs });
  const image = { type: "image", url: "https://example.com/cat.png", filename: "cat.png" } as const;
  const run = await runtime.start({ agent: "agent", threadId: "t1", input: [{ role: "user", content: [image] }] });
  const seen: unknown[] = [];
  for await (const event of run.events()) if (event.type === "context_resolved") seen.push(event.data);
  expect(seen).toMatchObject([{ refs: [{}, {}, { kind: "file", ref: image.url, title: "cat.png" }] }]);
});

it("stores a large catalogue once and names it", async () => {
  const many = Array.from({ length: 300 }, (_, index) =>
    defineTool({ id: `tool_${index}`, description: "x".repeat(100), execute: () => "" }),
  );
  const { dataOf, outcome, verify, run, runtime } = await playFacts({
    plugins: [facts()],
    tools: many,
    script: () => "done",
  });
  const [fact] = dataOf("tool_catalog_resolved") as readonly { readonly digest: string; readonly tools_ref: string }[];
  expect(fact).toMatchObject({ count: 300, tools: [], tools_ref: `document:tool_catalog/${fact?.digest}` });
  await run("again");
  const { items } = await runtime.documents.listDocuments({ kind: "plugin.tool_catalog" });
  expect(items).toMatchObject([{ id: fact?.digest, revision: 1 }]);
  expect(await verify(outcome)).toMatchObject({ equal: true });
});

it("is set up in a configuration file", async () => {
  const { dataOf, outcome, verify } = await playFacts({
    configured: { plugin_ids: ["facts"], sections: { facts: { max_tools: 1 } } },
  });
  expect(dataOf("tool_catalog_resolved")).toMatchObject([{ count: 3, tools: [], tools_ref: expect.any(String) }]);
  expect(await verify(outcome)).toMatchObject({ equal: true });
});
