import type { Principal } from "@reprise/server";
import type { Json } from "@reprise/state";
import { createFakeEnv } from "@reprise/testkit";
import { type EvalCase, type Experiment, keepExperiment, readCase, runExperiment } from "reprise/evals";
import { describe, expect, it } from "vitest";
import { demoAgents } from "./support/demo-agents.ts";
import { type OpenDemo, openDemo, openFrozenDemo, says } from "./support/open-demo.ts";

const get = async ({ ask }: OpenDemo, path: string): Promise<Record<string, Json>> => (await ask(path)).json();

/** A run that told an address, as a case of the API. */
async function saveCase(demo: OpenDemo, wanted: object = {}, runId = "r"): Promise<EvalCase> {
  await (
    await demo.post("/v1/runs", says("I am ada@example.com, of Lovelace Ltd", { threadId: `t-${runId}`, runId }))
  ).text();
  const response = await demo.post(`/v1/runs/${runId}/case`, wanted);
  expect(response.status).toBe(200);
  return readCase(await response.json());
}

/** Plays cases, and keeps what came of it under an id. */
async function keep(
  demo: OpenDemo,
  id: string,
  cases: readonly EvalCase[],
  more: Partial<Experiment> = {},
): Promise<Experiment> {
  const definitions = { agents: demoAgents() };
  const played = await runExperiment(cases, { mode: "rescript", definitions, env: createFakeEnv() });
  const experiment = { ...played, ...more, id };
  await keepExperiment(demo.runtime.documents, experiment);
  return experiment;
}

/** The same case with an expectation that it does not meet. */
const spoilt = (evalCase: EvalCase): EvalCase => ({ ...evalCase, expect: { output: { contains: ["Never said."] } } });

describe("a run as a case", () => {
  it("is redacted, says what was taken out, and can be played", async () => {
    const demo = await openFrozenDemo();
    const wanted = { id: "hello", description: "Says hello.", tags: ["smoke"], redact: { texts: ["Lovelace Ltd"] } };
    const evalCase = await saveCase(demo, wanted);
    expect(evalCase).toMatchObject({
      id: "hello",
      description: "Says hello.",
      tags: ["smoke"],
      agent_id: "assistant",
      source: { run_id: "r", steps: 1 },
      redaction: { replaced: { email: 1, field: 1 } },
      expect: { tools: { match: "exact", calls: [] }, ended: "natural" },
    });
    const text = JSON.stringify(evalCase);
    expect([text.includes("ada@"), text.includes("Lovelace")]).toEqual([false, false]);
    const played = await runExperiment([evalCase], { mode: "verify", definitions: {}, env: createFakeEnv() });
    expect(played.verdict).toBe("passed");
  });

  it("has an id of its own without one, always the same, that says nothing of the run's id", async () => {
    const demo = await openFrozenDemo();
    const first = await saveCase(demo, {}, "ada-is-here");
    const again = await demo.post("/v1/runs/ada-is-here/case");
    expect(first.id).toMatch(/^assistant-[0-9a-f]{8}$/);
    expect(await again.json()).toEqual(first);
  });

  it("ends where it was cut", async () => {
    const demo = await openDemo();
    await (await demo.post("/v1/runs", says("pay 5", { threadId: "t", runId: "r" }))).text();
    await (await demo.post("/v1/decisions/r-s1-c0", { action: "approve" })).text();
    await (await demo.runtime.run("r")).outcome();
    const response = await demo.post("/v1/runs/r/case", { up_to_step: 1 });
    expect(await response.json()).toMatchObject({ source: { steps: 1, cut_before_step: 2 } });
  });

  it.each([
    [{ id: "no such name" }, 422],
    [{ id: 7 }, 400],
    [{ redact: { text: ["Ada"] } }, 400],
    [{ redactions: { texts: ["Ada"] } }, 400],
    [{ redact: { texts: Array.from({ length: 101 }, (_, index) => `text ${index}`) } }, 400],
    [{ upToStep: 0 }, 400],
  ])("is refused when it is not asked for as it must be (%#)", async (wanted, status) => {
    const demo = await openDemo();
    await (await demo.post("/v1/runs", says("hello", { threadId: "t", runId: "r" }))).text();
    const response = await demo.post("/v1/runs/r/case", wanted);
    expect([response.status, Object.keys(await response.json())]).toEqual([status, ["error"]]);
  });

  it("is not made of a run that waits", async () => {
    const demo = await openFrozenDemo();
    await (await demo.post("/v1/runs", says("pay 5", { threadId: "t", runId: "r" }))).text();
    const response = await demo.post("/v1/runs/r/case");
    expect([response.status, response.headers.get("x-reprise-error")]).toEqual([409, "RUN_NOT_DONE"]);
  });
});

