import { type Message, ModelError, RepriseError } from "@reprise/contracts";
import { describe, expect, it } from "vitest";
import { soon, until } from "../support/wait.ts";
import { openStudio, PICTURE } from "./support/open-studio.ts";

const urlOf = (message: Message | undefined): string => {
  const part = typeof message?.content === "string" ? undefined : message?.content.find(({ type }) => type === "image");
  return part !== undefined && "url" in part ? part.url : "";
};

describe("a run of a generative model", () => {
  it("makes one call, and names what was made as media in its message", async () => {
    const { paint, asked, runtime, tenantBlobs } = await open();
    const { outcome, message } = await paint("A fox.");
    expect(outcome).toMatchObject({ status: "done", text: "" });
    expect(asked).toMatchObject([{ prompt: "Watercolour.\n\nA fox.", modality: "image", options: { size: "small" } }]);
    expect(urlOf(message)).toMatch(/^media:\/\/blob:[0-9a-f]{64}$/);
    expect(await runtime.blobs.read(urlOf(message))).toEqual({ content: PICTURE, media_type: "image/png" });
    expect(await tenantBlobs(urlOf(message).replace("media://", ""))).toEqual(PICTURE);
  });

  async function open() {
    const studio = await openStudio({ agent: { instructions: "Watercolour.", chatOptions: { size: "small" } } });
    const tenantBlobs = async (ref: string) => (await studio.blobs.get("default", ref)).content;
    return { ...studio, tenantBlobs };
  }

  it("keeps what it made from being collected: the commit refers to it", async () => {
    const { paint, store } = await openStudio();
    const { message } = await paint("A fox.");
    const changesets = await store.forTenant("default").readChangesets("t1", 0);
    const refs = changesets.flatMap(({ blob_refs }) => blob_refs);
    expect(refs).toContain(urlOf(message).replace("media://", ""));
  });

  it("records what it cost once: units times the price of one", async () => {
    const { paint, runtime } = await openStudio({
      spec: { pricing: { media_per_unit: 0.04 } },
      generate: async () => ({ content: PICTURE, media_type: "image/png", units: 2 }),
    });
    const { events, run } = await paint("A fox.");
    const costs = events.filter(({ type }) => type === "cost_recorded").map(({ data }) => data);
    const cost = { cost_microcents: 8_000_000, run_cost_microcents: 8_000_000, priced: true };
    expect(costs).toEqual([{ provider: "studio", model: "brush", attempt: 1, outcome: "succeeded", ...cost }]);
    const routed = events.filter(({ type }) => type === "model_routed").map(({ data }) => data);
    expect(routed).toMatchObject([{ candidates: ["brush"], selected: "brush", reason: "single candidate" }]);
    expect((await runtime.runs()).items[0]).toMatchObject({ run_id: run.id, cost_microcents: 8_000_000 });
  });

  it("costs nothing, and is marked as unpriced, when the price is unknown", async () => {
    const { events } = await (await openStudio()).paint("A fox.");
    const costs = events.filter(({ type }) => type === "cost_recorded").map(({ data }) => data);
    expect(costs).toMatchObject([{ cost_microcents: 0, run_cost_microcents: 0, priced: false }]);
  });

  it("makes another one for the next prompt, of that prompt alone", async () => {
    const { paint, asked } = await openStudio();
    await paint("A fox.");
    await paint("A hen.");
    expect(asked.map(({ prompt }) => prompt)).toEqual(["A fox.", "A hen."]);
  });

  it("leaves a picture a model that speaks can look at", async () => {
    const { paint, runtime, speaking } = await openStudio();
    const { message } = await paint("A fox.");
    await soon(runtime.runToCompletion({ agent: "critic", threadId: "t1", input: "Well?" }));
    const [request] = speaking.requests;
    expect(request?.messages[1]?.content).toEqual(message?.content);
    expect(await request?.load?.(urlOf(message))).toEqual({ content: PICTURE, media_type: "image/png" });
  });
});

