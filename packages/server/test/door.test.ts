import { RepriseError } from "@reprise/contracts";
import { createServer } from "@reprise/server";
import { listen } from "@reprise/server/node";
import { describe, expect, it, onTestFinished } from "vitest";
import { openDemo, says } from "./support/open-demo.ts";
import { closed, openSocket } from "./support/slow-sockets.ts";

const refusal = async (response: Response): Promise<unknown> => [response.status, await response.json()];

describe("the host a request is for", () => {
  it.each([
    "evil.example",
    "evil.example:8080",
    "127.0.0.1.evil.example",
    "localhost@evil",
    "[::2]",
    "0.0.0.0",
    "lo cal",
  ])("is not %s", async (host) => {
    const { server } = await openDemo();
    for (const path of ["/health", "/v1/threads", "/v1/runs/x/events", "/nothing"]) {
      const response = await server.fetch(new Request(`http://localhost${path}`, { headers: { host } }));
      expect(await refusal(response)).toEqual([403, { error: `forbidden: host not allowed: ${host}` }]);
    }
  });

  it.each(["localhost", "LOCALHOST:1", "127.0.0.1:8080", "[::1]:3000", "agents.example", "agents.example:444"])(
    "may be %s",
    async (host) => {
      const { server } = await openDemo({ allowedHosts: ["agents.example"] });
      const response = await server.fetch(new Request("http://localhost/health", { headers: { host } }));
      expect(response.status).toBe(200);
    },
  );
});

describe("the origin of a page", () => {
  const ask = async (origin: string, method = "GET"): Promise<Response> => {
    const { server } = await openDemo({ allowedOrigins: ["https://app.example"] });
    const headers = { origin, host: "localhost:8080", "content-type": "application/json" };
    const body = method === "POST" ? JSON.stringify(says("hi")) : null;
    return server.fetch(new Request("http://localhost:8080/v1/runs", { method, headers, body }));
  };

  it.each([
    "https://evil.example",
    "null",
    "https://app.example.evil.example",
    "http://app.example",
    "https://app.example:444",
    "http://localhost",
    "http://localhost:8081",
  ])("is refused when it is %s", async (origin) => {
    for (const method of ["GET", "POST", "OPTIONS"]) {
      const response = await ask(origin, method);
      expect(await refusal(response)).toEqual([403, { error: `forbidden: origin not allowed: ${origin}` }]);
      expect(response.headers.get("access-control-allow-origin")).toBeNull();
    }
  });

  it("is our own, and then nothing is said about it", async () => {
    const response = await ask("http://localhost:8080");
    expect([response.status, response.headers.get("access-control-allow-origin")]).toEqual([200, null]);
  });

  it("is a listed one, which may read the answer and gets no cookies", async () => {
    for (const method of ["GET", "POST"]) {
      const response = await ask("https://app.example", method);
      expect([response.status, response.headers.get("access-control-allow-origin")]).toEqual([
        200,
        "https://app.example",
      ]);
      expect(response.headers.get("access-control-allow-credentials")).toBeNull();
      await response.body?.cancel();
    }
    const preflight = await ask("https://app.example", "OPTIONS");
    expect([preflight.status, preflight.headers.get("access-control-allow-methods")]).toEqual([204, "GET, POST"]);
  });
});

