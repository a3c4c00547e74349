import { AgentCapabilitiesSchema, EventSchema, MessageSchema } from "@ag-ui/core/schemas";
import { changeState, textOf } from "@reprise/contracts";
import { type ScriptTurn, scriptedModel } from "@reprise/models";
import { defineAgent, definePlugin, defineTool } from "@reprise/runtime";
import { defineState } from "@reprise/state";
import { describe, expect, it } from "vitest";
import {
  AG_UI_RUNS,
  agUiInput,
  agUiSays,
  agUiText,
  interruptsIn,
  lastOf,
  readAgUi,
  sendAgUi,
} from "./support/ag-ui-client.ts";
import { openDemo, says } from "./support/open-demo.ts";
import { readUntil } from "./support/read-stream.ts";

const CONNECT = "/v1/ag-ui/agents/assistant/threads/t/stream?protocolVersion=1.0";

const canvas = defineState({
  path: "canvas",
  initial: (): string[] => [],
  actions: { draw: (shapes, shape: string) => [...shapes, shape] },
});
const rules = defineState({ path: "rules", initial: () => 1, actions: { raise: (count) => count + 1 } });
const draw = defineTool({
  id: "draw",
  description: "Draws.",
  execute: (_input, { state }) => {
    state.apply(canvas.draw("circle"));
    return "drawn";
  },
});
const ruling = definePlugin({
  id: "ruling",
  states: [rules],
  hooks: { runStart: () => [changeState(rules.raise())] },
});

/** An agent that plays the turns it is given, one run after the other. */
async function openPlaying(turns: readonly ScriptTurn[], more: object = {}) {
  const model = scriptedModel(turns);
  const agent = defineAgent({ id: "assistant", model, tools: [draw], ...more });
  return { ...(await openDemo({ agents: [agent] })), model };
}

