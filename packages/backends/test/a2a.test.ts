import { createServer as createHttpServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { a2aAgents, a2aBackend } from "@reprise/backends/a2a";
import { textOf } from "@reprise/contracts";
import { scriptedModel } from "@reprise/models";
import { createEgress, createNodeEnv } from "@reprise/node";
import { agentTools } from "@reprise/plugins/agent-tools";
import { createRegistryBuilder, createRuntime, defineAgent, defineTool, type Runtime } from "@reprise/runtime";
import { createServer, type ServerOptions } from "@reprise/server";
import { listen } from "@reprise/server/node";
import { createMemoryBlobStore, createMemoryStore } from "@reprise/stores/memory";
import { describe, expect, it, onTestFinished } from "vitest";

const env = createNodeEnv();

/** The service that the agents really run in: a whole Reprise server behind a socket. */
async function openFar(options: Partial<ServerOptions> = {}) {
  const pay = defineTool({
    id: "pay",
    description: "Pays.",
    inputSchema: { type: "object", properties: { amount: { type: "number" } }, required: ["amount"] },
    needsApproval: true,
    execute: ({ amount }: { amount: number }) => ({ paid: amount }),
  });
  const model = scriptedModel(({ messages }) => {
    const last = messages.at(-1);
    if (last?.role === "tool") return `It says ${textOf(last)}.`;
    const said = last === undefined ? "" : textOf(last);
    if (said.includes("pay")) return [{ call: "pay", arguments: { amount: 5 } }];
    if (said.includes("stall")) return [{ text: "One moment" }, { stall: true }];
    return [{ text: ["You ", "said: ", said, ` (${messages.length} messages)`] }];
  });
  const store = createMemoryStore({ clock: env.clock });
  const agents = [defineAgent({ id: "clerk", model, tools: [pay] })];
  const runtime = await createRuntime({ agents, store, blobs: createMemoryBlobStore(env), env });
  const listening = await listen(createServer({ runtime, ...options }), { port: 0 });
  onTestFinished(async () => {
    await listening.close();
    await runtime.close();
  });
  return { runtime, url: listening.url };
}

type Endpoint = string | { readonly url: string; readonly [key: string]: unknown };

/** A runtime here whose agent `far` runs there. */
async function openNear(endpoint: Endpoint, store = createMemoryStore({ clock: env.clock })) {
  const registries = createRegistryBuilder()
    .withBackend(a2aBackend({ maxReconnects: 2 }))
    .withAgent({
      id: "far",
      endpoint: typeof endpoint === "string" ? { url: endpoint, remote_agent_id: "clerk" } : endpoint,
    })
    .build();
  const runtime = await createRuntime({
    registries,
    store,
    blobs: createMemoryBlobStore(env),
    env,
    limits: { closeTimeoutMs: 1 },
  });
  onTestFinished(async () => {
    await runtime.close().catch(() => undefined);
  });
  return { runtime, store };
}

const start = (runtime: Runtime, input: string, threadId = "t") => runtime.start({ agent: "far", threadId, input });

describe("an agent in another service", () => {
  it("answers in pieces as its model writes, keeps its context over runs, and the run verifies by replay", async () => {
    const far = await openFar();
    const { runtime } = await openNear(`${far.url}/v1/a2a`);
    const run = await start(runtime, "hello");
    const deltas: string[] = [];
    for await (const event of run.events()) if (event.type === "text_delta") deltas.push(event.data.delta);
    expect(deltas).toEqual(["You ", "said: ", "hello", " (1 messages)"]);
    expect(await run.text).toBe("You said: hello (1 messages)");
    expect(await (await start(runtime, "again")).text).toBe("You said: again (3 messages)");
    expect(await runtime.replay(run.id)).toMatchObject({ equal: true });
    expect((await far.runtime.runs()).items.map(({ origin }) => origin)).toEqual(["a2a", "a2a"]);
  });

  it.each([
    [{ action: "approve" } as const, 'It says {"paid":5}.'],
    [{ action: "edit", arguments: { amount: 1 } } as const, 'It says {"paid":1}.'],
  ])("asks here for its approvals, and hears the decision %j", async (verb, text) => {
    const far = await openFar();
    const { runtime } = await openNear(`${far.url}/v1/a2a`);
    const run = await start(runtime, "pay");
    expect(await run.outcome()).toMatchObject({ status: "waiting" });
    const [question] = await runtime.decisions.list();
    expect(question).toMatchObject({ arguments: { tool: "pay", arguments: { amount: 5 } } });
    await runtime.decisions.decide(question?.id ?? "", verb);
    expect(await run.outcome()).toMatchObject({ status: "done", text });
    expect(await runtime.replay(run.id)).toMatchObject({ equal: true });
  });

  it("is told of a denial", async () => {
    const far = await openFar();
    const { runtime } = await openNear(`${far.url}/v1/a2a`);
    const run = await start(runtime, "pay");
    await run.outcome();
    await runtime.decisions.decide((await runtime.decisions.list())[0]?.id ?? "", {
      action: "deny",
      reason: "too much",
    });
    expect(await run.text).toContain("too much");
  });

  it("is cancelled with the run here", async () => {
    const far = await openFar();
    const { runtime } = await openNear(`${far.url}/v1/a2a`);
    const run = await start(runtime, "stall");
    for await (const event of run.events()) if (event.type === "text_delta") break;
    await run.cancel();
    expect(await run.outcome()).toMatchObject({ status: "cancelled" });
    const [task] = (await far.runtime.runs()).items;
    expect(await (await far.runtime.run(task?.run_id ?? "")).outcome()).toMatchObject({ status: "cancelled" });
  });

  it("continues the same task when the process here is gone", async () => {
    const far = await openFar();
    const first = await openNear(`${far.url}/v1/a2a`);
    const { id } = await start(first.runtime, "pay");
    await (await first.runtime.run(id)).outcome();
    await first.runtime.close();
    const { runtime } = await openNear(`${far.url}/v1/a2a`, first.store);
    await runtime.decisions.decide((await runtime.decisions.list())[0]?.id ?? "", { action: "approve" });
    expect(await (await runtime.run(id)).text).toBe('It says {"paid":5}.');
    expect((await far.runtime.runs()).total).toBe(1);
  });

  it("works for another agent like any agent here", async () => {
    const far = await openFar();
    const model = scriptedModel(({ messages }) => {
      const result = messages.find(({ role }) => role === "tool");
      return result === undefined
        ? [{ call: "agent_run", arguments: { agent_id: "far", prompt: "hello" } }]
        : `The clerk: ${textOf(result)}`;
    });
    const lead = defineAgent({ id: "lead", model, plugins: [agentTools()] });
    const registries = createRegistryBuilder()
      .withBackend(a2aBackend())
      .withAgent(lead.spec, { plugins: lead.plugins, model })
      .withAgent({ id: "far", endpoint: { url: `${far.url}/v1/a2a`, remote_agent_id: "clerk" } })
      .build();
    const store = createMemoryStore({ clock: env.clock });
    const runtime = await createRuntime({ registries, store, blobs: createMemoryBlobStore(env), env });
    onTestFinished(() => runtime.close());
    const run = await runtime.start({ agent: "lead", input: "ask the clerk" });
    expect(await run.text).toContain("You said: hello");
  });

  it("gets the credential of its endpoint", async () => {
    const seen: (string | null)[] = [];
    const authenticate = async (headers: Headers) => {
      seen.push(headers.get("x-key"));
      return headers.get("x-key") === "k" ? ({ id: "near", scopes: ["admin"] } as const) : undefined;
    };
    const far = await openFar({ authenticate });
    const auth = { kind: "header", name: "x-key", value: "k" };
    const { runtime } = await openNear({ url: `${far.url}/v1/a2a`, remote_agent_id: "clerk", auth });
    expect(await (await start(runtime, "hello")).text).toContain("You said: hello");
    expect(new Set(seen)).toEqual(new Set(["k"]));
    const { runtime: stranger } = await openNear(`${far.url}/v1/a2a`);
    expect(await (await start(stranger, "hello")).outcome()).toMatchObject({
      status: "failed",
      code: "BACKEND_FAILED",
    });
  });
});

/** A small agent of another make, without streams: JSON-RPC, polled. */
async function openOther(answer: (method: string, params: Record<string, unknown>) => unknown, card: object = {}) {
  const calls: string[] = [];
  const server = createHttpServer(async (request: IncomingMessage, response: ServerResponse) => {
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const send = (status: number, body: unknown): void => {
      response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
    };
    if (request.url === "/.well-known/agent-card.json") {
      const supportedInterfaces = [{ url: `${url}/rpc`, protocolBinding: "JSONRPC", protocolVersion: "1.0" }];
      return send(200, { name: "other", supportedInterfaces, capabilities: {}, ...card });
    }
    if (request.method !== "POST") return send(404, {});
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const { id, method, params } = JSON.parse(Buffer.concat(chunks).toString());
    calls.push(method);
    send(200, { jsonrpc: "2.0", id, ...(answer(method, params) as object) });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void server.close());
  return { calls, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` };
}

describe("an agent of another make", () => {
  it("that has no stream is asked until it is done", async () => {
    let asked = 0;
    const other = await openOther((method) => {
      const working = { id: "task", contextId: "c", status: { state: "TASK_STATE_WORKING" } };
      if (method === "SendMessage") return { result: { task: working } };
      asked += 1;
      const artifacts = [{ artifactId: "a", parts: [{ text: "It is done." }] }];
      return { result: asked < 3 ? working : { ...working, status: { state: "TASK_STATE_COMPLETED" }, artifacts } };
    });
    const { runtime } = await openNear({ url: other.url, poll_interval_ms: 100 });
    expect(await (await start(runtime, "go")).text).toBe("It is done.");
    expect(other.calls).toEqual(["SendMessage", "GetTask", "GetTask", "GetTask"]);
  });

  it("may answer with a message instead of a task", async () => {
    const message = { messageId: "m", role: "ROLE_AGENT", parts: [{ text: "Just this." }] };
    const other = await openOther(() => ({ result: { message } }));
    const { runtime } = await openNear(other.url);
    expect(await (await start(runtime, "go")).text).toBe("Just this.");
  });

  it("may ask in words, and gets the answer as text", async () => {
    const task = { id: "task", contextId: "c" };
    const question = { messageId: "q", role: "ROLE_AGENT", parts: [{ text: "Which city?" }] };
    const other = await openOther((method, params) => {
      const message = params.message as { parts: readonly { text: string }[]; taskId?: string } | undefined;
      if (method === "SendMessage" && message?.taskId === "task") {
        const artifacts = [{ artifactId: "a", parts: [{ text: `Flying to ${message.parts[0]?.text}.` }] }];
        return { result: { task: { ...task, status: { state: "TASK_STATE_COMPLETED" }, artifacts } } };
      }
      return { result: { task: { ...task, status: { state: "TASK_STATE_INPUT_REQUIRED", message: question } } } };
    });
    const { runtime } = await openNear(other.url);
    const run = await start(runtime, "book a flight");
    await run.outcome();
    const [open] = await runtime.decisions.list();
    expect(open?.ticket?.suspension.message).toBe("Which city?");
    await runtime.decisions.decide(open?.id ?? "", { action: "supply", result: "Oslo" });
    expect(await run.text).toBe("Flying to Oslo.");
  });

  it.each([
    [
      "fails",
      { result: { task: { id: "x", contextId: "c", status: { state: "TASK_STATE_FAILED" } } } },
      "TASK_STATE_FAILED",
    ],
    ["refuses", { error: { code: -32602, message: "no such thing" } }, "no such thing"],
    ["talks nonsense", { result: { task: { id: "x", contextId: "c", status: { state: "DANCING" } } } }, "DANCING"],
  ])("that %s makes the run fail with its words", async (_, answer, words) => {
    const other = await openOther(() => answer);
    const { runtime } = await openNear(other.url);
    const outcome = await (await start(runtime, "go")).outcome();
    expect(outcome).toMatchObject({ status: "failed", error: expect.stringContaining(words) });
  });

  it("cannot send credentials to another origin by its card", async () => {
    const interfaces = [{ url: "http://127.0.0.1:1/rpc", protocolBinding: "JSONRPC", protocolVersion: "1.0" }];
    const other = await openOther(() => ({}), { supportedInterfaces: interfaces });
    const { runtime } = await openNear(other.url);
    const outcome = await (await start(runtime, "go")).outcome();
    expect(outcome).toMatchObject({ status: "failed", error: expect.stringContaining("another origin") });
    expect(other.calls).toEqual([]);
  });

  it("that rejects the work ends the run with its reason", async () => {
    const message = { messageId: "m", role: "ROLE_AGENT", parts: [{ text: "not my field" }] };
    const status = { state: "TASK_STATE_REJECTED", message };
    const other = await openOther(() => ({ result: { task: { id: "x", contextId: "c", status } } }));
    const { runtime } = await openNear(other.url);
    const run = await start(runtime, "go");
    await run.outcome();
    expect(await run.record()).toMatchObject({
      termination_code: "stopped:rejected",
      termination_detail: "not my field",
    });
  });

  it("gets files as bytes, and its own files are shown", async () => {
    const asked: unknown[] = [];
    const file = { url: "https://files.test/plan.pdf", mediaType: "application/pdf", filename: "plan.pdf" };
    const artifacts = [
      { artifactId: "a", parts: [{ text: "Here." }] },
      { artifactId: "b", parts: [file] },
    ];
    const other = await openOther((_, params) => {
      asked.push((params.message as { parts: unknown }).parts);
      return { result: { task: { id: "x", contextId: "c", status: { state: "TASK_STATE_COMPLETED" }, artifacts } } };
    });
    const { runtime } = await openNear(other.url);
    const { ref } = await runtime.blobs.put(new TextEncoder().encode("notes"), { media_type: "text/plain" });
    const content = [
      { type: "text", text: "Read these." },
      { type: "file", url: ref, media_type: "text/plain", filename: "notes.txt" },
      { type: "image", url: "https://pictures.test/a.png" },
    ] as const;
    const run = await runtime.start({ agent: "far", input: [{ role: "user", content }] });
    const shown: unknown[] = [];
    for await (const event of run) if (event.type === "activity_snapshot") shown.push(event.data);
    expect(asked).toEqual([
      [
        { text: "Read these." },
        { raw: Buffer.from("notes").toString("base64"), mediaType: "text/plain", filename: "notes.txt" },
        { url: "https://pictures.test/a.png" },
      ],
    ]);
    expect(shown).toEqual([
      {
        message_id: "b",
        activity_type: "file",
        content: { url: file.url, media_type: "application/pdf", filename: "plan.pdf" },
      },
    ]);
    expect(await runtime.replay(run.id)).toMatchObject({ equal: true });
  });

  it("without a card is not found, and the run says where it was looked for", async () => {
    const far = await openFar();
    const { runtime } = await openNear(`${far.url}/nowhere`);
    const outcome = await (await start(runtime, "go")).outcome();
    expect(outcome).toMatchObject({ status: "failed", error: expect.stringContaining("no agent card at") });
  });
});

describe("discovery", () => {
  const egress = createEgress();
  const discover = async (options: Omit<Parameters<typeof a2aAgents>[0], "egress">) => {
    const registries = await createRegistryBuilder()
      .withBackend(a2aBackend())
      .withRemoteAgents(a2aAgents({ egress, ...options }))
      .buildAndDiscover();
    const store = createMemoryStore({ clock: env.clock });
    const runtime = await createRuntime({ registries, store, blobs: createMemoryBlobStore(env), env });
    onTestFinished(() => runtime.close());
    return runtime;
  };

  it.each(["/v1/a2a", ""])("finds the agents of a gateway at its address%s, and runs them", async (path) => {
    const far = await openFar();
    const runtime = await discover({ url: far.url + path, prefix: "far_" });
    expect(runtime.agents().map(({ id }) => id)).toEqual(["far_clerk"]);
    const run = await runtime.start({ agent: "far_clerk", input: "hello" });
    expect(await run.text).toContain("You said: hello");
  });

  it("finds every agent of a gateway that asks for a credential, and none without it", async () => {
    const authenticate = async (headers: Headers) =>
      headers.get("authorization") === "Bearer k" ? ({ id: "near", scopes: ["admin"] } as const) : undefined;
    const far = await openFar({ authenticate });
    const auth = { kind: "bearer_token", token: "k" } as const;
    const runtime = await discover({ url: `${far.url}/v1/a2a`, auth });
    expect(await (await runtime.start({ agent: "clerk", input: "hello" })).text).toContain("You said: hello");
    await expect(discover({ url: `${far.url}/v1/a2a` })).rejects.toMatchObject({ code: "DISCOVERY_FAILED" });
  });

  it("names the one agent of a server of another make after its card", async () => {
    const message = { messageId: "m", role: "ROLE_AGENT", parts: [{ text: "Just this." }] };
    const other = await openOther(() => ({ result: { message } }), { name: "Travel Desk (EU)" });
    const runtime = await discover({ url: other.url });
    const run = await runtime.start({ agent: "travel_desk_eu", input: "go" });
    expect(await run.text).toBe("Just this.");
  });

  it("says where there is no card", async () => {
    const far = await openFar();
    await expect(discover({ url: `${far.url}/nowhere` })).rejects.toThrow("there is no agent card at");
  });
});
