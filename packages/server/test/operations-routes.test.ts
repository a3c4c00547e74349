import { RepriseError } from "@reprise/contracts";
import { scriptedModel } from "@reprise/models";
import { defineAgent, definePlugin } from "@reprise/runtime";
import type { Principal } from "@reprise/server";
import type { Json } from "@reprise/state";
import { describe, expect, it } from "vitest";
import { failCommits } from "../../runtime/test/support/intercept-store.ts";
import { type OpenDemo, openDemo, openFrozenDemo, says } from "./support/open-demo.ts";

const get = async ({ ask }: OpenDemo, path: string): Promise<Record<string, Json>> => (await ask(path)).json();

describe("the queues of all threads", () => {
  it("are one list with what waits, what is taken and what could not be started", async () => {
    const broken = new RepriseError("INVALID_REQUEST", "It cannot be.");
    const demo = await openFrozenDemo({
      wrapStore: (store) =>
        failCommits(store, (_, { run_id, reasons }) =>
          run_id === "r2" && reasons.includes("user_message") ? broken : undefined,
        ),
    });
    const first = await demo.post("/v1/runs", says("stall", { threadId: "t1", runId: "r1" }));
    const second = await demo.post("/v1/runs", says("again", { threadId: "t1", runId: "r2" }));
    await demo.ask("/v1/runs/r1/cancel", { method: "POST" });
    await Promise.all([first.text(), second.text()]);
    const third = await demo.post("/v1/runs", says("stall", { threadId: "t3", runId: "r3" }));
    const fourth = await demo.post("/v1/runs", says("later", { threadId: "t3", runId: "r4" }));
    expect(await get(demo, "/v1/mailbox?status=queued")).toMatchObject({
      items: [{ thread_id: "t3", run_id: "r4", status: "queued" }],
      total: 1,
      counts: { queued: 1, dead_letter: 1 },
      agents_missing: [],
    });
    expect(await get(demo, "/v1/mailbox?thread_id=t1&status=dead_letter")).toMatchObject({
      items: [{ run_id: "r2", last_error: expect.stringContaining("It cannot be.") }],
    });
    expect((await demo.ask("/v1/mailbox?status=lost")).status).toBe(400);
    await demo.ask("/v1/threads/t3/interrupt", { method: "POST" });
    await Promise.all([third.text(), fourth.text()]);
  });

  it("are those of the caller's tenant alone", async () => {
    const tenants: Readonly<Record<string, Principal>> = {
      own: { id: "own", scopes: ["admin"] },
      other: { id: "other", scopes: ["admin"], tenant: "other" },
    };
    const demo = await openDemo({ authenticate: async (headers) => tenants[headers.get("x-who") ?? ""] });
    const asked = async (who: string, path: string) => demo.ask(path, { headers: { "x-who": who } });
    const run = await demo.post("/v1/runs", says("hi", { threadId: "t1" }), { "x-who": "own" });
    await run.text();
    expect(await (await asked("own", "/v1/mailbox")).json()).toMatchObject({ total: 1 });
    expect(await (await asked("other", "/v1/mailbox")).json()).toMatchObject({ total: 0, items: [] });
    expect(await (await asked("own", "/v1/spend")).json()).toMatchObject({ total: { runs: 1 } });
    expect(await (await asked("other", "/v1/spend")).json()).toMatchObject({ tenant: "other", total: { runs: 0 } });
    expect((await asked("other", "/v1/workers")).status).toBe(403);
  });
});

it("lists the processes that work on the store, and the agents that each serves", async () => {
  const demo = await openDemo();
  await (await demo.post("/v1/runs", says("hi", { threadId: "t1" }))).text();
  const { items } = await get(demo, "/v1/workers");
  expect(items).toEqual([
    { owner: expect.any(String), until: expect.any(Number), is_expired: false, agents: ["assistant", "echo"] },
  ]);
});

