import { blockCall } from "@reprise/contracts";
import { scriptedModel } from "@reprise/models";
import { defineAgent, definePlugin, defineTool } from "@reprise/runtime";
import { expect, it } from "vitest";
import { openDemo, says } from "./support/open-demo.ts";

it("issue 14.13: a thread has its id, its state and its newest messages, beside its own names", async () => {
  const { post, ask } = await openDemo();
  await (await post("/v1/runs", says("echo", { threadId: "t1", state: { color: "red" } }))).text();
  const thread = await (await ask("/v1/threads/t1")).json();
  expect(thread).toMatchObject({ id: "t1", thread_id: "t1", version: expect.any(Number), has_more: false });
  expect(thread.state).toMatchObject({ color: "red" });
  expect(thread.messages.map(({ role }: { role: string }) => role)).toEqual(["user", "assistant"]);
});

it("issue 14.13: a preview asks the plugins of the agent", async () => {
  const pay = defineTool({ id: "pay", description: "Pays.", execute: () => null });
  const closed = definePlugin({ id: "desk", hooks: { beforeToolExecute: () => [blockCall("The desk is closed.")] } });
  const agents = [defineAgent({ id: "clerk", model: scriptedModel(["ok"]), tools: [pay], plugins: [closed] })];
  const { post, runtime } = await openDemo();
  runtime.redefine({ agents });
  const preview = await post("/v1/permissions/preview", { agentId: "clerk", toolId: "pay", arguments: {} });
  expect(await preview.json()).toEqual({ decision: "deny", reason: "The desk is closed.", source: "plugin:desk" });
});

it("issue 14.13: a run id that is taken is 409, and no id of the runtime's own is shown", async () => {
  const { post } = await openDemo();
  await (await post("/v1/runs", says("echo", { threadId: "t1", runId: "r1" }))).text();
  const again = await post("/v1/runs", says("echo", { threadId: "t2", runId: "r1" }));
  expect([again.status, again.headers.get("x-reprise-error")]).toEqual([409, "RUN_EXISTS"]);
  expect(await again.text()).not.toContain("r1-entry");
});
