import type { SessionEvent } from "@reprise/contracts";
import { scriptedModel } from "@reprise/models";
import { defineTool } from "@reprise/runtime";
import { describe, expect, it } from "vitest";
import {
  type AgentSession,
  type AgentSessionOptions,
  type AgentSessionState,
  checkWorkflowDocument,
  createAgentSession,
  createToolRegistry,
} from "../../src/index.ts";
import { AGENT, createProvider, hurriedEnv } from "../support/agent-bench.ts";

const pay = defineTool({
  id: "pay",
  description: "Pays.",
  needsApproval: true,
  inputSchema: { type: "object" },
  execute: () => "paid",
});
const look = defineTool({ id: "look", description: "Looks.", class: "read_only", execute: () => "42" });

type Settings = Partial<Omit<AgentSessionOptions, "deps" | "state" | "agent" | "id">> & {
  readonly state?: AgentSessionState;
};

function open(script: Parameters<typeof scriptedModel>[0], settings: Settings = {}) {
  const { env } = hurriedEnv();
  const model = scriptedModel(script);
  const events: SessionEvent[] = [];
  const { state, ...rest } = settings;
  const begin = state === undefined ? { id: "s", agent: { ...AGENT, tools: ["pay", "look"] } } : { state };
  const session: AgentSession = createAgentSession({
    ...begin,
    deps: {
      env,
      resolveProvider: (id) => (id === "acme" ? createProvider(id, { models: { "acme/large": model } }) : undefined),
      registry: createToolRegistry({ tools: [pay, look], env }),
    },
    onEvent: (event) => events.push(event),
    ...rest,
  });
  return { session, model, events };
}

const typesOf = (events: readonly SessionEvent[]): readonly string[] => events.map(({ type }) => type);

