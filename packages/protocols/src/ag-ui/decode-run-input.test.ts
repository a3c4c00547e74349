import { RunAgentInputSchema } from "@ag-ui/core/schemas";
import { expect, it } from "vitest";
import { decodeAgUiRequest } from "./decode-run-input.ts";

const decode = (body: object) => decodeAgUiRequest(JSON.stringify({ threadId: "t1", runId: "r1", ...body }), "agent");

it("reads the shortest request there is, whose messages have no ids", () => {
  const { request, version, decisions } = decode({
    messages: [{ role: "user", content: "Plan my weekend" }],
    tools: [],
  });
  expect(request).toEqual({
    agent_id: "agent",
    thread_id: "t1",
    origin: "ag_ui",
    messages: [{ role: "user", content: "Plan my weekend" }],
  });
  expect({ version, decisions }).toEqual({ version: "0", decisions: [] });
});

it("reads the input of a client of version 1 as its schema describes it", () => {
  const input = RunAgentInputSchema.parse({
    threadId: "t1",
    runId: "r2",
    protocolVersion: "1.0",
    parentRunId: "r1",
    state: { canvas: [1] },
    messages: [{ id: "m1", role: "user", content: [{ type: "text", text: "look" }] }],
    tools: [{ name: "pick", description: "Picks.", parameters: { type: "object" } }],
    context: [{ description: "Page", value: "Invoices" }],
    forwardedProps: {},
  });
  expect(decode(input)).toMatchObject({
    thread_id: "t1",
    client_run_id: "r2",
    parent_client_run_id: "r1",
    version: "1.0",
    state: { canvas: [1] },
    request: {
      messages: [{ id: "m1", role: "user", content: "look" }],
      frontend_tools: [{ id: "pick", description: "Picks.", parameters: { type: "object" } }],
      context: [{ description: "Page", value: "Invoices" }],
    },
  });
});

it("takes what the user said since the last answer, and instructions that have an id", () => {
  const { request } = decode({
    messages: [
      { id: "s", role: "system", content: "Be kind." },
      { role: "developer", content: "Nothing tells whether this is new." },
      { id: "1", role: "user", content: "old" },
      { id: "2", role: "assistant", content: "answer" },
      { id: "3", role: "user", content: "new" },
      { id: "4", role: "user", content: "  " },
    ],
  });
  expect(request.messages).toEqual([
    { id: "s", role: "system", content: "Be kind." },
    { id: "3", role: "user", content: "new" },
  ]);
});

it("reads media in the form of version 1 and of those before, and leaves out files of other providers", () => {
  const { request } = decode({
    messages: [
      {
        id: "1",
        role: "user",
        content: [
          { type: "image", source: { type: "url", value: "https://a.test/x.png", mimeType: "image/png" } },
          { type: "document", source: { type: "data", value: "aGk=", mimeType: "text/plain" } },
          { type: "binary", mimeType: "image/png", data: "aGk=", filename: "x.png" },
          { type: "document", source: { type: "file", value: "file-1", provider: "p" } },
        ],
      },
    ],
  });
  expect(request.messages[0]?.content).toEqual([
    { type: "image", url: "https://a.test/x.png", media_type: "image/png" },
    { type: "file", url: "data:text/plain;base64,aGk=", media_type: "text/plain" },
    { type: "image", url: "data:image/png;base64,aGk=", media_type: "image/png", filename: "x.png" },
  ]);
});

it("reads the results of calls that the client executed, and of those it could not", () => {
  const { decisions, answered, request } = decode({
    messages: [
      { id: "1", role: "user", content: "go" },
      { id: "2", role: "assistant", toolCalls: [] },
      { id: "3", role: "tool", toolCallId: "c1", content: '{"city":"Oslo"}' },
      { id: "4", role: "tool", toolCallId: "c2~2", content: "plain" },
      { id: "5", role: "tool", toolCallId: "c3", content: "", error: "the user closed it" },
    ],
  });
  expect(decisions).toMatchObject([
    { target_id: "c1", action: "resume", result: { city: "Oslo" } },
    { target_id: "c2", action: "resume", result: "plain" },
    { target_id: "c3", action: "cancel", reason: "the user closed it" },
  ]);
  expect([...answered]).toEqual(["c1", "c2", "c3"]);
  expect(request.messages).toEqual([]);
});

it.each([
  [{ status: "resolved" }, { action: "resume" }],
  [
    { status: "resolved", payload: { approved: true, editedArgs: { a: 1 } } },
    { action: "resume", arguments: { a: 1 } },
  ],
  [
    { status: "resolved", payload: { approved: false, reason: "no" } },
    { action: "cancel", reason: "no" },
  ],
  [
    { status: "resolved", payload: "Oslo" },
    { action: "resume", payload: "Oslo" },
  ],
  [{ status: "cancelled" }, { action: "cancel" }],
])("reads the entry %o of resume", (entry, decision) => {
  const { decisions, isResume } = decode({ resume: [{ interruptId: "q1", ...entry }] });
  expect(decisions).toMatchObject([{ target_id: "q1", ...decision }]);
  expect(isResume).toBe(true);
});

it("reads choices for one run beside the other fields, and where stock clients can put them", () => {
  const chosen = {
    model: "m",
    systemPrompt: "p",
    config: { toolExecutionMode: "sequential", chatOptions: { seed: 1 } },
  };
  const overrides = {
    model: "m",
    system_prompt: "p",
    config: { tool_execution_mode: "sequential", chat_options: { seed: 1 } },
  };
  const above = decode({ ...chosen, parentThreadId: "t0" }).request;
  expect(above).toMatchObject({ overrides, parent_thread_id: "t0" });
  expect(decode({ forwardedProps: { ...chosen, parentThreadId: "t0", other: 1 } }).request).toEqual(above);
});

it("takes every tool as the client's to execute but those it leaves to the server", () => {
  const tool = { description: "d" };
  const { request } = decode({
    tools: [
      { ...tool, name: "a", execute: "frontend" },
      { ...tool, name: "b", metadata: { execute: "frontend" } },
      { ...tool, name: "c" },
      { ...tool, name: "d", execute: "backend" },
    ],
  });
  expect(request.frontend_tools?.map(({ id }) => id)).toEqual(["a", "b", "c"]);
});

it("does not take an empty state for the wish to empty the thread's", () => {
  for (const state of [{}, null, undefined]) expect(decode({ state })).not.toHaveProperty("state");
});

it.each([
  [{ threadId: "" }, "threadId cannot be empty"],
  [{ threadId: undefined }, "threadId cannot be empty"],
  [{ runId: " " }, "runId cannot be empty"],
  [{ runId: 5 }, "runId must be a string"],
  [{ messages: "hi" }, "messages must be an array"],
  [{ tools: [{ description: "d" }] }, "tools: name must be a non-empty string"],
  [{ tools: [{ name: "a", description: "d", parameters: [] }] }, "parameters of a must be a JSON Schema object"],
  [{ context: [{ value: "v" }] }, "context: description must be a string"],
  [{ resume: [{ status: "resolved" }] }, "resume: interruptId must be a non-empty string"],
  [{ resume: [{ interruptId: "q", status: "maybe" }] }, "resume: status must be resolved or cancelled"],
  [{ state: [1] }, "state must be an object"],
])("refuses %o", (wrong, problem) => {
  expect(() => decode(wrong)).toThrow(problem);
});
