import type { RunRequest } from "@reprise/contracts";
import { defineTool } from "@reprise/runtime";
import { expect, it } from "vitest";
import { z } from "zod";
import { assertConsistent } from "./support/assert-consistent.ts";
import { openRuntime } from "./support/open-runtime.ts";

const add = defineTool({
  id: "add",
  description: "Adds two numbers.",
  inputSchema: z.object({ a: z.number(), b: z.number() }),
  execute: ({ a, b }) => a + b,
});
const send = defineTool({ id: "send", description: "Sends.", needsApproval: true, execute: () => "sent" });

const open = () => openRuntime({ script: [], tools: [add, send] });

it("one call of a tool is a run of its own, and no model is asked", async () => {
  const { runtime, model, tenant } = await open();
  const run = await runtime.callTool({ agent: "agent", tool: "add", arguments: { a: 2, b: 40 } });
  expect(await run.outcome()).toMatchObject({ status: "done" });
  expect(model.requests).toEqual([]);
  const [call] = (await runtime.calls({ runId: run.id })).items;
  expect(call).toMatchObject({ tool_id: "add", status: "succeeded", arguments: { a: 2, b: 40 } });
  const done = (await Array.fromAsync(run.events())).find(({ type }) => type === "tool_call_done");
  expect(JSON.stringify(done?.data)).toContain("42");
  await assertConsistent(tenant, run.threadId);
  expect(await runtime.replay(run.id)).toMatchObject({ equal: true });
});

it("it asks for approval like any other, also in another process", async () => {
  const { runtime, tenant, ...world } = await open();
  const run = await runtime.callTool({ agent: "agent", tool: "send", threadId: "t1" });
  expect(await run.outcome()).toMatchObject({ status: "waiting", open: [{ tool_id: "send" }] });
  await runtime.close();
  const other = await openRuntime({ world, script: [], tools: [add, send] });
  const [question] = await other.runtime.decisions.list();
  await other.runtime.decisions.decide(question?.id ?? "", { action: "approve" });
  expect(await (await other.runtime.run(run.id)).outcome()).toMatchObject({ status: "done" });
  expect((await other.runtime.calls({ runId: run.id })).items).toMatchObject([{ status: "succeeded" }]);
  await assertConsistent(other.tenant, "t1");
});

it("arguments its schema refuses do not reach the tool", async () => {
  const { runtime } = await open();
  const run = await runtime.callTool({ agent: "agent", tool: "add", arguments: { a: "two" } });
  await run.outcome();
  expect((await runtime.calls({ runId: run.id })).items).toMatchObject([{ status: "failed" }]);
});

it("a tool the agent does not have is refused, and so is an unknown agent", async () => {
  const { runtime } = await open();
  await expect(runtime.callTool({ agent: "agent", tool: "nope" })).rejects.toMatchObject({ code: "TOOL_NOT_FOUND" });
  await expect(runtime.callTool({ agent: "nope", tool: "add" })).rejects.toMatchObject({ code: "AGENT_NOT_FOUND" });
  expect((await runtime.runs()).items).toEqual([]);
});

it("no client can ask for it in a request", async () => {
  const { runtime } = await open();
  const policy = { by_hand: { tool_id: "add", arguments: {} } };
  const request: RunRequest = { agent_id: "agent", messages: [{ role: "user", content: "go" }], policy };
  await expect(runtime.submit(request)).rejects.toMatchObject({ code: "INVALID_REQUEST" });
});
