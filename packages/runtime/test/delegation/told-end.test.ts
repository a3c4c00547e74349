import { awaitRun, type NewChildRun, type Store, type TenantStore, textOf } from "@reprise/contracts";
import { scriptedModel } from "@reprise/models";
import { createRuntime, defineAgent, defineTool } from "@reprise/runtime";
import { expect, it, onTestFinished } from "vitest";
import { createWorld } from "../support/open-runtime.ts";
import { soon, until } from "../support/wait.ts";

const delegate = defineTool({
  id: "delegate",
  description: "Has the worker work.",
  inputSchema: { type: "object", additionalProperties: true },
  idempotent: true,
  execute: async (given: Partial<NewChildRun>, { runs }) => {
    const child = await runs.start({ agentId: "worker", prompt: "look", ...given });
    return given.background === true ? { ...child } : awaitRun(child);
  },
});

const look = defineTool({
  id: "look",
  description: "Looks after a run.",
  inputSchema: { type: "object", additionalProperties: true },
  class: "read_only",
  execute: async ({ runId }: { readonly runId: string }, { runs }) => ({ ...(await runs.load(runId)) }),
});

/** A store in which the last commit of a run below waits until it is let through. */
function holdingBack(store: Store, release: Promise<void>): Store {
  const hold = (own: TenantStore): TenantStore => ({
    ...own,
    commit: async (changeset, options) => {
      const isLast = changeset.runs.some(({ agent_id, status }) => agent_id === "worker" && status === "done");
      if (isLast) await release;
      return own.commit(changeset, options);
    },
  });
  return { ...store, forTenant: (tenant) => hold(store.forTenant(tenant)) };
}

it.each([true, false])(
  "counts as over from when it has told the run above, not from its last commit (background: %s)",
  async (background) => {
    const world = createWorld();
    const released = Promise.withResolvers<void>();
    const boss = scriptedModel(({ messages }) => {
      const results = messages.filter(({ role }) => role === "tool").map((message) => JSON.parse(textOf(message)));
      if (results.length === 0) return [{ call: "delegate", arguments: { background } }];
      const isTold = !background || messages.some((message) => textOf(message).startsWith("<task "));
      const runId = results[0].runId ?? results[0].run_id;
      return isTold && results.length === 1 ? [{ call: "look", arguments: { runId } }] : "ok";
    }, "boss");
    const runtime = await createRuntime({
      ...world,
      store: holdingBack(world.store, released.promise),
      agents: [
        defineAgent({ id: "boss", model: boss, tools: [delegate, look] }),
        defineAgent({ id: "worker", model: scriptedModel(() => "found it", "worker") }),
      ],
      limits: { closeTimeoutMs: 1 },
    });
    onTestFinished(() => void runtime.close().catch(() => undefined));
    const run = await runtime.start({ agent: "boss", threadId: "above", input: "go" });
    const looked = () =>
      boss.requests
        .at(-1)
        ?.messages.filter(({ role }) => role === "tool")
        .map(textOf)[1];
    await until(() => looked() !== undefined);
    expect(JSON.parse(looked() ?? "{}")).toMatchObject({ agentId: "worker", status: "completed", output: "found it" });
    const [child] = (await runtime.runs({ parentRunId: run.id })).items;
    expect(child).toMatchObject({ agent_id: "worker", status: "running" });
    released.resolve();
    await until(async () => (await (await runtime.run(child?.run_id ?? "")).record()).status === "done");
    expect(await soon(runtime.replay(run.id))).toMatchObject({ equal: true });
  },
);
