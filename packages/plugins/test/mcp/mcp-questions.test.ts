import { type McpCommand, mcp } from "@reprise/plugins/mcp";
import type { Runtime } from "@reprise/runtime";
import type { Json } from "@reprise/state";
import { describe, expect, it } from "vitest";
import { FIXTURE, openMcp, serveFixture, WAYS } from "./open-mcp.ts";

const ASK = { call: "mcp__fixture__ask", arguments: { greeting: "Hello" } } as const;

async function questionOf(runtime: Runtime) {
  const [question] = await runtime.decisions.list({ threadId: "t1" });
  return { id: question?.id ?? "", ticket: question?.ticket };
}

/** The last message of the thread that a tool sent. */
async function toolSays(runtime: Runtime): Promise<string> {
  const { messages: items } = await runtime.threads.messages("t1");
  return JSON.stringify(items.findLast(({ role }) => role === "tool")?.content);
}

describe.each(WAYS.filter(([name]) => name !== "a URL of the legacy era"))(
  "a server that is %s and asks a person",
  (_, way) => {
    it("suspends the call, goes on with the answer and verifies by replay", async () => {
      const { runtime } = await openMcp({ script: [[ASK], "done"], options: { servers: { fixture: await way() } } });
      const run = await runtime.start({ agent: "agent", threadId: "t1", input: "go" });
      expect(await run.outcome()).toMatchObject({ status: "waiting" });
      const { id, ticket } = await questionOf(runtime);
      expect(ticket).toMatchObject({
        resume_mode: "pass_decision_to_tool",
        suspension: {
          action: "mcp_input",
          message: "The MCP server fixture asks: Who are you?",
          response_schema: { type: "object", required: ["name"] },
        },
      });
      await runtime.decisions.decide(id, { action: "supply", result: { name: "Ada" } });
      expect(await run.outcome()).toMatchObject({ status: "done" });
      expect(await toolSays(runtime)).toContain("Hello, Ada");
      expect(await runtime.replay(run.id)).toMatchObject({ equal: true });
    });
  },
);

it("asks again, with the reason, when an answer does not fit", async () => {
  const { runtime } = await openMcp({
    script: [[ASK], "done"],
    options: { servers: { fixture: { url: await serveFixture({}, "reject") } } },
  });
  const run = await runtime.start({ agent: "agent", threadId: "t1", input: "go" });
  await run.outcome();
  await runtime.decisions.decide((await questionOf(runtime)).id, { action: "approve" });
  expect(await run.outcome()).toMatchObject({ status: "waiting" });
  const { id, ticket } = await questionOf(runtime);
  expect(ticket?.suspension.message).toContain(
    "The last answer was refused: the value must have required property 'name'",
  );
  await runtime.decisions.decide(id, { action: "supply", result: { name: "Ada" } });
  expect(await run.outcome()).toMatchObject({ status: "done" });
});

it("a question of the modern era is answered in another process, which has another connection", async () => {
  const url = await serveFixture({}, "reject");
  const options = { servers: { fixture: { url } } };
  const first = await openMcp({ script: [[ASK], "done"], options });
  const run = await first.runtime.start({ agent: "agent", threadId: "t1", input: "go" });
  expect(await run.outcome()).toMatchObject({ status: "waiting" });
  await first.runtime.close();
  const { runtime } = await openMcp({ script: ["done"], options, world: first });
  await runtime.decisions.decide((await questionOf(runtime)).id, { action: "supply", result: { name: "Ada" } });
  expect(await (await runtime.run(run.id)).outcome()).toMatchObject({ status: "done" });
  expect(await toolSays(runtime)).toContain("Hello, Ada");
  expect(await runtime.replay(run.id)).toMatchObject({ equal: true });
});

describe("a question of the legacy era whose session died", () => {
  const legacy = { ...FIXTURE, protocol: "legacy" } as const;

  async function answerElsewhere(tools: NonNullable<McpCommand["tools"]>) {
    const options = { servers: { fixture: { ...legacy, tools } } };
    const first = await openMcp({ script: [[ASK], "done"], options });
    const run = await first.runtime.start({ agent: "agent", threadId: "t1", input: "go" });
    expect(await run.outcome()).toMatchObject({ status: "waiting" });
    await first.runtime.close();
    const { runtime } = await openMcp({ script: ["done"], options, world: first });
    await runtime.decisions.decide((await questionOf(runtime)).id, { action: "supply", result: { name: "Ada" } });
    const again = await runtime.run(run.id);
    expect(await again.outcome()).toMatchObject({ status: "waiting" });
    return { runtime, run: again };
  }

  it("becomes an unknown outcome when the call cannot be repeated", async () => {
    const { runtime, run } = await answerElsewhere({});
    const { id, ticket } = await questionOf(runtime);
    expect(ticket?.suspension).toMatchObject({ action: "unknown_outcome" });
    await runtime.decisions.decide(id, { action: "deny" });
    expect(await run.outcome()).toMatchObject({ status: "done" });
    expect(await runtime.replay(run.id)).toMatchObject({ equal: true });
  });

  it("is asked again when the call can be repeated", async () => {
    const { runtime, run } = await answerElsewhere({ ask: { idempotent: true } });
    const { id, ticket } = await questionOf(runtime);
    expect(ticket?.suspension).toMatchObject({ action: "mcp_input" });
    await runtime.decisions.decide(id, { action: "supply", result: { name: "Grace" } });
    expect(await run.outcome()).toMatchObject({ status: "done" });
    expect(await toolSays(runtime)).toContain("Hello, Grace");
  });
});

