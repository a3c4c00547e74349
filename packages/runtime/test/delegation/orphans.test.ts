import { awaitRun, type NewChildRun, RepriseError, type Store, type TenantStore, textOf } from "@reprise/contracts";
import { scriptedModel } from "@reprise/models";
import { createRuntime, defineAgent, defineTool } from "@reprise/runtime";
import { describe, expect, it, onTestFinished } from "vitest";
import { createWorld, type World } from "../support/open-runtime.ts";
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

const stuck = defineTool({
  id: "stuck",
  description: "Ends when it is stopped.",
  idempotent: true,
  execute: (_, { signal }) =>
    new Promise<string>((_resolve, reject) => signal.addEventListener("abort", () => reject(signal.reason))),
});

interface Process {
  readonly instanceId: string;
  readonly agents?: readonly ("boss" | "worker")[];
  readonly store?: Store;
  readonly background?: boolean;
}

async function open(
  world: World,
  { instanceId, agents = ["boss", "worker"], store = world.store, background = false }: Process,
) {
  const boss = scriptedModel(({ messages }) => {
    const told = messages.map(textOf).find((text) => text.startsWith("<task "));
    if (told !== undefined) return `told ${told}`;
    const result = messages.findLast(({ role }) => role === "tool");
    return result === undefined ? [{ call: "delegate", arguments: { background } }] : `got ${textOf(result)}`;
  }, "boss");
  const known = {
    boss: defineAgent({ id: "boss", model: boss, tools: [delegate] }),
    worker: defineAgent({ id: "worker", model: scriptedModel(() => [{ call: "stuck" }], "worker"), tools: [stuck] }),
  };
  const runtime = await createRuntime({
    ...world,
    store,
    instanceId,
    agents: agents.map((id) => known[id]),
    // A run below waits in the queue while the run above holds the only slot.
    limits: { closeTimeoutMs: 1, maxActiveRuns: 1 },
  });
  onTestFinished(() => void runtime.close().catch(() => undefined));
  return { runtime, boss };
}

describe("a run below whose agent no process knows any more", () => {
  it("is reported, waits with the run above, and ends when the run above is cancelled", async () => {
    const world = createWorld();
    const first = await open(world, { instanceId: "first" });
    const run = await first.runtime.start({ agent: "boss", threadId: "above", input: "go" });
    await until(async () => (await run.record()).awaits_runs === true);
    await until(async () => (await first.runtime.runs({ parentRunId: run.id })).items[0]?.steps === 1);
    void first.runtime.close().catch(() => undefined);
    await world.env.advance(10);

    const { runtime } = await open(world, { instanceId: "second", agents: ["boss"] });
    await world.env.advance(13_000);
    await until(async () => (await runtime.missingAgents()).includes("worker"));
    const again = await runtime.run(run.id);
    expect(await again.record()).toMatchObject({ status: "waiting", awaits_runs: true });
    await again.cancel();
    expect(await soon(again.outcome())).toMatchObject({ status: "cancelled" });
    const [child] = (await runtime.runs({ parentRunId: run.id })).items;
    await until(async () => (await (await runtime.run(child?.run_id ?? "")).record()).status === "done");
    expect(await runtime.missingAgents()).toEqual([]);
  });
});

describe("a run below that can never be started", () => {
  /** A store in which the first commit of a run below is refused, whoever tries it. */
  function refusing(store: Store): Store {
    const refuse = (own: TenantStore): TenantStore => ({
      ...own,
      commit: async (changeset, options) => {
        if (/^child-[0-9a-f]+-start$/.test(changeset.changeset_id))
          throw new RepriseError("INVALID_REQUEST", "Such a run cannot be started.");
        return own.commit(changeset, options);
      },
    });
    return { ...store, forTenant: (tenant) => refuse(store.forTenant(tenant)) };
  }

  it("answers the call that waits for it", async () => {
    const world = createWorld();
    const { runtime } = await open(world, { instanceId: "first", store: refusing(world.store) });
    const run = await runtime.start({ agent: "boss", threadId: "above", input: "go" });
    const outcome = await soon(run.outcome());
    expect(outcome).toMatchObject({ status: "done", text: expect.stringContaining('"status":"failed"') });
    expect(outcome).toMatchObject({ text: expect.stringContaining("Such a run cannot be started.") });
    expect(await soon(runtime.replay(run.id))).toMatchObject({ equal: true });
  });

  it("tells the thread when it was started in the background", async () => {
    const world = createWorld();
    const { runtime, boss } = await open(world, {
      instanceId: "first",
      store: refusing(world.store),
      background: true,
    });
    await soon((await runtime.start({ agent: "boss", threadId: "above", input: "go" })).outcome());
    await until(() => boss.requests.at(-1)?.messages.some((message) => textOf(message).startsWith("<task ")) === true);
    const told = boss.requests
      .at(-1)
      ?.messages.map(textOf)
      .filter((text) => text.startsWith("<task "));
    expect(told).toEqual([expect.stringContaining("The run could not be started: Such a run cannot be started.")]);
  });
});
