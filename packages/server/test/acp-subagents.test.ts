import {
  type AnyMessage,
  client,
  methods,
  type NewSessionRequest,
  type PromptRequest,
  type SessionNotification,
} from "@agentclientprotocol/sdk";
import { connectAcp } from "@reprise/server/acp";
import { expect, it } from "vitest";
import { openDemo } from "./support/open-demo.ts";
import { teamAgents } from "./support/team-agents.ts";

type Asked = { readonly title?: string | null; readonly toolCallId: string; readonly rawInput?: unknown };
type Answer = (asked: Asked) => string | Promise<string>;
type Demo = Awaited<ReturnType<typeof openDemo>>;

/** The official client, connected to a runtime in this process. */
async function connect({ runtime }: Demo, answer: Answer) {
  const toClient = new TransformStream<AnyMessage, AnyMessage>();
  const writer = toClient.writable.getWriter();
  const connection = connectAcp({
    runtime,
    version: "0",
    agent: "boss",
    write: (line) => writer.write(JSON.parse(line)),
  });
  const writable = new WritableStream<AnyMessage>({ write: (sent) => connection.receive(JSON.stringify(sent)) });
  const updates: SessionNotification["update"][] = [];
  const asked: Asked[] = [];
  const app = client()
    .onNotification(methods.client.session.update, ({ params }) => void updates.push(params.update))
    .onRequest(methods.client.session.requestPermission, async ({ params }) => {
      asked.push(params.toolCall);
      return { outcome: { outcome: "selected" as const, optionId: await answer(params.toolCall) } };
    });
  const { agent } = app.connect({ readable: toClient.readable, writable });
  await agent.request(methods.agent.initialize, { protocolVersion: 1, clientCapabilities: {} });
  return { agent, updates, asked, close: () => connection.close() };
}

const newSession: NewSessionRequest = { cwd: "/w", mcpServers: [] };
const go = (sessionId: string): PromptRequest => ({ sessionId, prompt: [{ type: "text", text: "go" }] });

it.each([
  ["allow_once", "completed", "succeeded"],
  ["reject_once", "failed", "cancelled"],
])("asks for permission for a call of a run below; %s decides it", async (option, shown, stored) => {
  const demo = await openDemo({ agents: teamAgents() });
  const { agent, updates, asked } = await connect(demo, () => option);
  const { sessionId } = await agent.request(methods.agent.session.new, newSession);
  const { stopReason } = await agent.request(methods.agent.session.prompt, go(sessionId));
  expect(stopReason).toBe("end_turn");
  expect(asked).toMatchObject([{ title: "pay: Ada", rawInput: { to: "Ada" } }]);
  const { toolCallId = "" } = asked[0] ?? {};
  const told = updates.flatMap((each) =>
    (each.sessionUpdate === "tool_call" || each.sessionUpdate === "tool_call_update") && each.toolCallId === toolCallId
      ? [[each.sessionUpdate, each.status]]
      : [],
  );
  expect([told[0], told.at(-1)]).toEqual([
    ["tool_call", "pending"],
    ["tool_call_update", shown],
  ]);
  // What the clerk said is its own.
  const said = updates.flatMap((each) =>
    each.sessionUpdate === "agent_message_chunk" && each.content.type === "text" ? [each.content.text] : [],
  );
  expect(said.join("")).toBe("All is paid.");
  const [clerk] = (await demo.runtime.runs({ agentId: "clerk" })).items;
  expect((await demo.runtime.calls({ runId: clerk?.run_id ?? "" })).items).toMatchObject([{ status: stored }]);
});

it("asks about each of two runs below at the same time, whichever is answered first", async () => {
  const demo = await openDemo({ agents: teamAgents(["Ada", "Bob"]) });
  const both = Promise.withResolvers<void>();
  const seen = new Set<string>();
  const { agent } = await connect(demo, async ({ toolCallId }) => {
    seen.add(toolCallId);
    if (seen.size === 2) both.resolve();
    await both.promise;
    return "allow_once";
  });
  const { sessionId } = await agent.request(methods.agent.session.new, newSession);
  const { stopReason } = await agent.request(methods.agent.session.prompt, go(sessionId));
  expect([stopReason, seen.size, await demo.runtime.decisions.list()]).toEqual(["end_turn", 2, []]);
});

it("takes the question back when another person decides first", async () => {
  const demo = await openDemo({ agents: teamAgents() });
  const { promise: isAsked, resolve } = Promise.withResolvers<void>();
  const { agent } = await connect(demo, () => {
    resolve();
    return new Promise<string>(() => undefined);
  });
  const { sessionId } = await agent.request(methods.agent.session.new, newSession);
  const prompted = agent.request(methods.agent.session.prompt, go(sessionId));
  await isAsked;
  const [open] = await demo.runtime.decisions.list();
  await demo.runtime.decisions.decide(open?.id ?? "", { action: "approve" });
  expect((await prompted).stopReason).toBe("end_turn");
});

it("asks a client that loads the session while a run below waits", async () => {
  const demo = await openDemo({ agents: teamAgents() });
  const { promise: isAsked, resolve } = Promise.withResolvers<void>();
  const first = await connect(demo, () => {
    resolve();
    return new Promise<string>(() => undefined);
  });
  const { sessionId } = await first.agent.request(methods.agent.session.new, newSession);
  void first.agent.request(methods.agent.session.prompt, go(sessionId)).catch(() => undefined);
  await isAsked;
  first.close();
  const second = await connect(demo, () => "allow_once");
  await second.agent.request(methods.agent.session.load, { sessionId, ...newSession });
  const [run] = (await demo.runtime.runs({ threadId: sessionId })).items;
  const outcome = await (await demo.runtime.run(run?.run_id ?? "")).outcome();
  expect([outcome.status, second.asked.length]).toEqual(["done", 1]);
});
