import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { a2aAgents, a2aBackend } from "@reprise/backends/a2a";
import { textOf } from "@reprise/contracts";
import { scriptedModel } from "@reprise/models";
import { createEgress, createNodeEnv } from "@reprise/node";
import { agentTools } from "@reprise/plugins/agent-tools";
import { createRegistryBuilder, createRuntime, defineAgent } from "@reprise/runtime";
import { createMemoryBlobStore, createMemoryStore } from "@reprise/stores/memory";
import { describe, expect, it, onTestFinished } from "vitest";

const env = createNodeEnv();

type Handle = (request: IncomingMessage, response: ServerResponse, url: string) => void | Promise<void>;

async function serve(handle: Handle): Promise<string> {
  const server = createServer((request, response) => void handle(request, response, url()));
  const url = (): string => `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return url();
}

/** What an agent does with a call: items of a stream, which is whole or is cut at some time, a plain result, or a failure of its server. */
type Answer =
  | { readonly items: readonly object[]; readonly cut?: Promise<void> }
  | { readonly result: object }
  | { readonly status: number };

/** An agent of another make over JSON-RPC that does as it is told, and notes what it is asked. */
async function openAgent(answer: (method: string, nth: number) => Answer, capabilities: object = { streaming: true }) {
  const calls: string[] = [];
  const url = await serve(async (request, response, own) => {
    const send = (status: number, body: unknown): void =>
      void response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
    if (request.url === "/.well-known/agent-card.json") {
      const supportedInterfaces = [{ url: `${own}/rpc`, protocolBinding: "JSONRPC", protocolVersion: "1.0" }];
      return send(200, { name: "other", supportedInterfaces, capabilities });
    }
    if (request.method !== "POST") return send(404, {});
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const { id, method } = JSON.parse(Buffer.concat(chunks).toString());
    calls.push(method);
    const given = answer(method, calls.filter((each) => each === method).length);
    if ("status" in given) return send(given.status, {});
    if ("result" in given) return send(200, { jsonrpc: "2.0", id, result: given.result });
    response.writeHead(200, { "content-type": "text/event-stream" });
    const frames = given.items.map((result) => `data: ${JSON.stringify({ jsonrpc: "2.0", id, result })}\n\n`);
    response.write(frames.join(""));
    if (given.cut === undefined) return void response.end();
    await given.cut;
    response.destroy();
  });
  return { calls, url };
}

const ids = { taskId: "task", contextId: "c" };
const working = { id: "task", contextId: "c", status: { state: "TASK_STATE_WORKING" } };
const said = (text: string, append: boolean): object => ({
  artifactUpdate: { ...ids, artifact: { artifactId: "a", parts: [{ text }] }, append, lastChunk: false },
});
/** The start of a stream that is cut once its reader has shown the text. */
function openCut(text: string) {
  const { promise: cut, resolve } = Promise.withResolvers<void>();
  return { start: { items: [{ task: working }, said(text, false)], cut }, cutNow: resolve };
}

/** Everything that a run shows. The stream of the remote agent is cut at the first of it. */
async function readCut(run: { readonly textStream: AsyncIterable<string> }, cutNow: () => void): Promise<string> {
  let shown = "";
  for await (const text of run.textStream) {
    shown += text;
    cutNow();
  }
  return shown;
}

const completed = { statusUpdate: { ...ids, status: { state: "TASK_STATE_COMPLETED" } } };
const taskWith = (text: string, state: string): object => ({
  ...working,
  status: { state },
  artifacts: [{ artifactId: "a", parts: [{ text }] }],
});

async function openRuntime(url: string) {
  const model = scriptedModel(({ messages }) => {
    const result = messages.find(({ role }) => role === "tool");
    return result === undefined
      ? [{ call: "agent_run", arguments: { agent_id: "far", prompt: "go" } }]
      : `The other: ${textOf(result)}`;
  });
  const lead = defineAgent({ id: "lead", model, plugins: [agentTools()] });
  const registries = createRegistryBuilder()
    .withBackend(a2aBackend({ maxReconnects: 2 }))
    .withAgent(lead.spec, { plugins: lead.plugins, model })
    .withAgent({ id: "far", endpoint: { url, poll_interval_ms: 100 } })
    .build();
  const store = createMemoryStore({ clock: env.clock });
  const runtime = await createRuntime({ registries, store, blobs: createMemoryBlobStore(env), env });
  onTestFinished(() => runtime.close());
  return runtime;
}

describe("a remote task whose stream is cut", () => {
  it("is read and subscribed to, and its text comes once", async () => {
    const { start, cutNow } = openCut("One, ");
    const { calls, url } = await openAgent((method) => {
      if (method === "SendStreamingMessage") return start;
      if (method === "GetTask") return { result: taskWith("One, ", "TASK_STATE_WORKING") };
      return { items: [{ task: taskWith("One, ", "TASK_STATE_WORKING") }, said("two.", true), completed] };
    });
    const runtime = await openRuntime(url);
    const run = await runtime.start({ agent: "far", input: "count" });
    expect(await readCut(run, cutNow)).toBe("One, two.");
    expect(await run.text).toBe("One, two.");
    expect(calls).toEqual(["SendStreamingMessage", "GetTask", "SubscribeToTask"]);
  });

  it("is asked for until it is done where subscriptions fail too", async () => {
    const { start, cutNow } = openCut("It is ");
    const { calls, url } = await openAgent((method, nth) => {
      if (method === "SendStreamingMessage") return start;
      if (method === "SubscribeToTask") return nth === 1 ? { status: 503 } : { items: [], cut: Promise.resolve() };
      return { result: nth < 3 ? working : taskWith("It is done.", "TASK_STATE_COMPLETED") };
    });
    const runtime = await openRuntime(url);
    const run = await runtime.start({ agent: "far", input: "go" });
    expect(await readCut(run, cutNow)).toBe("It is done.");
    expect(calls).toEqual([
      "SendStreamingMessage",
      "GetTask",
      "SubscribeToTask",
      "GetTask",
      "SubscribeToTask",
      "GetTask",
    ]);
  });

  it("fails the run when it cannot be read any more either", async () => {
    const { start, cutNow } = openCut("It is ");
    const { calls, url } = await openAgent((method) => (method === "SendStreamingMessage" ? start : { status: 503 }));
    const runtime = await openRuntime(url);
    const run = await runtime.start({ agent: "far", input: "go" });
    await expect(readCut(run, cutNow)).rejects.toThrow("503");
    expect(await run.outcome()).toMatchObject({ status: "failed", code: "BACKEND_FAILED" });
    expect(calls.filter((method) => method === "GetTask")).toHaveLength(3);
  });
});

it("delegates to an agent that can only be polled", async () => {
  const { calls, url } = await openAgent((method, nth) => {
    if (method === "SendMessage") return { result: { task: working } };
    return { result: nth < 2 ? working : taskWith("It is done.", "TASK_STATE_COMPLETED") };
  }, {});
  const runtime = await openRuntime(url);
  expect(await (await runtime.start({ agent: "lead", input: "have it done" })).text).toContain("It is done.");
  expect(calls).toEqual(["SendMessage", "GetTask", "GetTask"]);
});

describe("a redirect to a private address", () => {
  /** A service that the operator did not name, and that must not be asked. */
  async function openPrivate() {
    const asked: string[] = [];
    const url = await serve((request, response) => {
      asked.push(request.url ?? "");
      response.writeHead(200, { "content-type": "application/json" }).end("{}");
    });
    return { asked, url };
  }
  const redirecting = (target: string): Promise<string> =>
    serve((request, response) => void response.writeHead(307, { location: `${target}${request.url}` }).end());

  it("of a card is not followed by a run", async () => {
    const secret = await openPrivate();
    const runtime = await openRuntime(await redirecting(secret.url));
    const outcome = await (await runtime.start({ agent: "far", input: "go" })).outcome();
    expect(outcome).toMatchObject({ status: "failed", code: "BACKEND_FAILED" });
    expect(secret.asked).toEqual([]);
  });

  it("is not followed by discovery", async () => {
    const secret = await openPrivate();
    const url = await redirecting(secret.url);
    const building = createRegistryBuilder()
      .withBackend(a2aBackend())
      .withRemoteAgents(a2aAgents({ egress: createEgress(), url }))
      .buildAndDiscover();
    await expect(building).rejects.toMatchObject({ code: "DISCOVERY_FAILED" });
    expect(secret.asked).toEqual([]);
  });
});
