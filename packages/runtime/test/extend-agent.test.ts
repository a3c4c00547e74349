import { type Plugin, RepriseError } from "@reprise/contracts";
import { scriptedModel } from "@reprise/models";
import { defineAgent, definePlugin, defineTool } from "@reprise/runtime";
import { createRuntime, memory } from "reprise";
import { expect, it, onTestFinished } from "vitest";

const pluginWith = (id: string, tool: string): Plugin =>
  definePlugin({ id, tools: [defineTool({ id: tool, description: tool, execute: () => tool })] });

async function open(plugins: readonly Plugin[] = []) {
  const model = scriptedModel(({ tools }) => tools.map(({ id }) => id).join());
  const agent = defineAgent({ id: "helper", model, plugins: [...plugins] });
  const runtime = await createRuntime({ agents: [agent], store: memory() });
  onTestFinished(() => runtime.close());
  const ask = async (id: string): Promise<string> => {
    const outcome = await (
      await runtime.submit({ agent_id: id, messages: [{ role: "user", content: "?" }] })
    ).outcome();
    return outcome.status === "done" ? outcome.text : outcome.status;
  };
  return { runtime, ask };
}

it("has a variant with one more plugin, in no list, until it is forgotten", async () => {
  const { runtime, ask } = await open([pluginWith("one", "a")]);
  const variant = runtime.extendAgent("helper", { id: "more", plugin: () => pluginWith("two", "b") });
  await variant.prepare();
  expect([await ask("helper"), await ask("more")]).toEqual(["a", "a,b"]);
  expect(runtime.agents().map(({ id }) => id)).toEqual(["helper"]);
  variant.forget();
  await expect(ask("more")).rejects.toThrow("There is no agent");
});

it("replaces the installed plugin of the same id, which the new one may be made of", async () => {
  const { runtime, ask } = await open([pluginWith("one", "a"), pluginWith("two", "b")]);
  const found: (string | undefined)[] = [];
  runtime.extendAgent("helper", {
    id: "other",
    plugin: (installed) => {
      found.push(installed("one")?.id, installed("none")?.id);
      return pluginWith("one", "c");
    },
  });
  expect(found).toEqual(["one", undefined]);
  expect((await ask("other")).split(",").sort()).toEqual(["b", "c"]);
});

it("is known by the newest definition, and only the newest forgets it", async () => {
  const { runtime, ask } = await open();
  const first = runtime.extendAgent("helper", { id: "v", plugin: () => pluginWith("p", "a") });
  runtime.extendAgent("helper", { id: "v", plugin: () => pluginWith("p", "b") });
  first.forget();
  expect(await ask("v")).toBe("b");
});

it("refuses ids that are taken, agents that are not there, and plugins that do not fit", async () => {
  const { runtime } = await open([pluginWith("one", "a")]);
  const code = (make: () => unknown): string | undefined => {
    try {
      make();
    } catch (error) {
      return RepriseError.is(error) ? error.code : String(error);
    }
    return undefined;
  };
  const plugin = (): Plugin => pluginWith("two", "b");
  expect(code(() => runtime.extendAgent("helper", { id: "helper", plugin }))).toBe("REGISTRY_CONFLICT");
  expect(code(() => runtime.extendAgent("nobody" as "helper", { id: "v", plugin }))).toBe("AGENT_NOT_FOUND");
  expect(code(() => runtime.extendAgent("helper", { id: "v", plugin: () => pluginWith("two", "a") }))).toBeDefined();
});