describe("spend", () => {
  const model = (id: string) =>
    scriptedModel(() => [{ text: "Hello." }, { usage: { promptTokens: 1_000, completionTokens: 100 } }], id);

  async function openPriced() {
    const demo = await openFrozenDemo({
      agents: [defineAgent({ id: "dear", model: "dear" }), defineAgent({ id: "free", model: "free" })],
      models: [
        { id: "dear", model: "dear-1", provider: "p", pricing: { inputPerMillion: 10, outputPerMillion: 50 } },
        { id: "free", model: "free-1", provider: "p", pricing: { inputPerMillion: 0, outputPerMillion: 0 } },
      ],
      providers: [{ id: "p", model }],
    });
    const run = async (agentId: string, threadId: string, runId: string, policy = {}): Promise<void> => {
      await (await demo.post("/v1/runs", says("hi", { agentId, threadId, runId, policy }))).text();
    };
    await run("dear", "t1", "r1", { budget: { limit_microcents: 10_000_000 } });
    await run("dear", "t2", "r2");
    await run("free", "t2", "r3");
    return demo;
  }

  it("is added up by agent, by thread and over time, and stands beside the budgets", async () => {
    const demo = await openPriced();
    // A thousand tokens at $10 and a hundred at $50 a million: a cent and a half, in millionths of a cent.
    const each = 1_500_000;
    const spent = await get(demo, "/v1/spend?buckets=4");
    expect(spent).toMatchObject({
      total: { cost_microcents: 2 * each, input_tokens: 3_000, output_tokens: 300, runs: 3, priced: true },
      is_partial: false,
      by_agent: [
        { agent_id: "dear", cost_microcents: 2 * each, runs: 2 },
        { agent_id: "free", cost_microcents: 0, runs: 1 },
      ],
      by_thread: [
        { thread_id: "t2", cost_microcents: each, runs: 2 },
        { thread_id: "t1", cost_microcents: each, runs: 1 },
      ],
      budgets: [
        {
          run_id: "r1",
          agent_id: "dear",
          status: "done",
          budget: { limit_microcents: 10_000_000, spent: { microcents: each } },
        },
      ],
    });
    const parts = spent.over_time as readonly { readonly at: number; readonly runs: number }[];
    expect(parts.map(({ runs }) => runs)).toEqual([0, 0, 0, 3]);
    expect(Number(parts[1]?.at) - Number(parts[0]?.at)).toBe(86_400_000 / 4);
  });

  it("counts only the runs that began in the time that is asked about", async () => {
    const demo = await openPriced();
    expect(await get(demo, "/v1/spend?from=0&to=1000")).toMatchObject({ total: { runs: 0 }, budgets: [] });
    for (const query of ["from=5&to=5", "buckets=0", "buckets=201", "from=yesterday"])
      expect((await demo.ask(`/v1/spend?${query}`)).status).toBe(400);
  });
});

describe("what plugins bring to an agent", () => {
  it("is told with how it is doing, also when a plugin fails to say", async () => {
    const healthy = definePlugin({
      id: "servers",
      parts: ({ agentId }) => [
        { kind: "server", name: agentId, state: "needs_authorization", message: "Log in.", details: { tools: 3 } },
      ],
    });
    const broken = definePlugin({
      id: "broken",
      parts: () => {
        throw new Error("no disk");
      },
    });
    const quiet = definePlugin({ id: "quiet" });
    const agent = defineAgent({ id: "a", model: scriptedModel(["Hi."]), plugins: [healthy, broken, quiet] });
    const demo = await openFrozenDemo({ agents: [agent] });
    expect(await get(demo, "/v1/agents/a/parts")).toEqual({
      items: [
        {
          plugin: "servers",
          kind: "server",
          name: "a",
          state: "needs_authorization",
          message: "Log in.",
          details: { tools: 3 },
        },
        {
          plugin: "broken",
          kind: "plugin",
          name: "broken",
          state: "failed",
          message: "The plugin could not say how it is doing: no disk",
        },
      ],
    });
    const missing = await demo.ask("/v1/agents/none/parts");
    expect([missing.status, missing.headers.get("x-reprise-error")]).toEqual([404, "AGENT_NOT_FOUND"]);
  });
});
