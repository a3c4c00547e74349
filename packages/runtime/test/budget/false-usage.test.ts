import { type GeneratedMedia, usd } from "@reprise/contracts";
import { createRuntime, defineAgent } from "@reprise/runtime";
import { createMemoryBlobStore, createMemoryStore } from "@reprise/stores/memory";
import { createFakeEnv } from "@reprise/testkit";
import { describe, expect, it, onTestFinished } from "vitest";
import { collect, soon } from "../support/wait.ts";
import { openBudgeted, start } from "./open-budgeted.ts";

describe("issue 14.39: usage that cannot be true gives nothing back to a budget", () => {
  it.each([
    ["a negative prompt", { promptTokens: -1e9, completionTokens: 5 }],
    ["a negative completion", { promptTokens: 5, completionTokens: -1e9 }],
    ["a negative cache", { promptTokens: 5, completionTokens: 5, cacheReadTokens: -1e9 }],
    ["more than any window", { promptTokens: 1e300, completionTokens: 5 }],
    ["nothing at all", { promptTokens: 0, completionTokens: 0 }],
  ])("%s: what was reserved counts as spent", async (_, usage) => {
    const { runtime, budgetOf } = await openBudgeted([[{ text: "hi" }, { usage }]]);
    const run = await runtime.start({ ...start, budget: { limitMicrocents: usd(1) } });
    expect(await soon(run.outcome())).toMatchObject({ status: "done", text: "hi" });
    const { spent, reserved } = await budgetOf(run.id);
    expect(reserved).toEqual({});
    expect(spent.microcents).toBeGreaterThan(0);
    expect(spent.microcents).toBeLessThan(usd(1));
    const events = await collect(run);
    const told = events.find(({ type }) => type === "inference_complete");
    if (usage.promptTokens !== 0) expect(told?.data).toMatchObject({ usage: {} });
    const record = await run.record();
    expect(record.cost_microcents ?? 0).toBeGreaterThanOrEqual(0);
  });

  it.each([-1e9, Number.NaN, 1e15])("and neither do %d pictures", async (units) => {
    const env = createFakeEnv();
    const store = createMemoryStore({ clock: env.clock });
    const made: GeneratedMedia = { content: new Uint8Array([1]), media_type: "image/png", units };
    const runtime = await createRuntime({
      env,
      store,
      blobs: createMemoryBlobStore(env),
      models: [
        {
          id: "p/m",
          provider: "p",
          model: "m",
          surface: "generative",
          modalities: { input: ["text"], output: ["image"] },
          pricing: { media_per_unit: 0.5 },
        },
      ],
      providers: [{ id: "p", model: () => expect.fail(), media: () => ({ id: "p/m", generate: async () => made }) }],
      agents: [defineAgent({ id: "agent", model: "p/m" })],
    });
    onTestFinished(() => void runtime.close().catch(() => undefined));
    const run = await runtime.start({ ...start, budget: { limitMicrocents: usd(1) } });
    expect(await soon(run.outcome())).toMatchObject({ status: "done" });
    const document = await store.forTenant("default").loadDocument("budget", run.id);
    expect(document?.body).toMatchObject({ spent: { microcents: usd(0.5) }, reserved: {} });
    expect((await run.record()).cost_microcents).toBe(usd(0.5));
  });
});
