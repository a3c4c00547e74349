import type { KeptDocuments, PhaseContext } from "@reprise/contracts";
import { definePlugin, defineTool } from "@reprise/runtime";
import { expect, it } from "vitest";
import { deadModel, record } from "../replay-support/record.ts";
import { openRuntime } from "../support/open-runtime.ts";
import { soon } from "../support/wait.ts";
import { hookPlugin } from "./support/hook-plugin.ts";
import { playPlugins } from "./support/play-plugins.ts";

/** Counts in a document, as two writers at once would have to. */
async function count(documents: KeptDocuments): Promise<number> {
  const stored = await documents.load("visits");
  const visits = Number(stored?.body ?? 0) + 1;
  const { saved } = await documents.save("visits", visits, stored?.revision ?? 0);
  return saved ? visits : count(documents);
}

it("keeps documents of plugins and tools for the tenant, across runs and threads", async () => {
  const seen: number[] = [];
  const counting = definePlugin({
    id: "counting",
    hooks: {
      runStart: async ({ documents }) => {
        seen.push(await count(documents("counter")));
      },
    },
  });
  const tool = defineTool({
    id: "count",
    description: "Counts.",
    inputSchema: { type: "object" },
    execute: async (_, { documents }) => ({ visits: await count(documents("counter")) }),
  });
  const bench = await openRuntime({
    script: [[{ call: "count", arguments: {} }], "done", [{ call: "count", arguments: {} }], "done"],
    tools: [tool],
    agent: { plugins: [counting] },
  });
  for (const threadId of ["t1", "t2"])
    await soon((await bench.runtime.start({ agent: "agent", threadId, input: "go" })).outcome());
  expect(seen).toEqual([1, 3]);
  const store = bench.store.forTenant("default");
  expect(await store.loadDocument("plugin.counter", "visits")).toMatchObject({ body: 4 });
  expect(await store.loadDocument("counter", "visits")).toBeUndefined();
});

it("lists, deletes and lets documents expire", async () => {
  const answers: unknown[] = [];
  const plugin = hookPlugin("p", "run_start", async ({ documents, now }: PhaseContext) => {
    const notes = documents("notes");
    for (const id of ["b", "a"]) await notes.save(id, { id }, 0);
    await notes.save("gone", 1, 0, { expiresAt: now - 1 });
    answers.push(await notes.save("a", "second", 0));
    answers.push((await notes.list({ limit: 1 })).items.map(({ id }) => id));
    answers.push(await notes.delete("a"), await notes.load("a"), await notes.load("gone"));
    answers.push((await notes.list()).items.map(({ id }) => id));
  });
  expect((await playPlugins([plugin])).outcome.status).toBe("done");
  expect(answers).toEqual([
    { saved: false, document: expect.objectContaining({ body: { id: "a" } }) },
    ["a"],
    true,
    undefined,
    undefined,
    ["b"],
  ]);
});

it("replays a run without a look into the documents, which have changed since", async () => {
  const greet = definePlugin({
    id: "greet",
    hooks: {
      beforeInference: async ({ documents }) => {
        const stored = await documents("names").load("me");
        await documents("names").save("me", String(stored?.body ?? "stranger"), stored?.revision ?? 0);
        return [];
      },
    },
  });
  const bench = await record({ script: ["hello"], agent: { plugins: [greet] } });
  const store = bench.store.forTenant("default");
  const { revision = 0 } = (await store.loadDocument("plugin.names", "me")) ?? {};
  await store.saveDocument({ kind: "plugin.names", id: "me", body: "changed" }, revision);
  const other = await openRuntime({ world: bench, model: deadModel, agent: { plugins: [greet] } });
  for (const mode of ["verify", "reexecute"] as const)
    expect(await soon(other.runtime.replay(bench.run.id, { mode }))).toMatchObject({ equal: true });
  expect(await store.loadDocument("plugin.names", "me")).toMatchObject({ body: "changed" });
});