describe("experiments", () => {
  it("are listed page by page, the newest first", async () => {
    const demo = await openFrozenDemo();
    const evalCase = await saveCase(demo);
    for (const [index, started_at] of [1_000, 3_000, 2_000].entries())
      await keep(demo, `e${index}`, [evalCase], { started_at });
    const first = await get(demo, "/v1/experiments?limit=2");
    expect(first).toMatchObject({
      items: [
        { id: "e1", case_count: 1, verdict: "passed", totals: { passed: 1 } },
        { id: "e2", started_at: 2_000 },
      ],
      has_more: true,
      next: expect.any(String),
    });
    const rest = await get(demo, `/v1/experiments?limit=2&after=${encodeURIComponent(String(first.next))}`);
    expect(rest).toMatchObject({ items: [{ id: "e0" }], has_more: false });
    expect(rest).not.toHaveProperty("next");
    expect(await get(demo, "/v1/experiments?after=%00")).toHaveProperty("error");
  });

  it("are shown with their cases, the checks that failed in words, and the recorded runs", async () => {
    const demo = await openFrozenDemo();
    const evalCase = await saveCase(demo);
    const cases = Array.from({ length: 40 }, (_, index) => ({ ...evalCase, id: `case-${index}` }));
    const experiment = await keep(demo, "e", [spoilt(evalCase), ...cases], { name: "Nightly" });
    const { cases: results, ...head } = experiment;
    expect(await get(demo, "/v1/experiments/e")).toEqual({ ...head, case_count: 41, cost_microcents: 0 });

    const page = await get(demo, "/v1/experiments/e/cases?offset=1&limit=30");
    expect(page).toEqual({ items: results.slice(1, 31), total: 41, has_more: true });
    const last = await get(demo, "/v1/experiments/e/cases?offset=31&limit=30");
    expect(last).toEqual({ items: results.slice(31), total: 41, has_more: false });
    expect(await get(demo, "/v1/experiments/e/cases?limit=1")).toMatchObject({
      items: [
        {
          run_id: "r",
          verdict: "failed",
          trials: [
            {
              checks: expect.arrayContaining([expect.objectContaining({ message: "The output does not contain it." })]),
            },
          ],
        },
      ],
    });
  });

  it("are compared case by case, what became worse first", async () => {
    const demo = await openFrozenDemo();
    const evalCase = await saveCase(demo);
    const named = (id: string): EvalCase => ({ ...evalCase, id });
    await keep(demo, "before", [named("same"), named("worse"), spoilt(named("better")), named("removed")]);
    await keep(demo, "after", [named("same"), spoilt(named("worse")), named("better"), named("added")]);
    const compared = await get(demo, "/v1/experiments/before/compare?with=after");
    expect(compared).toMatchObject({
      items: [
        {
          id: "worse",
          change: "worse",
          before: { verdict: "passed", problems: [] },
          after: { verdict: "failed", problems: [{ name: 'output contains "Never said."', verdict: "failed" }] },
        },
        { id: "removed", change: "removed", before: { verdict: "passed" } },
        { id: "better", change: "better" },
        { id: "added", change: "added", after: { verdict: "passed" } },
        { id: "same", change: "same" },
      ],
      total: 5,
      has_more: false,
      before: { id: "before" },
      after: { id: "after" },
      totals: { worse: 1, removed: 1, better: 1, added: 1, same: 1 },
    });
    expect(await get(demo, "/v1/experiments/before/compare?with=after&offset=3&limit=1")).toMatchObject({
      items: [{ id: "added" }],
      has_more: true,
    });
    expect((await demo.ask("/v1/experiments/before/compare")).status).toBe(400);
    expect((await demo.ask("/v1/experiments/before/compare?with=none")).status).toBe(404);
  });

  it("are deleted whole", async () => {
    const demo = await openFrozenDemo();
    await keep(demo, "e", [await saveCase(demo)]);
    expect((await demo.ask("/v1/experiments/e", { method: "DELETE" })).status).toBe(204);
    expect(await get(demo, "/v1/experiments")).toEqual({ items: [], has_more: false });
    for (const path of ["/v1/experiments/e", "/v1/experiments/e/cases", "/v1/experiments/e/compare?with=e"]) {
      const response = await demo.ask(path);
      expect([response.status, response.headers.get("x-reprise-error")]).toEqual([404, "EVAL_NOT_FOUND"]);
    }
    expect((await demo.ask("/v1/experiments/e", { method: "DELETE" })).status).toBe(404);
  });
});

describe("another tenant", () => {
  const as = (tenant: string): Principal => ({ id: tenant, tenant, scopes: ["admin"] });

  it("reaches neither the runs nor the experiments of this one, also not by comparing", async () => {
    let caller = as("owner");
    const demo = await openDemo({ authenticate: async () => caller });
    const evalCase = await saveCase(demo);
    const played = await runExperiment([evalCase], { mode: "verify", definitions: {}, env: createFakeEnv() });
    await keepExperiment(demo.runtime.forTenant("owner").documents, { ...played, id: "theirs" });
    await keepExperiment(demo.runtime.forTenant("other").documents, { ...played, id: "mine" });

    caller = as("other");
    expect(await get(demo, "/v1/experiments")).toMatchObject({ items: [{ id: "mine" }], has_more: false });
    for (const [method, path] of [
      ["POST", "/v1/runs/r/case"],
      ["GET", "/v1/experiments/theirs"],
      ["GET", "/v1/experiments/theirs/cases"],
      ["GET", "/v1/experiments/theirs/compare?with=mine"],
      ["GET", "/v1/experiments/mine/compare?with=theirs"],
      ["DELETE", "/v1/experiments/theirs"],
    ] as const)
      expect([path, (await demo.ask(path, { method })).status]).toEqual([path, 404]);

    caller = as("owner");
    expect(await get(demo, "/v1/experiments")).toMatchObject({ items: [{ id: "theirs" }] });
    expect((await demo.ask("/v1/experiments/theirs/cases")).status).toBe(200);
  });
});

it("a server without evaluations has none of their routes", async () => {
  const demo = await openDemo();
  const { createServer } = await import("@reprise/server");
  const bare = createServer({ runtime: demo.runtime });
  const response = await bare.fetch(new Request("http://localhost/v1/experiments"));
  expect([response.status, await response.json()]).toEqual([404, { error: "not found: evaluations are not enabled" }]);
  bare.close();
});
