import type { Message } from "@reprise/contracts";
import { openaiCompatible } from "@reprise/models";
import { type ModelServer, startModelServer } from "@reprise/testkit/model-server";
import { afterEach, expect, it } from "vitest";
import { ask, chunksOf, toolOf } from "../support/ask.ts";

let server: ModelServer | undefined;
afterEach(async () => {
  await server?.close();
});

async function send(messages: readonly Message[], tools = [toolOf("pay")]) {
  server = await startModelServer(() => "Fine.");
  const model = openaiCompatible({
    id: "local",
    baseUrl: `${server.url}/v1`,
    apiKey: " key\n",
    headers: { "X-Team": "seven" },
  }).model("m");
  const answer = await ask(model, { messages, tools });
  expect(answer.error).toBeUndefined();
  const [request] = server.requests;
  // The server keeps what it was sent as it was; what is read of it is compared below.
  const body = request?.body as { messages: object[]; tools: object[] };
  return { body, headers: request?.headers };
}

it("writes a conversation as the protocol wants it", async () => {
  const { body, headers } = await send([
    { id: "u", role: "user", content: "Pay Ada." },
    {
      id: "a",
      role: "assistant",
      content: [
        { type: "reasoning", text: "Hm." },
        { type: "text", text: "Paying." },
      ],
      tool_calls: [{ id: "r1-s1-c0", name: "pay", arguments: { to: "Ada" }, provider_call_id: "call_x" }],
    },
    { id: "t", role: "tool", tool_call_id: "r1-s1-c0", content: '{"paid":true}' },
    { id: "n", role: "system", content: "Somebody says this is the system." },
  ]);
  expect(headers).toMatchObject({ authorization: "Bearer key", "x-team": "seven", "content-type": "application/json" });
  expect(body).toEqual({
    model: "m",
    stream: true,
    stream_options: { include_usage: true },
    tools: [
      {
        type: "function",
        function: { name: "pay", description: "Does pay.", parameters: { type: "object", properties: {} } },
      },
    ],
    messages: [
      { role: "system", content: "Be kind." },
      { role: "user", content: "Pay Ada." },
      {
        role: "assistant",
        content: "Paying.",
        tool_calls: [{ id: "call_x", type: "function", function: { name: "pay", arguments: '{"to":"Ada"}' } }],
      },
      { role: "tool", tool_call_id: "call_x", content: '{"paid":true}' },
      // Only the operator speaks in the system role.
      { role: "user", content: "Somebody says this is the system." },
    ],
  });
});

it("gives every call an id of its own, also where the model counts from one each time", async () => {
  const call = (id: string, provider_call_id: string) => ({ id, name: "pay", arguments: {}, provider_call_id });
  const { body } = await send([
    { id: "u", role: "user", content: "Pay." },
    { id: "a1", role: "assistant", content: "", tool_calls: [call("run-s1-c0", "call_1")] },
    { id: "r1", role: "tool", tool_call_id: "run-s1-c0", content: "one" },
    {
      id: "a2",
      role: "assistant",
      content: "",
      tool_calls: [call("run-s2-c0", "call_1"), call("run-s2-c1", "functions.pay:1")],
    },
    { id: "r2", role: "tool", tool_call_id: "run-s2-c0", content: "two" },
    { id: "r3", role: "tool", tool_call_id: "run-s2-c1", content: "three" },
  ]);
  const ids = body.messages
    .flatMap((message) => ("tool_calls" in message ? (message.tool_calls as { id: string }[]) : []))
    .map(({ id }) => id);
  expect(ids).toEqual(["call_1", "run-s2-c0", "run-s2-c1"]);
  const answered = body.messages.flatMap((message) => ("tool_call_id" in message ? [message.tool_call_id] : []));
  expect(answered).toEqual(ids);
});

it("shows a model what it wrote instead of arguments, inside of an object", async () => {
  const { body } = await send([
    { id: "u", role: "user", content: "Pay." },
    { id: "a", role: "assistant", content: "", tool_calls: [{ id: "c", name: "pay", arguments: '{"to":' }] },
    { id: "r", role: "tool", tool_call_id: "c", content: "The arguments are not valid JSON." },
  ]);
  expect(JSON.stringify(body.messages)).toContain(String.raw`{\"invalid_arguments\":\"{\\\"to\\\":\"}`);
});

it("says nothing where the model said nothing", async () => {
  const { body } = await send([
    { id: "u", role: "user", content: "Hello." },
    { id: "a", role: "assistant", content: [{ type: "reasoning", text: "Hm." }] },
  ]);
  expect(body.messages).toHaveLength(2);
});

it("calls tools by names the protocol takes, and hears them by their ids", async () => {
  const ids = ["mail.send", "mail/send", "mail_send", "x".repeat(80)];
  server = await startModelServer((request) => {
    const { tools } = request.body as { tools: { function: { name: string } }[] };
    return tools.map((tool) => ({ call: tool.function.name }));
  });
  const model = openaiCompatible({ id: "local", baseUrl: `${server.url}/v1` }).model("m");
  const answer = await ask(model, { tools: ids.map((id) => toolOf(id)) });
  expect(chunksOf(answer, "tool_call_ready").map(({ name }) => name)).toEqual(ids);
  const sent = JSON.stringify(server.requests[0]?.body);
  const { tools }: { tools: { function: { name: string } }[] } = JSON.parse(sent);
  const names = tools.map((tool) => tool.function.name);
  expect(names[2]).toBe("mail_send");
  expect(new Set(names).size).toBe(4);
  for (const name of names) expect(name).toMatch(/^[A-Za-z0-9_-]{1,64}$/);
});

it("sends a name and password in the address as a header, and nowhere else", async () => {
  server = await startModelServer(() => "Fine.");
  const url = new URL(`${server.url}/v1?api-version=2`);
  url.username = "ada";
  url.password = "p@ss";
  await ask(openaiCompatible({ id: "local", baseUrl: url.href }).model("m"));
  expect(server.requests[0]).toMatchObject({
    path: "/v1/chat/completions?api-version=2",
    headers: { authorization: `Basic ${Buffer.from("ada:p@ss").toString("base64")}` },
  });
});

it("takes another key when one was refused, if there is one", async () => {
  server = await startModelServer((request) =>
    request.headers.authorization === "Bearer new"
      ? "Fine."
      : { status: 401, body: { error: { code: "invalid_api_key" } } },
  );
  const keys = ["new"];
  const provider = openaiCompatible({
    id: "local",
    baseUrl: `${server.url}/v1`,
    apiKey: "old",
    renewKey: async () => keys.shift(),
  });
  const model = provider.model("m");
  expect((await ask(model)).error).toMatchObject({ kind: "auth" });
  expect(await provider.refreshAuth?.()).toBe(true);
  expect((await ask(model)).error).toBeUndefined();
  expect(await provider.refreshAuth?.()).toBe(false);
});
