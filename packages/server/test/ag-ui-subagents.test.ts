import { HttpAgent } from "@ag-ui/client";
import { EventSchema } from "@ag-ui/core/schemas";
import { awaitRun, type NewChildRun } from "@reprise/contracts";
import { scriptedModel } from "@reprise/models";
import { type Agent, defineAgent, defineTool } from "@reprise/runtime";
import { expect, it, vi } from "vitest";
import { agUiInput, agUiSays, agUiText, interruptsIn, lastOf, readAgUi, sendAgUi } from "./support/ag-ui-client.ts";
import { listenDemo, openDemo } from "./support/open-demo.ts";

const delegate = defineTool({
  id: "delegate",
  description: "Has another agent work.",
  inputSchema: { type: "object", additionalProperties: true },
  class: "read_only",
  execute: async (child: NewChildRun, { runs }) => awaitRun(await runs.start(child)),
});
const pay = defineTool({ id: "pay", description: "Pays.", needsApproval: true, execute: () => "paid" });

/** A boss that has one agent work, which needs leave to pay. */
function team(): readonly Agent[] {
  const call = [{ call: "delegate", arguments: { agentId: "worker", prompt: "pay it" } }];
  const boss = scriptedModel(({ messages }) => (messages.at(-1)?.role === "tool" ? "All is paid." : call));
  const worker = scriptedModel(({ messages }) =>
    messages.at(-1)?.role === "tool" ? "I paid." : [{ text: "I need leave." }, { call: "pay" }],
  );
  return [
    defineAgent({ id: "assistant", model: boss, tools: [delegate] }),
    defineAgent({ id: "worker", model: worker, tools: [pay] }),
  ];
}

it("shows a run below with its own id, and its question as one of the run above, which resume answers", async () => {
  const demo = await openDemo({ agents: team() });
  const first = await sendAgUi(demo, agUiSays("run-1", "go"));
  for (const event of first) EventSchema.parse(event);
  const begun = lastOf(first, "SUBAGENT_STARTED");
  expect(begun).toMatchObject({ name: "worker", parentToolCallId: lastOf(first, "RUN_STARTED") && expect.any(String) });
  const said = first.filter(({ subagentRunId }) => subagentRunId === begun.subagentRunId);
  expect(agUiText(said)).toBe("I need leave.");
  const [question, ...others] = interruptsIn(first);
  expect(others).toEqual([]);
  expect(question).toMatchObject({ reason: "tool_call", subagentRunId: begun.subagentRunId });
  expect(lastOf(first, "SUBAGENT_FINISHED").outcome).toEqual({ type: "suspended", interruptIds: [question?.id] });

  const resume = [{ interruptId: question?.id, status: "resolved", payload: { approved: true } }];
  const second = await sendAgUi(demo, agUiInput("run-2", { resume }));
  for (const event of second) EventSchema.parse(event);
  expect(agUiText(second)).toBe("I paid.All is paid.");
  expect(lastOf(second, "SUBAGENT_FINISHED").outcome).toEqual({ type: "success" });
  expect(second.at(-1)).toMatchObject({ type: "RUN_FINISHED", runId: "run-2", outcome: { type: "success" } });
});

it("is taken by the official client, verification and all, over a question of a run below", async () => {
  const demo = await openDemo({ agents: team() });
  const { url } = await listenDemo(demo.server);
  const warned = vi.spyOn(console, "warn").mockImplementation(() => undefined);
  const agent = new HttpAgent({ url: `${url}/v1/ag-ui/agents/assistant/runs`, threadId: "t" });
  agent.addMessage({ id: "u", role: "user", content: "go" });
  await agent.runAgent();
  const resume = agent.pendingInterrupts.map(({ id }) => ({ interruptId: id, status: "resolved" as const }));
  expect(resume).toHaveLength(1);
  await agent.runAgent({ resume });
  expect(agent.messages.at(-1)).toMatchObject({ role: "assistant", content: "All is paid." });
  expect(warned.mock.calls).toEqual([]);
});

it("is found by a client that connects while the run below waits", async () => {
  const demo = await openDemo({ agents: team() });
  const asked = interruptsIn(await sendAgUi(demo, agUiSays("run-1", "go")));
  const connected = await demo.ask("/v1/ag-ui/agents/assistant/threads/t/stream?protocolVersion=1.0");
  expect(interruptsIn(readAgUi(await connected.text()))).toEqual(asked);
});

it("tells of a run below that failed, and the run above continues", async () => {
  const call = [{ call: "delegate", arguments: { agentId: "worker", prompt: "pay it" } }];
  const boss = scriptedModel(({ messages }) => (messages.at(-1)?.role === "tool" ? "It failed." : call));
  const agents = [
    defineAgent({ id: "assistant", model: boss, tools: [delegate] }),
    defineAgent({ id: "worker", model: scriptedModel([[{ fail: "invalid_request" }]]) }),
  ];
  const events = await sendAgUi(await openDemo({ agents }), agUiSays("run-1", "go"));
  for (const event of events) EventSchema.parse(event);
  expect(lastOf(events, "SUBAGENT_ERROR")).toMatchObject({
    subagentRunId: lastOf(events, "SUBAGENT_STARTED").subagentRunId,
  });
  expect(agUiText(events)).toBe("It failed.");
  expect(events.at(-1)).toMatchObject({ type: "RUN_FINISHED", outcome: { type: "success" } });
});
