import { scriptedModel } from "@reprise/models";
import { createRuntime, defineAgent, definePlugin, defineTool } from "@reprise/runtime";
import { expect, it, onTestFinished } from "vitest";
import { createWorld } from "../support/open-runtime.ts";

const look = defineTool({ id: "look", description: "Looks.", class: "read_only", execute: () => "" });
const pay = defineTool({ id: "pay", description: "Pays.", needsApproval: true, destructive: true, execute: () => "" });
const note = defineTool({ id: "note", description: "Notes.", execute: () => "" });
const keep = defineTool({ id: "keep", description: "Keeps.", needsApproval: () => false, execute: () => "" });
const memory = definePlugin({ id: "memory", tools: [keep] });

it("describes the models of an agent, and its tools for those who govern them", async () => {
  const spec = (id: string) => ({ id, provider: `${id}-provider`, model: "m" });
  const provider = (id: string) => ({ id: `${id}-provider`, model: () => scriptedModel(["ok"]) });
  const runtime = await createRuntime({
    ...createWorld(),
    providers: [provider("first"), provider("second")],
    models: [spec("first"), spec("second")],
    agents: [
      defineAgent({
        id: "main",
        model: "first",
        fallbackModels: ["second"],
        retryPolicy: { maxAttemptsPerModel: 3 },
        tools: [look, pay, note],
        plugins: [memory],
        toolConcurrency: { note: {} },
      }),
      defineAgent({ id: "other", model: scriptedModel(["ok"], "given") }),
    ],
  });
  onTestFinished(() => runtime.close());
  const [main, other] = runtime.agents();
  expect(main?.route).toMatchObject([
    { provider: "first-provider", model: "first", max_attempts: 3 },
    { provider: "second-provider", model: "second" },
  ]);
  expect(other?.route).toEqual([{ provider: "given", model: "given", max_attempts: 2 }]);
  const brief = main?.inventory.map((entry) => [
    entry.tool_name,
    entry.policy,
    entry.runtime_owner,
    entry.is_read_only,
    entry.is_concurrency_safe,
    entry.is_destructive,
  ]);
  expect(brief?.toSorted()).toEqual([
    ["keep", "ask_by_arguments", "plugin", false, false, false],
    ["look", "allowed", "local", true, true, false],
    ["note", "allowed", "local", false, true, false],
    ["pay", "ask", "local", false, false, true],
  ]);
  expect(main?.inventory.find(({ tool_name }) => tool_name === "look")).toMatchObject({
    description: "Looks.",
    input_schema: look.descriptor.parameters,
    interrupt_behavior: "cancel",
  });
});

it("says who runs a tool: what the tool says of itself, an MCP server by its id, and the process otherwise", async () => {
  const tool = (id: string, metadata = {}) => defineTool({ id, description: id, metadata, execute: () => "" });
  const tools = [
    tool("search", { runtime_owner: "hosted" }),
    tool("mcp__web__get"),
    tool("odd", { runtime_owner: "nobody" }),
  ];
  const agents = [defineAgent({ id: "main", model: scriptedModel(["ok"]), tools })];
  const runtime = await createRuntime({ ...createWorld(), agents });
  onTestFinished(() => runtime.close());
  const owners = runtime.agents()[0]?.inventory.map(({ tool_name, runtime_owner }) => [tool_name, runtime_owner]);
  expect(owners).toEqual([
    ["search", "hosted"],
    ["mcp__web__get", "mcp"],
    ["odd", "local"],
  ]);
});
