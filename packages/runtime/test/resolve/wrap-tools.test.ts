import { type Tool, textOf } from "@reprise/contracts";
import { scriptedModel } from "@reprise/models";
import { createRuntime, defineAgent, definePlugin, defineTool } from "@reprise/runtime";
import { expect, it, onTestFinished } from "vitest";
import { createWorld } from "../support/open-runtime.ts";
import { soon } from "../support/wait.ts";

const own = defineTool({ id: "own", description: "Own.", execute: () => "own" });
const listed = [defineTool({ id: "listed", description: "Listed.", execute: () => "listed" })];
const source = definePlugin({ id: "source", toolSource: { list: () => listed } });

/** Says who wrapped it, in its description and in its result. */
function signing(id: string) {
  return definePlugin({
    id,
    wrapTool: (tool): Tool => ({
      ...tool,
      descriptor: { ...tool.descriptor, description: `${tool.descriptor.description} ${id}` },
      execute: async (input, context) => `${await tool.execute(input, context)} by ${id}`,
    }),
  });
}

it("gives plugins every tool of the agent, in their order, and the run verifies by replay", async () => {
  const model = scriptedModel([[{ call: "own" }, { call: "listed" }], "ok"]);
  const plugins = [signing("first"), source, signing("second")];
  const runtime = await createRuntime({
    ...createWorld(),
    agents: [defineAgent({ id: "agent", model, tools: [own], plugins })],
  });
  onTestFinished(() => runtime.close());
  const run = await runtime.start({ agent: "agent", input: "go" });
  expect(await soon(run.outcome())).toMatchObject({ status: "done" });
  expect(model.requests[0]?.tools.map(({ description }) => description)).toEqual([
    "Own. first second",
    "Listed. first second",
  ]);
  const results = model.requests[1]?.messages.filter(({ role }) => role === "tool").map(textOf);
  expect(results).toEqual(["own by first by second", "listed by first by second"]);
  expect(await soon(runtime.replay(run.id))).toMatchObject({ equal: true });
});

it("refuses an agent with a plugin that gives a tool another id", async () => {
  const renaming = definePlugin({
    id: "renaming",
    wrapTool: (tool) => ({ ...tool, descriptor: { ...tool.descriptor, id: "other" } }),
  });
  const agent = defineAgent({ id: "agent", model: scriptedModel(["ok"]), tools: [own], plugins: [renaming] });
  await expect(createRuntime({ ...createWorld(), agents: [agent] })).rejects.toThrow(
    /the plugin renaming gives the tool "own" another id/,
  );
});