describe("a run", () => {
  it("is streamed under the ids of the client, and every event fits the official schema", async () => {
    const demo = await openDemo();
    const response = await demo.post(AG_UI_RUNS, agUiSays("run-2", "hello", { parentRunId: "run-1" }));
    const events = readAgUi(await response.text());
    for (const event of events) EventSchema.parse(event);
    const runId = decodeURIComponent(response.headers.get("x-reprise-run-id") ?? "");
    expect(events[0]).toEqual({
      type: "RUN_STARTED",
      threadId: "t",
      runId: "run-2",
      protocolVersion: "1.0",
      parentRunId: "run-1",
      metadata: { runId },
    });
    expect(agUiText(events)).toBe("You said: hello");
    expect(events.at(-1)).toMatchObject({ type: "RUN_FINISHED", runId: "run-2", outcome: { type: "success" } });
    expect(await (await demo.runtime.run(runId)).record()).toMatchObject({ origin: "ag_ui", thread_id: "t" });
  });

  it("takes the shortest request, whose messages have no ids, and speaks to older clients without the new words", async () => {
    const demo = await openDemo();
    const body = { threadId: "thread-2", runId: "run-2", messages: [{ role: "user", content: "hello" }], tools: [] };
    const events = await sendAgUi(demo, body);
    expect(agUiText(events)).toBe("You said: hello");
    expect(events[0]).not.toHaveProperty("protocolVersion");
  });

  it("is the same one when the client sends it again, also with other ids on other threads", async () => {
    const demo = await openDemo();
    const first = await sendAgUi(demo, agUiSays("run-1", "hello"));
    expect(await sendAgUi(demo, agUiSays("run-1", "hello"))).toEqual(first);
    await sendAgUi(demo, agUiSays("run-1", "hello", { threadId: "other" }));
    expect((await demo.runtime.runs()).total).toBe(2);
  });

  it("answers what is new in the conversation that the client sends whole", async () => {
    const demo = await openDemo();
    const first = await sendAgUi(demo, agUiSays("run-1", "hello"));
    const { messageId } = lastOf(first, "TEXT_MESSAGE_START");
    const messages = [
      { id: "run-1-u", role: "user", content: "hello" },
      { id: messageId, role: "assistant", content: "You said: hello" },
      { id: "u2", role: "user", content: "again" },
    ];
    expect(agUiText(await sendAgUi(demo, agUiInput("run-2", { messages })))).toBe("You said: again");
    expect((await demo.runtime.threads.messages("t")).messages.map(textOf)).toEqual([
      "hello",
      "You said: hello",
      "again",
      "You said: again",
    ]);
  });

  it("tells the model what the page shows", async () => {
    const demo = await openPlaying(["ok"]);
    await sendAgUi(demo, agUiSays("r", "hi", { context: [{ description: "Page", value: "Invoices" }] }));
    expect(textOf(demo.model.requests[0]?.messages.at(-1) ?? { content: "" })).toContain("Page: Invoices");
  });

  it("fails with RUN_ERROR, and is cancelled with an outcome that older clients get as an error", async () => {
    const demo = await openDemo();
    expect(lastOf(await sendAgUi(demo, agUiSays("r1", "fail")), "RUN_ERROR").message).not.toBe("");
    for (const [runId, version, end] of [
      ["r2", "1.0", { type: "RUN_FINISHED", outcome: { type: "cancelled" } }],
      ["r3", undefined, { type: "RUN_ERROR", code: "CANCELLED" }],
    ] as const) {
      const response = await demo.post(AG_UI_RUNS, agUiSays(runId, "stall", { protocolVersion: version }));
      const reader = response.body?.getReader() ?? fail();
      const shown = await readUntil(reader, (text) => text.includes("Wait"));
      const started = lastOf(readAgUi(shown), "RUN_STARTED");
      await demo.post(`/v1/runs/${started.metadata?.runId}/cancel`, {});
      const rest = await readUntil(reader, (text) => text.includes("RUN_FINISHED") || text.includes("RUN_ERROR"));
      expect(readAgUi(rest).at(-1)).toMatchObject(end);
    }
  });

  it("takes the choices of a client only where the agent lets it choose", async () => {
    const body = agUiSays("r", "hi", { forwardedProps: { systemPrompt: "Be brief." } });
    const closed = await openPlaying(["no"]);
    const refused = await closed.post(AG_UI_RUNS, body);
    expect([refused.status, (await refused.json()).error]).toEqual([400, expect.stringContaining("clientOverrides")]);
    const open = await openPlaying(["yes"], { clientOverrides: true });
    await sendAgUi(open, body);
    expect(open.model.requests[0]?.system).toBe("Be brief.");
  });

  it.each(["beside the other fields", "in forwardedProps"])(
    "has the model, prompt and config of a client %s",
    async (place) => {
      const [own, other] = [scriptedModel(["own"]), scriptedModel(["other"])];
      const demo = await openDemo({
        agents: [defineAgent({ id: "assistant", model: own, clientOverrides: true })],
        providers: [{ id: "q", model: () => other }],
        models: [{ id: "q/m", provider: "q", model: "m" }],
      });
      const chosen = { model: "q/m", systemPrompt: "Be brief.", config: { chatOptions: { temperature: 0 } } };
      const given = place === "in forwardedProps" ? { forwardedProps: chosen } : chosen;
      expect(agUiText(await sendAgUi(demo, agUiSays("r", "hi", given)))).toBe("other");
      expect(other.requests).toMatchObject([{ system: "Be brief.", options: { temperature: 0 } }]);
      expect(own.requests).toEqual([]);
    },
  );

  it.each(["parentThreadId", "forwardedProps"])("tells the thread above of its end, named by %s", async (place) => {
    const demo = await openPlaying(["above", "below", "noted"]);
    await sendAgUi(demo, agUiSays("r1", "hi", { threadId: "above" }));
    const above = { parentThreadId: "above" };
    const given = place === "parentThreadId" ? above : { forwardedProps: above };
    await sendAgUi(demo, agUiSays("r2", "hi", { threadId: "below", ...given }));
    const [run] = (await demo.runtime.runs({ threadId: "below" })).items;
    expect(run).toMatchObject({ parent_thread_id: "above" });
  });

  it("ends with what it used, by model", async () => {
    const usage = { promptTokens: 10, completionTokens: 2, cacheReadTokens: 4, thinkingTokens: 1 };
    const demo = await openPlaying([[{ text: "ok" }, { usage }]]);
    const { usage: used } = lastOf(await sendAgUi(demo, agUiSays("r", "hi")), "RUN_FINISHED");
    expect(used).toMatchObject([{ inputTokens: 10, outputTokens: 2, cachedInputTokens: 4, reasoningTokens: 1 }]);
  });

  it("shows reasoning and the progress of tools as activities that change by patches", async () => {
    const slow = defineTool({
      id: "slow",
      description: "Says how far it is.",
      execute: (_, { progress }) => {
        progress({ progress: 1, total: 2 });
        progress({ progress: 2, total: 2 });
        return "done";
      },
    });
    const turns: readonly ScriptTurn[] = [[{ reasoning: "Let me see." }, { call: "slow" }], "ok"];
    const demo = await openPlaying(turns, { tools: [slow] });
    const events = await sendAgUi(demo, agUiSays("r", "hi"));
    for (const event of events) EventSchema.parse(event);
    const types = events.map(({ type }) => type);
    const seen = [
      "REASONING_START",
      "REASONING_MESSAGE_CONTENT",
      "REASONING_END",
      "ACTIVITY_SNAPSHOT",
      "ACTIVITY_DELTA",
    ];
    expect(types).toEqual(expect.arrayContaining(seen));
    expect(lastOf(events, "ACTIVITY_SNAPSHOT")).toMatchObject({
      activityType: "tool-call-progress",
      content: { schema: "tool-call-progress.v1" },
    });
  });
});

