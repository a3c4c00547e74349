import type { BudgetPolicy } from "@reprise/contracts";
import { scriptedModel } from "@reprise/models";
import { defineAgent } from "@reprise/runtime";
import { describe, expect, it } from "vitest";
import type { Scope } from "../src/security/principal.ts";
import { RUNS, readChunks, uiAnswers, uiSays } from "./support/ai-sdk-client.ts";
import { openDemo, says } from "./support/open-demo.ts";

/** Everybody is who the header says, with the scopes it says: `alice:run,read`. */
const bySaying = async (headers: Headers) => {
  const [id = "", scopes = ""] = (headers.get("authorization") ?? "").split(":");
  return { id, scopes: scopes.split(",") as Scope[] };
};
const as = (who: string, key?: string) => ({
  authorization: who,
  ...(key !== undefined && { "idempotency-key": key }),
});
const open = (options: Parameters<typeof openDemo>[0] = {}) => openDemo({ authenticate: bySaying, ...options });

describe("issue 14.42: a run that another client began", () => {
  it.each([
    ["run id", { runId: "r", threadId: "t" }],
    ["dedupe key", { dedupeKey: "k", threadId: "t" }],
  ])("is not read by posting its %s with another request", async (_, ids) => {
    const { post } = await open();
    await (await post("/v1/runs", says("the secret is 42", ids), as("alice:run"))).text();
    for (const scopes of ["run", "run,read", "admin"]) {
      const other = await post("/v1/runs", says("hello", ids), as(`mallory:${scopes}`));
      expect([other.status, other.headers.get("x-reprise-error")]).toEqual([409, "RUN_EXISTS"]);
      expect(await other.text()).not.toContain("42");
    }
  });

  it.each([
    ["run id", { runId: "r", threadId: "t" }],
    ["dedupe key", { dedupeKey: "k", threadId: "t" }],
  ])("needs the scope read to be streamed again by its %s", async (_, ids) => {
    const { post, runtime } = await open();
    await (await post("/v1/runs", says("hello", ids), as("alice:run"))).text();
    for (const key of [undefined, "i", "i"]) {
      const guessed = await post("/v1/runs", says("hello", ids), as("mallory:run", key));
      expect([guessed.status, await guessed.json()]).toEqual([403, { error: "forbidden: this needs the scope read" }]);
    }
    const repeated = await post("/v1/runs", says("hello", ids), as("alice:run,read"));
    expect([repeated.status, (await repeated.text()).includes("You said: hello")]).toEqual([200, true]);
    expect((await runtime.runs()).total).toBe(1);
  });

  it("is streamed again to its own principal by the idempotency key, without read", async () => {
    const { post } = await open();
    const first = await (await post("/v1/runs", says("hello"), as("alice:run", "k"))).text();
    expect(await (await post("/v1/runs", says("hello"), as("alice:run", "k"))).text()).toBe(first);
  });

  it("is not read by deciding alone", async () => {
    const demo = await open();
    const asked = await demo.post(RUNS, uiSays("pay 5"), as("alice:run"));
    const { chunks } = readChunks(await asked.text());
    const [waiting] = await demo.runtime.decisions.list();
    const decisions = [{ target_id: waiting?.id, action: "resume" }];
    const body = { agentId: "assistant", threadId: "t", decisions };
    expect((await demo.post("/v1/runs", body, as("mallory:run,decide"))).status).toBe(403);
    expect((await demo.post(RUNS, uiAnswers(chunks, true), as("mallory:run,decide"))).status).toBe(403);
    const stale = { type: "tool-approval-response", approvalId: "nobody", approved: true };
    const guess = { id: "t", messages: [{ role: "assistant", parts: [stale] }] };
    expect((await demo.post(RUNS, guess, as("mallory:run,decide"))).status).toBe(403);
    expect(await demo.runtime.decisions.list()).toHaveLength(1);
  });
});

describe("issue 14.42: an agent's budget", () => {
  const BUDGET: BudgetPolicy = { limit_tokens: 1_000, limit_microcents: 50 };
  const model = scriptedModel(() => "hi");
  const agents = () => [
    defineAgent({ id: "assistant", model, budget: BUDGET }),
    defineAgent({ id: "rich", model, budget: { limitTokens: 1_000_000 } }),
    defineAgent({ id: "free", model }),
  ];
  const budgetOf = async (demo: Awaited<ReturnType<typeof open>>, body: object, who: string) => {
    const response = await demo.post("/v1/runs", says("x", body), as(who));
    const id = response.headers.get("x-reprise-run-id") ?? "";
    await response.text();
    return { id, budget: await demo.runtime.budgets.get(id).catch(() => undefined) };
  };

  it.each([
    ["a larger limit", { limit_tokens: 9_000 }, { limit_tokens: 1_000, limit_microcents: 50 }],
    ["a smaller limit", { limit_tokens: 10 }, { limit_tokens: 10, limit_microcents: 50 }],
    [
      "no enforcement",
      { limit_tokens: 9_000, on_exceeded: "warn", unpriced: "warn" },
      { on_exceeded: "fail", unpriced: "refuse" },
    ],
  ])("is not raised by policy.budget with %s", async (_, budget, expected) => {
    const demo = await open({ agents: agents() });
    expect((await budgetOf(demo, { policy: { budget } }, "mallory:run")).budget).toMatchObject(expected);
  });

  it("is not raised by a richer run above, and a poorer one is shared", async () => {
    const demo = await open({ agents: agents() });
    const rich = await budgetOf(demo, { agentId: "rich" }, "mallory:run");
    const below = await budgetOf(demo, { parentRunId: rich.id }, "mallory:run");
    expect(below.budget).toMatchObject({ limit_tokens: 1_000, limit_microcents: 50 });
    expect((await (await demo.runtime.run(below.id)).record()).budget_id).toBe(below.id);
    const poor = await budgetOf(demo, { policy: { budget: { limit_tokens: 10 } } }, "mallory:run");
    const shared = await budgetOf(demo, { parentRunId: poor.id }, "mallory:run");
    expect((await (await demo.runtime.run(shared.id)).record()).budget_id).toBe(poor.id);
  });

  it("is raised by an admin", async () => {
    const demo = await open({ agents: agents() });
    const policy = { budget: { limit_tokens: 9_000, unpriced: "warn" } };
    expect((await budgetOf(demo, { policy }, "root:admin")).budget).toMatchObject({
      limit_tokens: 9_000,
      limit_microcents: null,
    });
  });

  it("that is not there leaves what was asked for", async () => {
    const demo = await open({ agents: agents() });
    const { budget } = await budgetOf(
      demo,
      { agentId: "free", policy: { budget: { limit_tokens: 7 } } },
      "mallory:run",
    );
    expect(budget).toMatchObject({ limit_tokens: 7, limit_microcents: null });
  });
});