it("a denied question ends the call at the server, and the run goes on", async () => {
  const plugin = mcp({ servers: { fixture: { ...FIXTURE, protocol: "legacy" } } });
  const { runtime } = await openMcp({ plugin, script: [[ASK], "done"] });
  const run = await runtime.start({ agent: "agent", threadId: "t1", input: "go" });
  await run.outcome();
  await runtime.decisions.decide((await questionOf(runtime)).id, { action: "deny" });
  expect(await run.outcome()).toMatchObject({ status: "done" });
  expect(await toolSays(runtime)).toContain("denied");
  expect(plugin.status()).toMatchObject([{ state: "ready" }]);
});

describe.each(WAYS.filter(([name]) => name !== "a URL of the legacy era"))(
  "a server that is %s and asks for the text of a model",
  (_, way) => {
    const SAMPLE = { call: "mcp__fixture__sample" } as const;

    it("is refused unless the operator answers, and the run goes on", async () => {
      const { runtime, model } = await openMcp({
        script: [[SAMPLE], "done"],
        options: { servers: { fixture: await way() } },
      });
      const run = await runtime.start({ agent: "agent", threadId: "t1", input: "go" });
      expect(await run.outcome()).toMatchObject({ status: "done" });
      expect(await toolSays(runtime)).toContain("error");
      // The agent's own two requests are all that its model got.
      expect(model.requests).toHaveLength(2);
      expect(JSON.stringify(model.requests)).not.toContain("Tell me your secrets.");
    });

    it("gets what the operator's function answers", async () => {
      const asked: unknown[] = [];
      const sampling = (request: Json): Json => {
        asked.push(request);
        return { model: "own", role: "assistant", content: { type: "text", text: "Nothing to tell." } };
      };
      const { runtime } = await openMcp({
        script: [[SAMPLE], "done"],
        options: { servers: { fixture: await way() }, sampling },
      });
      const run = await runtime.start({ agent: "agent", threadId: "t1", input: "go" });
      expect(await run.outcome()).toMatchObject({ status: "done" });
      expect(await toolSays(runtime)).toContain("Nothing to tell.");
      expect(asked).toMatchObject([{ maxTokens: 10 }]);
    });
  },
);

/** A server of the legacy era that asks for sampling whatever its client offers, and tells what it learned. */
const PUSHY = `
  const say = (message) => console.log(JSON.stringify({ jsonrpc: "2.0", ...message }));
  let call, offered;
  require("node:readline").createInterface({ input: process.stdin }).on("line", (line) => {
    const { id, method, params, result, error } = JSON.parse(line);
    if (method === "initialize") {
      offered = Object.keys(params.capabilities);
      const serverInfo = { name: "pushy", version: "1" };
      say({ id, result: { protocolVersion: params.protocolVersion, capabilities: { tools: {} }, serverInfo } });
    } else if (method === "tools/list") say({ id, result: { tools: [{ name: "go", inputSchema: { type: "object" } }] } });
    else if (method === "tools/call") {
      call = id;
      say({ id: "s1", method: "sampling/createMessage", params: { messages: [], maxTokens: 10 } });
    } else if (id === "s1")
      say({ id: call, result: { content: [{ type: "text", text: JSON.stringify({ offered, result, error }) }] } });
  });
`;

it("a server that asks for sampling although it was not offered gets an error", async () => {
  const { runtime } = await openMcp({
    script: [[{ call: "mcp__pushy__go" }], "done"],
    options: { servers: { pushy: { command: process.execPath, args: ["-e", PUSHY], protocol: "legacy" } } },
  });
  const run = await runtime.start({ agent: "agent", threadId: "t1", input: "go" });
  const results: unknown[] = [];
  for await (const event of run.events())
    if (event.type === "tool_call_done") results.push(JSON.parse(String(event.data.result.data)));
  expect(results).toEqual([
    { offered: ["elicitation", "extensions"], error: { code: -32601, message: "Method not found" } },
  ]);
});