function fail(): never {
  throw new Error("There is no body.");
}

describe("a question", () => {
  it.each([
    ["resolved", { approved: true }, "success"],
    ["resolved", { approved: false }, "error"],
    ["cancelled", undefined, "error"],
  ])(
    "ends the stream, and the entry %s %o of resume continues the run under another id",
    async (status, payload, outcome) => {
      const demo = await openDemo();
      const [asked] = interruptsIn(await sendAgUi(demo, agUiSays("run-1", "pay 5")));
      expect(asked).toMatchObject({ reason: "tool_call", metadata: { toolName: "pay", arguments: { amount: 5 } } });
      const resume = [{ interruptId: asked?.id, status, ...(payload !== undefined && { payload }) }];
      const events = await sendAgUi(demo, agUiInput("run-2", { resume }));
      expect(events[0]).toMatchObject({ type: "RUN_STARTED", runId: "run-2" });
      expect(JSON.parse(lastOf(events, "TOOL_CALL_RESULT").content).status).toBe(outcome);
      expect(lastOf(events, "RUN_FINISHED")).toMatchObject({ runId: "run-2", outcome: { type: "success" } });
      expect((await demo.runtime.runs()).total).toBe(1);
    },
  );

  it("is answered with other arguments", async () => {
    const demo = await openDemo();
    const [asked] = interruptsIn(await sendAgUi(demo, agUiSays("run-1", "pay 5")));
    const payload = { approved: true, editedArgs: { amount: 2 } };
    const resume = [{ interruptId: asked?.id, status: "resolved", payload }];
    const events = await sendAgUi(demo, agUiInput("run-2", { resume }));
    expect(JSON.parse(lastOf(events, "TOOL_CALL_RESULT").content).data).toEqual({ paid: { amount: 2 } });
  });

  it("that is decided is ignored, and one that is still open is reported again", async () => {
    const demo = await openPlaying([[{ call: "pay" }, { call: "pay" }], "Done."], {
      tools: [defineTool({ id: "pay", description: "Pays.", needsApproval: true, execute: () => "paid" })],
    });
    const asked = interruptsIn(await sendAgUi(demo, agUiSays("run-1", "both")));
    const entry = (index: number) => ({ interruptId: asked[index]?.id, status: "resolved" });
    const once = await sendAgUi(demo, agUiInput("run-2", { resume: [entry(0)] }));
    expect(interruptsIn(once).map(({ id }) => id)).toEqual([asked[1]?.id]);
    const twice = await sendAgUi(demo, agUiInput("run-3", { resume: [entry(0), entry(1)] }));
    expect(agUiText(twice)).toBe("Done.");
    const stale = await sendAgUi(demo, agUiInput("run-4", { resume: [entry(0), entry(1)] }));
    expect(lastOf(stale, "MESSAGES_SNAPSHOT").messages.at(-1)).toMatchObject({ role: "assistant", content: "Done." });
    expect(stale.at(-1)).toMatchObject({ runId: "run-4", outcome: { type: "success" } });
  });

  it("of another agent's run is not answered here", async () => {
    const demo = await openDemo();
    const [asked] = interruptsIn(await sendAgUi(demo, agUiSays("run-1", "pay 5")));
    const resume = [{ interruptId: asked?.id, status: "resolved" }];
    const response = await demo.post("/v1/ag-ui/agents/echo/runs", agUiInput("run-2", { resume }));
    expect(response.status).toBe(409);
    expect(await demo.runtime.decisions.list()).toHaveLength(1);
  });
});