describe("what is no prompt is refused before anything is sent", () => {
  it.each(["", "  \n"])("an empty one: %j", async (content) => {
    const { runtime, asked } = await openStudio();
    const run = await runtime.submit({ agent_id: "painter", thread_id: "t1", messages: [{ role: "user", content }] });
    expect(await soon(run.outcome())).toMatchObject({ status: "failed", code: "INVALID_REQUEST" });
    expect(asked).toEqual([]);
  });

  it("one with a file in it", async () => {
    const { runtime, asked } = await openStudio();
    const content = [
      { type: "text", text: "Like this." } as const,
      { type: "image", url: "https://example.com/a.png" } as const,
    ];
    const run = await runtime.submit({ agent_id: "painter", thread_id: "t1", messages: [{ role: "user", content }] });
    expect(await soon(run.outcome())).toMatchObject({ status: "failed", code: "INVALID_REQUEST" });
    expect(asked).toEqual([]);
  });
});

describe("an agent cannot have", () => {
  it.each([
    [
      "two things to make",
      { spec: { modalities: { output: ["image", "audio"] as const } } },
      /would make image and audio/,
    ],
    ["nothing to make", { spec: { modalities: {} } }, /its output is not declared/],
    ["a model that stands in", { agent: { fallbackModels: ["brush"] } }, /nothing stands in/],
    ["retries", { agent: { retryPolicy: { maxAttemptsPerModel: 3 } } }, /asked once/],
    ["a shape for what is made", { agent: { outputSchema: { type: "object" } } }, /no `output_schema`/],
    ["a provider that makes no media", { hasMedia: false }, /makes no media/],
  ])("%s", async (_, options, message) => {
    await expect(openStudio(options)).rejects.toThrow(message);
  });
});

describe("a call that fails", () => {
  it.each([
    ["server_error", "MODEL_SERVER_ERROR"],
    ["content_filter", "MODEL_CONTENT_FILTERED"],
  ] as const)("is not made again: %s", async (kind, code) => {
    const { paint, asked } = await openStudio({
      generate: () => Promise.reject(new ModelError(kind, "The studio is closed.")),
    });
    const { outcome, events, message } = await paint("A fox.");
    expect(outcome).toMatchObject({ status: "failed", code });
    expect(asked).toHaveLength(1);
    const costs = events.flatMap((event) => (event.type === "cost_recorded" ? [event.data] : []));
    expect(costs).toMatchObject([{ outcome: "failed", error: kind, cost_microcents: 0, priced: true }]);
    expect(message?.role).toBe("user");
  });

  it("issue 14.3: is made later when the provider is asked too often: nothing was made yet", async () => {
    let isBusy = true;
    const { env, runtime, asked } = await openStudio({
      generate: async () => {
        if (isBusy) throw new ModelError("rate_limit", "Later.", { retryAfterMs: 60_000 });
        return { content: PICTURE, media_type: "image/png", units: 1 };
      },
    });
    const run = await runtime.start({ agent: "painter", threadId: "t1", input: "A fox." });
    await until(async () => (await run.record()).status === "waiting");
    const outcome = run.outcome();
    isBusy = false;
    await env.advance(61_000);
    expect(await soon(outcome)).toMatchObject({ status: "done" });
    expect(asked).toHaveLength(2);
  });

  it("is given up when the run is cancelled, also when the model does not heed its signal", async () => {
    const { runtime, asked } = await openStudio({ generate: () => new Promise(() => undefined) });
    const run = await runtime.start({ agent: "painter", threadId: "t1", input: "A fox." });
    await until(() => asked.length === 1);
    await run.cancel();
    expect(await soon(run.outcome())).toMatchObject({ status: "cancelled" });
    expect(asked[0]?.signal.aborted).toBe(true);
  });

  it("is the store's failure when what was made cannot be kept", async () => {
    const { paint, asked, blobs } = await openStudio();
    const put = blobs.put.bind(blobs);
    blobs.put = (tenant, content, options) => {
      const isText = options?.media_type === "text/plain";
      return isText ? put(tenant, content, options) : Promise.reject(new RepriseError("INVALID_ID", "No such tenant."));
    };
    expect((await paint("A fox.")).outcome).toMatchObject({ status: "failed", code: "INVALID_ID" });
    expect(asked).toHaveLength(1);
  });

  it("is given up when nothing comes for too long", async () => {
    const { env, runtime, asked } = await openStudio({ generate: () => new Promise(() => undefined) });
    const run = await runtime.start({ agent: "painter", threadId: "t1", input: "A fox." });
    await until(() => asked.length === 1);
    await env.advance(120_000);
    expect(await soon(run.outcome())).toMatchObject({ status: "failed", code: "MODEL_TIMEOUT" });
    expect(asked).toHaveLength(1);
  });
});
