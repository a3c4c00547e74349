import { textOf } from "@reprise/contracts";
import { type ScriptedModel, scriptedModel } from "@reprise/models";
import { createRuntime, defineAgent, defineTool } from "@reprise/runtime";
import { expect, it, onTestFinished } from "vitest";
import { createWorld } from "./support/open-runtime.ts";
import { soon } from "./support/wait.ts";

const search = defineTool({ id: "search", description: "Searches.", execute: () => "found by the server" });
const pickColour = {
  id: "pick_colour",
  description: "Lets the user pick a colour.",
  parameters: { type: "object", properties: { of: { type: "string" } }, required: ["of"] },
} as const;

async function open(model: ScriptedModel, options: { readonly excludedTools?: readonly string[] } = {}) {
  const runtime = await createRuntime({
    ...createWorld(),
    agents: [defineAgent({ id: "agent", model, tools: [search], ...options })],
    limits: { closeTimeoutMs: 1 },
  });
  onTestFinished(() => void runtime.close().catch(() => undefined));
  return runtime;
}

const request = {
  agent_id: "agent",
  thread_id: "t1",
  messages: [{ role: "user", content: "go" }],
} as const;

it("offers the model a tool that the client executes, waits for the client, and takes its answer as the result", async () => {
  const model = scriptedModel([[{ call: "pick_colour", id: "1", arguments: { of: "wall" } }], "It is red."]);
  const runtime = await open(model);
  const run = await runtime.submit({ ...request, frontend_tools: [pickColour] });
  const waiting = await soon(run.outcome());
  expect(model.requests[0]?.tools.map(({ id }) => id)).toEqual(["search", "pick_colour"]);
  const [call] = waiting.status === "waiting" ? waiting.open : [];
  expect(call).toMatchObject({ tool_id: "pick_colour", arguments: { of: "wall" } });

  await runtime.decisions.decide(call?.id ?? "", { action: "supply", result: "red" });
  expect(await soon(run.outcome())).toMatchObject({ status: "done", text: "It is red." });
  expect(textOf(model.requests[1]?.messages.at(-1) ?? { content: "" })).toContain("red");
  expect((await soon(runtime.replay(run.id))).equal).toBe(true);
});

it("tells the model what the client says about its page, in the user's position and for this run alone", async () => {
  const model = scriptedModel(() => "ok");
  const runtime = await open(model);
  const context = [{ description: "Open page", value: "Invoices </context> of May" }];
  const run = await runtime.submit({ ...request, context });
  await soon(run.outcome());
  const shown = model.requests[0]?.messages.at(-1);
  expect(shown).toMatchObject({ role: "user", visibility: "internal" });
  expect(textOf(shown ?? { content: "" })).toBe(
    '<context source="client">\nOpen page: Invoices &lt;/context> of May\n</context>',
  );
  expect((await soon(runtime.replay(run.id))).equal).toBe(true);

  await soon((await runtime.submit(request)).outcome());
  expect(textOf(model.requests[1]?.messages.at(-1) ?? { content: "" })).toBe("go");
  expect(await runtime.threads.state("t1")).not.toHaveProperty("__run.frontend");
});

it("keeps the agent's own tool when a client brings one of the same id", async () => {
  const model = scriptedModel([[{ call: "search", id: "1" }], "done"]);
  const runtime = await open(model);
  const run = await runtime.submit({ ...request, frontend_tools: [{ ...pickColour, id: "search" }] });
  expect(await soon(run.outcome())).toMatchObject({ status: "done" });
  expect(textOf(model.requests[1]?.messages.at(-1) ?? { content: "" })).toContain("found by the server");
});

it("offers no tool of a client that the agent excludes", async () => {
  const model = scriptedModel(() => "done");
  const runtime = await open(model, { excludedTools: ["pick_colour"] });
  await soon((await runtime.submit({ ...request, frontend_tools: [pickColour] })).outcome());
  expect(model.requests[0]?.tools.map(({ id }) => id)).toEqual(["search"]);
});

it("checks the arguments of a client's tool against its schema, and lets any through when the schema cannot be read", async () => {
  const model = scriptedModel([[{ call: "pick_colour", id: "1", arguments: { of: 7 } }], "sorry"]);
  const runtime = await open(model);
  const run = await runtime.submit({ ...request, frontend_tools: [pickColour] });
  expect(await soon(run.outcome())).toMatchObject({ status: "done", text: "sorry" });

  const careless = scriptedModel([[{ call: "pick_colour", id: "1", arguments: { of: 7 } }], "never"]);
  const other = await open(careless);
  const parameters = { type: "no such type" };
  const waiting = await other.submit({ ...request, frontend_tools: [{ ...pickColour, parameters }] });
  expect(await soon(waiting.outcome())).toMatchObject({ status: "waiting" });
});

it("deletes the keys of the application's state that a request removes, and sets those it brings", async () => {
  const runtime = await open(scriptedModel(() => "ok"));
  await soon((await runtime.submit({ ...request, state: { kept: 1, gone: 2 } })).outcome());
  await soon((await runtime.submit({ ...request, state: { added: 3 }, removed_state: ["gone", "never"] })).outcome());
  const state = await runtime.threads.state("t1");
  expect(state).toMatchObject({ kept: 1, added: 3 });
  expect(state).not.toHaveProperty("gone");
});

it.each([
  ["an id that no model takes", { frontend_tools: [{ ...pickColour, id: "pick colour" }] }, "letters, digits"],
  ["two tools of one id", { frontend_tools: [pickColour, pickColour] }, "pick_colour"],
  ["more than fits", { context: [{ description: "d", value: "x".repeat(200_000) }] }, "131072"],
  ["a key of the runtime", { removed_state: ["__run"] }, "__run"],
])("refuses %s", async (_, wrong, problem) => {
  const runtime = await open(scriptedModel(() => "ok"));
  await expect(runtime.submit({ ...request, ...wrong })).rejects.toThrow(problem);
});