describe("a body", () => {
  const send = async (body: BodyInit, headers: Record<string, string> = {}): Promise<Response> => {
    const { server } = await openDemo({ maxBodyBytes: 1_000 });
    const init = { method: "POST", headers: { "content-type": "application/json", ...headers }, body };
    return server.fetch(new Request("http://localhost/v1/runs", init));
  };

  it("is JSON, and says so", async () => {
    expect(await refusal(await send("{}", { "content-type": "text/plain" }))).toEqual([
      415,
      { error: "unsupported media type: send application/json" },
    ]);
    expect(await refusal(await send("{nope"))).toEqual([400, { error: "bad request: the body is not JSON" }]);
    expect(await refusal(await send("[]"))).toEqual([400, { error: "bad request: the body is not a JSON object" }]);
    expect(await refusal(await send(""))).toEqual([
      400,
      { error: "bad request: the body is empty; send a JSON object" },
    ]);
    expect(await refusal(await send(Uint8Array.of(0x7b, 0xff, 0x7d)))).toEqual([
      400,
      { error: "bad request: the body is not UTF-8" },
    ]);
  });

  it("is not packed", async () => {
    expect((await send("{}", { "content-encoding": "gzip" })).status).toBe(415);
  });

  it("has a size, whatever its header says", async () => {
    const large = JSON.stringify(says("x".repeat(1_000)));
    const expected = [413, { error: "payload too large: a body has at most 1000 bytes" }];
    expect(await refusal(await send(large))).toEqual(expected);
    expect(await refusal(await send(large, { "content-length": "10" }))).toEqual(expected);
    const endless = new ReadableStream<Uint8Array>({ pull: (controller) => controller.enqueue(new Uint8Array(100)) });
    const { server } = await openDemo({ maxBodyBytes: 1_000 });
    const init = { method: "POST", headers: { "content-type": "application/json" }, body: endless, duplex: "half" };
    // The types of the platform lack `duplex`, which it demands of a body that streams.
    const streamed = new Request("http://localhost/v1/runs", init as RequestInit);
    expect(await refusal(await server.fetch(streamed))).toEqual(expected);
  });

  it("has a depth", async () => {
    const deep = `{"agentId":"a","state":${'{"a":'.repeat(70)}1${"}".repeat(70)}}`;
    expect(await refusal(await send(deep))).toEqual([400, { error: "bad request: the body nests too deep" }]);
  });

  it("has fields that are known, each once", async () => {
    expect(await refusal(await send(JSON.stringify(says("x", { thread: "t", strict: true }))))).toEqual([
      400,
      { error: 'bad request: unknown field "thread"' },
    ]);
    expect(await refusal(await send(JSON.stringify(says("x", { agent_id: "echo" }))))).toEqual([
      400,
      { error: "bad request: agentId, agent_id are the same field; send one" },
    ]);
  });

  it.each([
    ["agent_id", "assistant"],
    ["thread_id", "t"],
    ["contextId", "t"],
    ["context_id", "t"],
    ["run_id", "r"],
    ["taskId", "r"],
    ["task_id", "r"],
    ["parent_run_id", "above"],
    ["parent_thread_id", "above"],
    ["parentContextId", "above"],
    ["parent_context_id", "above"],
    ["resource_id", "res"],
  ])("has fields with several names, of which %s is one", async (name, value) => {
    const { post, runtime } = await openDemo();
    const body = { ...(name !== "agent_id" && { agentId: "assistant" }), messages: [{ role: "user", content: "x" }] };
    const response = await post("/v1/runs", { ...body, [name]: value });
    expect(response.status).toBe(200);
    await response.text();
    const [run] = (await runtime.runs()).items;
    const meant = name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
    const field = meant.replace("context", "thread").replace("task", "run");
    const thread = await runtime.threads.get(run?.thread_id ?? "");
    expect({ ...thread, ...run }).toMatchObject({ [field]: value });
  });

  it.each([
    { threadId: "a/b" },
    { threadId: "" },
    { state: { __run: {} } },
    { messages: "hello" },
    { decisions: [{ target_id: "x", action: "maybe" }] },
    { decisions: [{ action: "resume" }] },
    { decisions: [{ target_id: "x", action: "resume", bindinghash: "a typing error" }] },
    { decisions: [{ target_id: "x", targetId: "y", action: "resume" }] },
    { busyPolicy: "hurry" },
  ])("that asks for what cannot be is refused: %j", async (more) => {
    const response = await send(JSON.stringify(says("x", more)));
    expect(response.status).toBe(400);
    expect((await response.json()).error).toMatch(/^bad request: /);
  });
});

it("says nothing about errors that are its own", async () => {
  const told: unknown[] = [];
  const { server, runtime } = await openDemo({ onError: (error) => told.push(error) });
  const observe = runtime.observe.bind(runtime);
  const failing = { ...runtime, observe, runs: () => Promise.reject(new Error("secret")) };
  const broken = createServer({
    runtime: Object.assign(Object.create(runtime, { isReplaced: { value: false } }), failing),
    onError: (e) => told.push(e),
  });
  expect(await refusal(await broken.fetch(new Request("http://localhost/v1/runs")))).toEqual([
    500,
    { error: "internal error" },
  ]);
  expect(told).toMatchObject([{ message: "secret" }]);
  expect((await broken.fetch(new Request("http://localhost/ready"))).status).toBe(503);
  expect((await server.fetch(new Request("http://localhost/ready"))).status).toBe(200);
});

it("is not ready once it closes", async () => {
  const { server, ask } = await openDemo();
  server.close();
  expect((await ask("/ready")).status).toBe(503);
});

it("puts the same headers on every answer", async () => {
  const { ask, post } = await openDemo();
  for (const response of [await ask("/health"), await ask("/nowhere"), await post("/v1/runs", says("hi"))]) {
    expect(response.headers.get("x-content-type-options")).toBe("nosniff");
    expect(response.headers.get("content-security-policy")).toContain("default-src 'none'");
    expect(response.headers.get("cache-control")).toContain("no-store");
    await response.body?.cancel();
  }
});

describe("listening", () => {
  it.each(["0.0.0.0", "::", "192.168.1.10", "example.com"])("on %s is refused without authentication", async (host) => {
    const { server } = await openDemo();
    const refused = await listen(server, { host, port: 0 }).catch((error: unknown) => error);
    expect(RepriseError.is(refused, "INVALID_REQUEST")).toBe(true);
    expect(String(refused)).toContain("authenticate");
  });

  it("on every address is for a server that asks who one is", async () => {
    const { server } = await openDemo({ authenticate: async () => undefined });
    const listening = await listen(server, { host: "0.0.0.0", port: 0 });
    onTestFinished(() => listening.close());
    expect((await fetch(`http://127.0.0.1:${listening.port}/v1/threads`)).status).toBe(401);
    expect((await fetch(`http://127.0.0.1:${listening.port}/health`)).status).toBe(200);
  });

  it("ends without waiting for connections without a request", async () => {
    const { server } = await openDemo();
    const listening = await listen(server, { port: 0, closeTimeoutMs: 600_000 });
    const silent = openSocket(listening.url);
    // Who came later was served, so this one has come.
    expect((await fetch(`${listening.url}/health`)).status).toBe(200);
    await listening.close();
    await closed(silent);
  });
});
