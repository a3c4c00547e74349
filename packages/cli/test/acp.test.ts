import { existsSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import {
  methods,
  RequestError,
  type RequestPermissionRequest,
  type RequestPermissionResponse,
  type SessionNotification,
} from "@agentclientprotocol/sdk";
import { eventually } from "@reprise/testkit";
import { afterAll, beforeAll, expect, it, onTestFinished } from "vitest";
import { createModuleFolder } from "./support/module-folder.ts";
import { type Editor, openEditor } from "./support/open-editor.ts";
import { runCli, spawnCli } from "./support/run-cli.ts";
import { createSharedFolder } from "./support/shared-folder.ts";

const AGENTS = `
import { existsSync, writeFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { defineAgent, defineTool, scriptedModel, suspendTool } from "reprise";
import { toolResult } from "reprise/advanced";
import { permission } from "reprise/plugins/permission";
import { z } from "zod";

console.log("what a module prints is no message of the protocol");

const edit = defineTool({ id: "edit_file", description: "Edits a file.", inputSchema: z.object({ path: z.string() }), capabilities: ["edit"], execute: (_, { state }) => {
  const { cwd } = state.at(["workspace"]);
  const metadata = {
    diffs: [{ path: cwd + "/a.txt", old_text: "one", new_text: "two" }],
    locations: [{ path: cwd + "/a.txt", line: 3 }],
  };
  return toolResult({ tool_name: "edit_file", status: "success", data: "Edited.", message: null, metadata });
} });
const pay = defineTool({ id: "pay", description: "Pays.", inputSchema: z.object({ to: z.string() }), needsApproval: true, execute: () => ({ paid: true }) });
const drop = defineTool({ id: "drop", description: "Drops a table.", execute: () => "dropped" });
const wait = defineTool({ id: "wait", description: "Waits.", class: "read_only", async execute(_, { signal }) {
  writeFileSync("waiting", "");
  while (!existsSync("go")) await sleep(20, undefined, { signal });
  return "waited";
} });
const ask = defineTool({ id: "ask", description: "Asks.", execute: (_, { decision }) =>
  decision === undefined ? suspendTool({ action: "city", message: "Which city?", responseSchema: { type: "string" }, resumeMode: "pass_decision_to_tool" }) : { city: decision.result } });

const agent = (id, [first, second], tools, more = {}) => {
  const model = scriptedModel(({ messages }) => (messages.at(-1).role === "tool" ? second : first));
  return defineAgent({ id, model, tools, ...more });
};
export default {
  agents: [
    agent("editor", [[{ text: "I will edit. " }, { call: "edit_file", arguments: { path: "a.txt" } }], "Done."], [edit]),
    agent("payer", [[{ call: "pay", arguments: { to: "Ada" } }], "It is settled."], [pay]),
    agent("admin", [[{ call: "drop" }], "Over."], [drop], { plugins: [permission({ rules: [{ tool: "drop", behavior: "ask" }] })] }),
    agent("waiter", [[{ call: "wait" }], "The wait is over."], [wait]),
    agent("asker", [[{ call: "ask" }], "Thank you."], [ask]),
    defineAgent({ id: "failing", model: scriptedModel([]) }),
  ],
};`;

let editor: Editor;
let cwd: string;
const asked: RequestPermissionRequest[] = [];
let answer: (request: RequestPermissionRequest) => Promise<RequestPermissionResponse> | RequestPermissionResponse;

beforeAll(async () => {
  cwd = createSharedFolder();
  symlinkSync(join(import.meta.dirname, "../../../node_modules"), join(cwd, "node_modules"), "dir");
  writeFileSync(join(cwd, "package.json"), '{ "type": "module" }');
  writeFileSync(join(cwd, "agents.ts"), AGENTS);
  editor = await openEditor(["agents.ts", "editor"], {
    cwd,
    answer: (request) => {
      asked.push(request);
      return answer(request);
    },
  });
}, 60_000);
afterAll(async () => void (await editor.close()));

const select = (optionId: string): RequestPermissionResponse => ({ outcome: { outcome: "selected", optionId } });

async function openSession(agent: string, by: Editor = editor): Promise<string> {
  const { sessionId } = await by.agent.request(methods.agent.session.new, { cwd, mcpServers: [] });
  await by.agent.request(methods.agent.session.setMode, { sessionId, modeId: agent });
  return sessionId;
}

function say(sessionId: string, text: string, by: Editor = editor) {
  return by.agent.request(methods.agent.session.prompt, { sessionId, prompt: [{ type: "text", text }] });
}

/** The last that was said about every field of a call. */
function callOf(updates: readonly SessionNotification["update"][], name: string): Record<string, unknown> {
  const calls = updates.flatMap((update) =>
    update.sessionUpdate === "tool_call" || update.sessionUpdate === "tool_call_update" ? [update] : [],
  );
  const id = calls.find((call) => call.name === name)?.toolCallId;
  return Object.assign({}, ...calls.filter(({ toolCallId }) => toolCallId === id));
}

it("streams a turn: text, a tool call with its diff and location, and the end", async () => {
  const sessionId = await openSession("editor");
  expect(await say(sessionId, "Edit it.")).toEqual({ stopReason: "end_turn" });
  expect(editor.text(sessionId)).toBe("I will edit. Done.");
  expect(callOf(editor.updates(sessionId), "edit_file")).toMatchObject({
    title: "edit_file: a.txt",
    kind: "edit",
    status: "completed",
    rawInput: { path: "a.txt" },
    rawOutput: "Edited.",
    locations: [{ path: join(cwd, "a.txt"), line: 3 }],
    content: [{ type: "diff", path: join(cwd, "a.txt"), oldText: "one", newText: "two" }, { type: "content" }],
  });
  expect(editor.warnings()).toContain("what a module prints is no message");
});

it("asks for permission, and runs or refuses the call as the person says", async () => {
  for (const [optionId, status, outcome] of [
    ["allow_once", "completed", { paid: true }],
    ["reject_once", "failed", undefined],
  ] as const) {
    const sessionId = await openSession("payer");
    answer = () => select(optionId);
    expect(await say(sessionId, "Pay.")).toEqual({ stopReason: "end_turn" });
    const call = callOf(editor.updates(sessionId), "pay");
    expect(call).toMatchObject({ status, ...(outcome !== undefined && { rawOutput: outcome }) });
    expect(asked.at(-1)).toMatchObject({
      sessionId,
      toolCall: { toolCallId: call.toolCallId, title: "pay: Ada", rawInput: { to: "Ada" } },
      options: [{ kind: "allow_once" }, { kind: "reject_once" }],
    });
  }
});

it("offers to remember where the permission plugin asks, and asks no more in the session", async () => {
  const sessionId = await openSession("admin");
  const before = asked.length;
  answer = () => select("allow_session");
  await say(sessionId, "Drop it.");
  expect(asked.at(-1)?.options.map(({ optionId }) => optionId)).toEqual([
    "allow_once",
    "allow_session",
    "allow_always",
    "reject_once",
    "reject_always",
  ]);
  await say(sessionId, "Drop it again.");
  expect(asked.length).toBe(before + 1);
  expect(callOf(editor.updates(sessionId), "drop")).toMatchObject({ status: "completed" });
});

it("cancels a turn while a tool is at work, and while a person is asked", async () => {
  const waiting = await openSession("waiter");
  const turn = say(waiting, "Wait.");
  await eventually(() => expect(existsSync(join(cwd, "waiting"))).toBe(true));
  await editor.agent.notify(methods.agent.session.cancel, { sessionId: waiting });
  expect(await turn).toEqual({ stopReason: "cancelled" });
  expect(callOf(editor.updates(waiting), "wait")).toMatchObject({ status: "failed" });

  const paying = await openSession("payer");
  answer = async () => {
    await editor.agent.notify(methods.agent.session.cancel, { sessionId: paying });
    return { outcome: { outcome: "cancelled" } };
  };
  expect(await say(paying, "Pay.")).toEqual({ stopReason: "cancelled" });
});

it("takes the next prompt as the answer when the client has no forms", async () => {
  const sessionId = await openSession("asker");
  expect(await say(sessionId, "Hello.")).toEqual({ stopReason: "end_turn" });
  expect(editor.text(sessionId)).toBe("Which city?\n");
  expect(await say(sessionId, "Oslo")).toEqual({ stopReason: "end_turn" });
  expect(callOf(editor.updates(sessionId), "ask")).toMatchObject({ status: "completed", rawOutput: { city: "Oslo" } });
  expect(editor.text(sessionId)).toBe("Which city?\nThank you.");
});

it("lists, loads, resumes, closes and deletes sessions, and replays the history", async () => {
  const sessionId = await openSession("editor");
  await say(sessionId, "Edit   it\nplease.");
  const listed = await editor.agent.request(methods.agent.session.list, { cwd });
  expect(listed.sessions[0]).toMatchObject({ sessionId, cwd, title: "Edit it please." });
  expect((await editor.agent.request(methods.agent.session.list, { cwd: "/elsewhere" })).sessions).toEqual([]);
  await editor.agent.request(methods.agent.session.close, { sessionId });
  const before = editor.updates(sessionId).length;
  const resumed = await editor.agent.request(methods.agent.session.resume, { sessionId, cwd });
  expect(resumed.modes?.currentModeId).toBe("editor");
  expect(editor.updates(sessionId).length).toBe(before);
  await editor.agent.request(methods.agent.session.load, { sessionId, cwd, mcpServers: [] });
  const replayed = editor.updates(sessionId).slice(before);
  expect(replayed.map(({ sessionUpdate }) => sessionUpdate)).toEqual([
    "user_message_chunk",
    "agent_message_chunk",
    "tool_call",
    "tool_call_update",
    "agent_message_chunk",
  ]);
  expect(callOf(replayed, "edit_file")).toMatchObject({ status: "completed", kind: "edit" });
  await editor.agent.request(methods.agent.session.delete, { sessionId });
  await expect(
    editor.agent.request(methods.agent.session.load, { sessionId, cwd, mcpServers: [] }),
  ).rejects.toMatchObject({ code: -32002 });
});

it("answers bad input with the errors of JSON-RPC, and goes on", async () => {
  const { agent } = editor;
  const refused = async (method: string, params: unknown): Promise<number> => {
    const error = await agent.request(method, params).then(
      () => undefined,
      (thrown: unknown) => thrown,
    );
    if (!(error instanceof RequestError)) throw new Error(`${method} was not refused.`);
    expect(error.message).not.toBe("");
    return error.code;
  };
  const sessionId = await openSession("failing");
  expect(await refused("session/new", { cwd: "relative", mcpServers: [] })).toBe(-32602);
  expect(await refused("session/prompt", { sessionId, prompt: [{ type: "smell" }] })).toBe(-32602);
  expect(await refused("session/prompt", { sessionId, prompt: [] })).toBe(-32602);
  expect(await refused("session/prompt", { sessionId: "nobody", prompt: [{ type: "text", text: "x" }] })).toBe(-32002);
  expect(await refused("session/set_mode", { sessionId, modeId: "nobody" })).toBe(-32602);
  expect(await refused("session/set_config_option", { sessionId, configId: "model", value: "x" })).toBe(-32602);
  expect(await refused("session/list", { cursor: "x" })).toBe(-32602);
  expect(await refused("session/fly", {})).toBe(-32601);
  expect(await refused("authenticate", { methodId: "x" })).toBe(-32602);
  expect(await refused("session/prompt", { sessionId, prompt: [{ type: "text", text: "x" }] })).toBe(-32603);
  const [first, second] = [await openSession("payer"), "second"];
  answer = async () => {
    expect(await refused("session/prompt", { sessionId: first, prompt: [{ type: "text", text: second }] })).toBe(
      -32600,
    );
    return select("allow_once");
  };
  expect(await say(first, "Pay.")).toEqual({ stopReason: "end_turn" });
});

it("answers what is no message, and a request before initialize", async () => {
  const child = spawnCli(["acp", "agents.ts"], { cwd });
  onTestFinished(() => void child.kill("SIGKILL"));
  let written = "";
  child.stdout?.on("data", (chunk) => {
    written += String(chunk);
  });
  const lines = ["{", "[]", '{"jsonrpc":"2.0","id":"a","method":"session/list"}', '{"id":{}}', ""];
  child.stdin?.end(lines.join("\n"));
  await eventually(() => expect(written.split("\n").length).toBe(lines.length));
  const codes = written.split("\n").flatMap((line) => (line === "" ? [] : [JSON.parse(line)]));
  expect(codes.map(({ id, error }) => [id, error.code])).toEqual([
    [null, -32700],
    [null, -32600],
    ["a", -32600],
    [null, -32600],
  ]);
});

it("refuses an agent that does not exist before it speaks", async () => {
  const ended = await runCli(["acp", "agents.ts", "nobody"], { cwd });
  expect([ended.code, ended.stdout]).toEqual([2, ""]);
  expect(ended.stderr).toContain('There is no agent "nobody".');
});

it("continues a session in another process after kill -9 in the middle of a turn", async () => {
  const folder = createModuleFolder({ "agents.ts": AGENTS });
  const place = { cwd: folder, env: { REPRISE_INSTANCE_ID: "editor" } };
  const first = await openEditor(["agents.ts"], place);
  const sessionId = await openSession("waiter", first);
  const turn = say(sessionId, "Wait.", first).catch(() => "lost");
  await eventually(() => expect(existsSync(join(folder, "waiting"))).toBe(true));
  first.process.kill("SIGKILL");
  expect(await turn).toBe("lost");
  const second = await openEditor(["agents.ts"], place);
  onTestFinished(async () => void (await second.close()));
  await second.agent.request(methods.agent.session.load, { sessionId, cwd: folder, mcpServers: [] });
  expect(second.updates(sessionId)[0]).toMatchObject({
    sessionUpdate: "user_message_chunk",
    content: { text: "Wait." },
  });
  writeFileSync(join(folder, "go"), "");
  await eventually(() => expect(second.text(sessionId)).toBe("The wait is over."));
  expect(callOf(second.updates(sessionId), "wait")).toMatchObject({ status: "completed", rawOutput: "waited" });
});

it("asks again in another process for the permission that was open, and shows forms where the client has them", async () => {
  const folder = createModuleFolder({ "agents.ts": AGENTS });
  const place = { cwd: folder, env: { REPRISE_INSTANCE_ID: "editor" } };
  const first = await openEditor(["agents.ts"], { ...place, answer: () => new Promise(() => undefined) });
  const sessionId = await openSession("payer", first);
  const turn = say(sessionId, "Pay.", first).catch(() => "lost");
  await eventually(() => expect(callOf(first.updates(sessionId), "pay")).toMatchObject({ status: "pending" }));
  first.process.kill("SIGKILL");
  expect(await turn).toBe("lost");
  const capabilities = { elicitation: { form: {} } };
  const second = await openEditor(["agents.ts"], {
    ...place,
    capabilities,
    answer: () => select("allow_once"),
    fill: ({ message }) => ({ action: "accept", content: { answer: `${message} Oslo` } }),
  });
  onTestFinished(async () => void (await second.close()));
  await second.agent.request(methods.agent.session.load, { sessionId, cwd: folder, mcpServers: [] });
  await eventually(() => expect(second.text(sessionId)).toBe("It is settled."));
  expect(callOf(second.updates(sessionId), "pay")).toMatchObject({ status: "completed", rawOutput: { paid: true } });
  const asking = await openSession("asker", second);
  expect(await say(asking, "Hello.", second)).toEqual({ stopReason: "end_turn" });
  expect(callOf(second.updates(asking), "ask")).toMatchObject({ rawOutput: { city: "Which city? Oslo" } });
});