describe("a session", () => {
  it("is a conversation: each turn knows the ones before, with events in order", async () => {
    const { session, model, events } = open(["Hello.", [{ call: "look" }], "It is 42."]);
    expect(await session.send("Hi.")).toMatchObject({ text: "Hello.", stopReason: "end_turn" });
    expect(await session.send("And?")).toMatchObject({ text: "It is 42.", stopReason: "end_turn" });
    const last = model.requests.at(-1);
    expect(last?.system).toBe("You write.");
    expect(last?.messages.map(({ role }) => role)).toEqual(["user", "assistant", "user", "assistant", "tool"]);
    expect(typesOf(events)).toEqual([
      "session_start",
      "turn_start",
      "node_delta",
      "node_cost",
      "turn_end",
      "turn_start",
      "node_cost",
      "node_tool_call",
      "node_tool_result",
      "node_delta",
      "node_cost",
      "turn_end",
    ]);
    expect(events.map(({ seq }) => seq)).toEqual(events.map((_, index) => index + 1));
  });

  it("continues in another process from its stored state", async () => {
    const first = open(["Hello."]);
    await first.session.send("Hi.");
    const state = JSON.parse(JSON.stringify(first.session.state));
    const second = open(["Hello.", "Again."], { state });
    expect(await second.session.send("Once more.")).toMatchObject({ text: "Again." });
    expect(second.model.requests[0]?.messages).toHaveLength(3);
    expect(second.events[0]).toMatchObject({ type: "turn_start", seq: first.events.length + 1, data: { turn: 2 } });
  });

  it("aborts a turn and lives, without a trace of the turn in the conversation", async () => {
    const { session, model, events } = open((_request, turn) =>
      turn === 1 ? [{ text: "I was" }, { stall: true }] : "Fine.",
    );
    const turn = session.send("Long story?");
    await expect.poll(() => typesOf(events)).toContain("node_delta");
    session.abort();
    expect(await turn).toMatchObject({ text: "", stopReason: "aborted" });
    expect(session.state.messages).toEqual([]);
    expect(await session.send("Short?")).toMatchObject({ text: "Fine.", stopReason: "end_turn" });
    expect(model.requests.at(-1)?.messages).toHaveLength(1);
  });

  it("is over once it is cancelled, in the middle of a turn too", async () => {
    const { session, events } = open([[{ text: "I was" }, { stall: true }]]);
    const turn = session.send("Hi.");
    await expect.poll(() => typesOf(events)).toContain("node_delta");
    session.cancel();
    session.cancel();
    expect(await turn).toMatchObject({ stopReason: "aborted" });
    expect(typesOf(events).filter((type) => type === "session_cancel")).toHaveLength(1);
    await expect(session.send("Hi?")).rejects.toThrow("Session s was cancelled.");
    const later = open(["never"], { state: session.state });
    await expect(later.session.send("Hi?")).rejects.toThrow("Session s was cancelled.");
  });

  it("takes one turn at a time, and nothing empty", async () => {
    const { session } = open([[{ stall: true }], "Fine."]);
    const turn = session.send("Hi.");
    await expect(session.send("Hi?")).rejects.toThrow("is in a turn");
    session.abort();
    await turn;
    await expect(session.send("  ")).rejects.toThrow("must not be empty");
  });

  it("ends a turn that fails with the failure, and lives", async () => {
    const { session } = open((_request, turn) => (turn === 1 ? [{ fail: "overloaded" }] : "Fine."));
    expect(await session.send("Hi.")).toMatchObject({
      stopReason: "error",
      error: { code: "provider_unavailable", retryable: true },
    });
    expect(await session.send("Hi.")).toMatchObject({ text: "Fine." });
  });

  it("has at most 50 turns, or fewer", async () => {
    const { session } = open(() => "Yes.", { maxTurns: 2 });
    await session.send("One?");
    await session.send("Two?");
    expect(await session.send("Three?")).toMatchObject({ stopReason: "error", error: { code: "turn_limit" } });
    expect(() => open([], { keepTurns: 0 })).toThrow("keepTurns must be a whole number from 1 (got 0).");
    expect(() => open([], { maxTurns: 51 })).toThrow("maxTurns must be 1 to 50 (got 51).");
    const full = open(() => "Yes.");
    for (let turn = 0; turn < 50; turn += 1) await full.session.send("Again?");
    expect(await full.session.send("Once more?")).toMatchObject({ error: { code: "turn_limit" } });
    expect(full.model.requests).toHaveLength(50);
  });

  it.each([
    ["asks, and runs what is approved", {}, true, "done", ["approval_request"]],
    ["denies what is not approved", {}, false, "", ["approval_request"]],
    ["runs without a question", { pay: "auto" }, false, "done", []],
    ["denies without a question", { pay: "deny" }, true, "", []],
    ["asks about every call", { pay: "ask" }, true, "done", ["approval_request"]],
  ] as const)("%s", async (_what, approvals, answer, text, asked) => {
    const { session, events } = open([[{ call: "pay", arguments: { sum: 3 } }], "done"], {
      approvals,
      approve: async ({ tool_id, arguments: given }) => {
        expect([tool_id, given]).toEqual(["pay", { sum: 3 }]);
        return answer;
      },
    });
    const turn = await session.send("Pay.");
    expect(turn).toMatchObject(text === "" ? { error: { code: "tool_denied" } } : { text });
    expect(typesOf(events).filter((type) => type === "approval_request")).toEqual(asked);
  });

  it("announces calls that cannot be repeated, and denies what nobody can approve", async () => {
    const announced: string[] = [];
    const { session } = open([[{ call: "pay" }], "done"], {
      approvals: { pay: "auto" },
      announceCall: async ({ tool_id }) => void announced.push(tool_id),
    });
    await session.send("Pay.");
    expect(announced).toEqual(["pay"]);
    const alone = open([[{ call: "pay" }], "done"]);
    expect(await alone.session.send("Pay.")).toMatchObject({ error: { code: "tool_denied" } });
  });

  it("sends the last turns only where it is told to, and keeps the others", async () => {
    const { session, model, events } = open(() => "Yes.", { keepTurns: 2 });
    for (const text of ["One?", "Two?", "Three?"]) await session.send(text);
    expect(model.requests.map(({ messages }) => messages.length)).toEqual([1, 3, 3]);
    expect(model.requests.at(-1)?.messages[0]).toMatchObject({ content: "Two?" });
    expect(events.filter(({ type }) => type === "session_trim")).toMatchObject([{ data: { messages: 2 } }]);
    expect(session.state.messages).toHaveLength(6);
  });

  it("tells of a call that could not be announced, and throws what the host threw", async () => {
    const { session, events } = open([[{ call: "pay" }], "never"], {
      approvals: { pay: "auto" },
      announceCall: () => Promise.reject(new Error("The disk is full.")),
    });
    await expect(session.send("Pay.")).rejects.toThrow("The disk is full.");
    expect(events.at(-1)).toMatchObject({
      type: "turn_end",
      data: { stop_reason: "error", error: { code: "internal" } },
    });
    expect(session.state.messages).toEqual([]);
  });

  it("becomes a workflow document that is valid, whatever was said", async () => {
    const { session, events } = open(() => "Yes.");
    await session.send("What is {{ inputs.secret }}?");
    await session.send("And tea?");
    const document = session.export({ workflowId: "about-tea" });
    expect(checkWorkflowDocument(document)).toEqual(document);
    expect(document.workflow.nodes.map(({ id }) => id)).toEqual(["input", "turn_1", "turn_2", "output"]);
    expect(document.workflow.nodes[1]).toMatchObject({ prompt_template: 'What is {{ "{{" }} inputs.secret }}?' });
    expect(document.workflow.nodes[2]).toMatchObject({
      prompt_template: expect.stringContaining('You: {{ run.outputs["turn_1"] }}'),
    });
    expect(events.at(-1)).toMatchObject({ type: "session_export", data: { workflow_id: "about-tea" } });
  });

  it.each([
    [null, "it is no object"],
    [{ format: 2 }, "its format is 2"],
    [{ format: 1 }, "session_id must be a non-empty string"],
    [{ format: 1, session_id: "s", agent: AGENT, status: "open", messages: {} }, "messages must be an array"],
  ])("refuses a state that is none: %j", (state, problem) => {
    expect(() => open([], { state: state as unknown as AgentSessionState })).toThrow(problem);
  });
});
