import { type ModelRequest, type RequestTransform, transformRequest } from "@reprise/contracts";
import { describe, expect, it } from "vitest";
import { hookPlugin } from "./support/hook-plugin.ts";
import { playPlugins } from "./support/play-plugins.ts";

const write =
  (word: string): RequestTransform =>
  (request) => ({ ...request, system: `${request.system}${word}` });

it("applies declared ones first, in the order of the plugins, then those that were added", async () => {
  const plugin = (id: string) =>
    hookPlugin(
      id,
      "before_inference",
      () => [transformRequest(write(` +${id}1`)), transformRequest(write(` +${id}2`))],
      {
        transforms: [write(` ${id}1`), write(` ${id}2`)],
      },
    );
  const { model } = await playPlugins([plugin("a"), plugin("b")], { agent: { instructions: "Go:" } });
  expect(model.requests[0]?.system).toBe("Go: a1 a2 b1 b2 +a1 +a2 +b1 +b2");
});

it("keeps an added one for its inference only", async () => {
  const once = hookPlugin("p", "before_inference", ({ step }) => (step === 1 ? [transformRequest(write("once"))] : []));
  const { model } = await playPlugins([once]);
  expect(model.requests.map(({ system }) => system)).toEqual(["once", ""]);
});

it("sees everything the plugins added, and cannot take the run's signal away", async () => {
  const seen: ModelRequest[] = [];
  const foreign = AbortSignal.abort();
  const plugin = hookPlugin("p", "before_inference", () => [], {
    transforms: [
      (request) => {
        seen.push(request);
        return { ...request, signal: foreign };
      },
    ],
  });
  const { model, outcome } = await playPlugins([plugin], { script: ["ok"] });
  expect(seen[0]?.tools.map(({ id }) => id)).toEqual(["add"]);
  expect(model.requests[0]?.signal.aborted).toBe(false);
  expect(outcome).toMatchObject({ status: "done", text: "ok" });
});

describe("one that fails", () => {
  it.each([
    [
      "throws",
      () => {
        throw new Error("boom");
      },
    ],
    ["returns nothing", () => undefined],
  ])("fails the run, names its plugin and never reaches the model: %s", async (_, broken) => {
    for (const where of ["declared", "added"]) {
      const transform = broken as unknown as RequestTransform;
      const plugin = hookPlugin(
        "p",
        "before_inference",
        () => (where === "added" ? [transformRequest(transform)] : []),
        {
          transforms: where === "declared" ? [transform] : [],
        },
      );
      const { outcome, failure, model } = await playPlugins([plugin]);
      expect(outcome.status, where).toBe("failed");
      expect(failure).toMatchObject({ code: "PLUGIN_FAILED", message: expect.stringContaining("Plugin p") });
      expect(model.requests).toEqual([]);
    }
  });
});

it("cannot write to the thread through the request", async () => {
  const plugin = hookPlugin("p", "before_inference", () => [], {
    transforms: [
      (request) => {
        for (const message of request.messages) Reflect.set(message, "content", "scribbled");
        for (const tool of request.tools) Reflect.set(tool, "description", "scribbled");
        return request;
      },
    ],
  });
  const { messages, model } = await playPlugins([plugin]);
  expect(messages.map(({ content }) => content)).not.toContain("scribbled");
  expect(JSON.stringify(model.requests.map(({ tools }) => tools))).not.toContain("scribbled");
});