describe("a tool that the front end executes", () => {
  const locate = { name: "locate", description: "Finds the user.", parameters: { type: "object" } };
  const openLocating = () => openPlaying([[{ call: "locate" }], "You are in Oslo."]);
  const result = (toolCallId: string, more: object = {}) => ({
    messages: [
      { id: "u", role: "user", content: "where am I?" },
      { id: "a", role: "assistant", toolCalls: [] },
      { id: "r", role: "tool", toolCallId, content: '"Oslo"', ...more },
    ],
    tools: [locate],
  });

  it("is pending at the end of the stream, and its result continues the run, without being told again", async () => {
    const demo = await openLocating();
    const first = await sendAgUi(demo, agUiSays("run-1", "where am I?", { tools: [locate] }));
    const { toolCallId } = lastOf(first, "TOOL_CALL_START");
    expect(lastOf(first, "RUN_FINISHED").outcome).toEqual({ type: "success", pendingToolCallIds: [toolCallId] });
    const second = await sendAgUi(demo, agUiInput("run-2", result(toolCallId)));
    expect(agUiText(second)).toBe("You are in Oslo.");
    expect(second.map(({ type }) => type)).not.toContain("TOOL_CALL_RESULT");
    expect(textOf(demo.model.requests[1]?.messages.at(-1) ?? { content: "" })).toContain("Oslo");
    expect((await demo.runtime.runs()).total).toBe(1);
  });

  it("is confirmed with 202 when the client names the run that waits", async () => {
    const demo = await openLocating();
    const first = await sendAgUi(
      demo,
      agUiSays("run-1", "where am I?", { tools: [{ ...locate, execute: "frontend" }] }),
    );
    const { toolCallId } = lastOf(first, "TOOL_CALL_START");
    const response = await demo.post(AG_UI_RUNS, agUiInput("run-1", result(toolCallId)));
    expect([response.status, await response.json()]).toEqual([
      202,
      { status: "decision_forwarded", threadId: "t", runId: "run-1" },
    ]);
    const [run] = (await demo.runtime.runs()).items;
    expect(await (await demo.runtime.run(run?.run_id ?? "")).outcome()).toMatchObject({ status: "done" });
  });

  it("is cancelled by a result that is an error", async () => {
    const demo = await openLocating();
    const first = await sendAgUi(demo, agUiSays("run-1", "where am I?", { tools: [locate] }));
    const { toolCallId } = lastOf(first, "TOOL_CALL_START");
    await sendAgUi(demo, agUiInput("run-2", result(toolCallId, { error: "the user said no" })));
    expect(textOf(demo.model.requests[1]?.messages.at(-1) ?? { content: "" })).toContain("the user said no");
  });
});

describe("the state that agent and page share", () => {
  it("is the client's where it brings one, and is told as a snapshot and as RFC 6902 patches", async () => {
    const demo = await openPlaying([[{ call: "draw" }], "Drawn."]);
    const events = await sendAgUi(demo, agUiSays("run-1", "draw", { state: { canvas: ["square"], zoom: 2 } }));
    expect(lastOf(events, "STATE_SNAPSHOT").snapshot).toEqual({ canvas: ["square"], zoom: 2 });
    expect(lastOf(events, "STATE_DELTA").delta).toEqual([{ op: "add", path: "/canvas/-", value: "circle" }]);
    expect(await demo.runtime.threads.state("t")).toMatchObject({ canvas: ["square", "circle"], zoom: 2 });
  });

  it("loses what the client removed, and nothing to a client that has none", async () => {
    const demo = await openPlaying(["1", "2", "3"]);
    await sendAgUi(demo, agUiSays("run-1", "a", { state: { zoom: 2, pan: 1 } }));
    await sendAgUi(demo, agUiSays("run-2", "b", { state: {} }));
    expect(await demo.runtime.threads.state("t")).toMatchObject({ zoom: 2, pan: 1 });
    await sendAgUi(demo, agUiSays("run-3", "c", { state: { pan: 1 } }));
    expect(await demo.runtime.threads.state("t")).not.toHaveProperty("zoom");
  });

  it("shows what plugins keep, and refuses to change it", async () => {
    const demo = await openPlaying(["1", "2", "3"], { plugins: [ruling] });
    await sendAgUi(demo, agUiSays("run-1", "a", { state: { zoom: 1 } }));
    const second = await sendAgUi(demo, agUiSays("run-2", "b", { state: { zoom: 2, rules: 2 } }));
    expect(lastOf(second, "STATE_SNAPSHOT").snapshot).toEqual({ zoom: 2, rules: 2 });
    await sendAgUi(demo, agUiSays("run-3", "c", { state: { zoom: 3 } }));
    expect(await demo.runtime.threads.state("t")).toMatchObject({ zoom: 3, rules: 4 });
    const refused = await demo.post(AG_UI_RUNS, agUiSays("run-4", "d", { state: { rules: 100 } }));
    expect([refused.status, (await refused.json()).error]).toEqual([400, expect.stringContaining('"rules"')]);
  });

  it("may change while the run waits for the front end", async () => {
    const demo = await openPlaying([[{ call: "locate" }], "Done."]);
    const tools = [{ name: "locate", description: "Finds." }];
    const first = await sendAgUi(demo, agUiSays("run-1", "go", { tools, state: { zoom: 1 } }));
    const { toolCallId } = lastOf(first, "TOOL_CALL_START");
    const messages = [{ id: "r", role: "tool", toolCallId, content: "Oslo" }];
    const second = await sendAgUi(demo, agUiInput("run-2", { tools, messages, state: { zoom: 7 } }));
    expect(lastOf(second, "STATE_SNAPSHOT").snapshot).toEqual({ zoom: 7 });
    expect(await demo.runtime.threads.state("t")).toMatchObject({ zoom: 7 });
  });
});

