import { scriptedModel } from "@reprise/models";
import { defineAgent, defineTool } from "@reprise/runtime";
import { expect, it } from "vitest";
import { openRuntime } from "../support/open-runtime.ts";

const agentThatSays = (text: string) => defineAgent({ id: "agent", model: scriptedModel(() => text) });

it("what can be run changes while the runtime runs", async () => {
  const { runtime } = await openRuntime({ script: ["before"] });
  runtime.redefine({ agents: [agentThatSays("after"), defineAgent({ id: "new", model: scriptedModel(["new"]) })] });
  expect(runtime.agents().map(({ id }) => id)).toEqual(["agent", "new"]);
  expect(await runtime.runToCompletion({ agent: "agent", input: "go" })).toMatchObject({ text: "after" });
  expect(await runtime.runToCompletion({ agent: "new", input: "go" })).toMatchObject({ text: "new" });
  runtime.redefine({ agents: [] });
  await expect(runtime.start({ agent: "agent", input: "go" })).rejects.toMatchObject({ code: "AGENT_NOT_FOUND" });
});

it("a mistake changes nothing, and all of them are told", async () => {
  const { runtime } = await openRuntime({ script: ["as before"] });
  const wrong = (id: string) => defineAgent({ id, model: "nobody-knows" });
  expect(() => runtime.redefine({ agents: [wrong("one"), wrong("two")] })).toThrow(/one[\s\S]*two/);
  expect(runtime.agents().map(({ id }) => id)).toEqual(["agent"]);
  expect(await runtime.runToCompletion({ agent: "agent", input: "go" })).toMatchObject({ text: "as before" });
});

it("a run at work continues as it began, even when its agent is gone", async () => {
  const { promise: isLetGo, resolve: letGo } = Promise.withResolvers<void>();
  const started = Promise.withResolvers<void>();
  const hold = defineTool({
    id: "hold",
    description: "Waits.",
    async execute() {
      started.resolve();
      await isLetGo;
      return "held";
    },
  });
  const { runtime } = await openRuntime({ script: [[{ call: "hold" }], "as it began"], tools: [hold] });
  const run = await runtime.start({ agent: "agent", input: "go" });
  await started.promise;
  runtime.redefine({ agents: [] });
  letGo();
  expect(await run.outcome()).toMatchObject({ status: "done", text: "as it began" });
});

it("a run that waits continues with what there is, and says so", async () => {
  const send = defineTool({ id: "send", description: "Sends.", needsApproval: true, execute: () => "sent" });
  const { runtime } = await openRuntime({ script: [[{ call: "send" }]], tools: [send] });
  const run = await runtime.start({ agent: "agent", input: "go" });
  const outcome = await run.outcome();
  const open = outcome.status === "waiting" ? outcome.open[0]?.id : undefined;
  runtime.redefine({
    agents: [
      defineAgent({ id: "agent", model: scriptedModel(["by the new one"]), tools: [send], instructions: "New." }),
    ],
  });
  await runtime.decisions.decide(open ?? "", { action: "approve" });
  expect(await run.outcome()).toMatchObject({ status: "done", text: "by the new one" });
  const events = await Array.fromAsync(run.events());
  expect(events.map(({ type }) => type)).toContain("definition_changed");
});
