import { addSessionContext, type ModelRequest } from "@reprise/contracts";
import { type Script, scriptedModel } from "@reprise/models";
import { type AgentDefinition, definePlugin, defineTool } from "@reprise/runtime";
import { expect, it } from "vitest";
import { openRuntime } from "../support/open-runtime.ts";
import { soon } from "../support/wait.ts";

const tools = ["b", "c", "a"].map((id) => defineTool({ id, description: id, execute: () => id }));

async function play(script: Script, inputs: readonly string[], agent: Partial<AgentDefinition> = {}) {
  const model = scriptedModel(script);
  const { runtime } = await openRuntime({ model, tools, agent: { contextPolicy: {}, ...agent } });
  for (const input of inputs) await soon(runtime.runToCompletion({ agent: "agent", threadId: "t1", input }));
  return model.requests;
}

/** What the breakpoints of a request stand behind, in words. */
const marked = ({ cache_breakpoints, messages }: ModelRequest): readonly unknown[] | undefined =>
  cache_breakpoints?.map((point) =>
    point.after === "system" ? "system" : messages.find(({ id }) => id === point.message_id)?.content,
  );

it("marks the system text, where the last request ended, and where the next one continues", async () => {
  const requests = await play(["one", [{ call: "a" }, { call: "b" }], "three"], ["first", "second"]);
  expect(requests.map(marked)).toEqual([
    ["system", "first"],
    ["system", "first", "second"],
    // The results of the round, of which the last is the end.
    ["system", "second", "b"],
  ]);
});

it("does not mark what is gone with the next request", async () => {
  const plugin = definePlugin({ id: "p", hooks: { beforeInference: () => [addSessionContext("It rains.")] } });
  const [request] = await play(["one"], ["first"], { plugins: [plugin] });
  expect(request?.messages).toHaveLength(2);
  expect(request === undefined ? [] : marked(request)).toEqual(["system", "first"]);
});

it("sorts tools by id, so that they are the same every time", async () => {
  const [request] = await play(["one"], ["first"]);
  expect(request?.tools.map(({ id }) => id)).toEqual(["a", "b", "c"]);
});

it.each([
  ["the policy says so", { contextPolicy: { enablePromptCache: false } }],
  ["the request says so", { chatOptions: { promptCache: false } }],
])("marks and sorts nothing when %s", async (_, agent) => {
  const [request] = await play(["one"], ["first"], agent);
  expect(request).not.toHaveProperty("cache_breakpoints");
  expect(request?.tools.map(({ id }) => id)).toEqual(["b", "c", "a"]);
});