describe("a client that connects", () => {
  it("to a thread that does not exist gets one without messages", async () => {
    const { ask } = await openDemo();
    const events = readAgUi(await (await ask(CONNECT)).text());
    expect(events.map(({ type }) => type)).toEqual(["RUN_STARTED", "MESSAGES_SNAPSHOT", "RUN_FINISHED"]);
  });

  it("gets messages and state, and the questions that are open", async () => {
    const demo = await openDemo();
    const asked = interruptsIn(await sendAgUi(demo, agUiSays("run-1", "pay 5", { state: { zoom: 2 } })));
    const events = readAgUi(await (await demo.ask(CONNECT)).text());
    for (const event of events) EventSchema.parse(event);
    expect(lastOf(events, "MESSAGES_SNAPSHOT").messages).toMatchObject([
      { id: "run-1-u", role: "user", content: "pay 5" },
      { role: "assistant", toolCalls: [{ function: { name: "pay", arguments: '{"amount":5}' } }] },
    ]);
    expect(lastOf(events, "STATE_SNAPSHOT").snapshot).toEqual({ zoom: 2 });
    expect(interruptsIn(events)).toEqual(asked);
  });

  it("gets the run under way from its start, and what follows live", async () => {
    const demo = await openDemo();
    await sendAgUi(demo, agUiSays("run-1", "hello"));
    const left = await demo.post(AG_UI_RUNS, agUiSays("run-2", "stall"));
    const away = left.body?.getReader() ?? fail();
    await readUntil(away, (text) => text.includes("Wait"));
    await away.cancel();
    const back = (await demo.ask(`${CONNECT}&runId=run-3`)).body?.getReader() ?? fail();
    const events = readAgUi(await readUntil(back, (text) => text.includes("Wait")));
    expect(events[0]).toMatchObject({ type: "RUN_STARTED", runId: "run-3" });
    expect(lastOf(events, "MESSAGES_SNAPSHOT").messages.map(({ role }) => role)).toEqual(["user", "assistant", "user"]);
    const [run] = (await demo.runtime.runs({ status: "running" })).items;
    await (await demo.runtime.run(run?.run_id ?? "")).cancel();
    const rest = readAgUi(await readUntil(back, (text) => text.includes("RUN_FINISHED")));
    expect(rest.at(-1)).toMatchObject({ outcome: { type: "cancelled" } });
  });
});

describe("what is stored", () => {
  it("is listed as messages of the official schema, in pages", async () => {
    const demo = await openDemo();
    await sendAgUi(demo, agUiSays("run-1", "hello"));
    await (await demo.post("/v1/runs", says("from elsewhere", { threadId: "t" }))).text();
    const whole = await (await demo.ask("/v1/ag-ui/threads/t/messages")).json();
    for (const message of whole.messages) MessageSchema.parse(message);
    expect(whole.messages).toHaveLength(4);
    const page = await (await demo.ask(`/v1/ag-ui/threads/t/messages?limit=2&before=${whole.messages[3].id}`)).json();
    expect(page).toEqual({ messages: whole.messages.slice(1, 3), has_more: true });
  });

  it("has the capabilities of an agent in the words of the official schema", async () => {
    const { ask } = await openDemo();
    const capabilities = AgentCapabilitiesSchema.parse(
      await (await ask("/v1/ag-ui/agents/assistant/capabilities")).json(),
    );
    expect(capabilities).toMatchObject({
      identity: { name: "assistant", description: "Repeats." },
      tools: { items: [{ name: "pay" }], clientProvided: true },
      humanInTheLoop: { interrupts: true },
    });
  });
});
