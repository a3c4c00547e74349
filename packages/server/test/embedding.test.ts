import { once } from "node:events";
import { createServer as createHttpServer } from "node:http";
import { json } from "node:stream/consumers";
import { serve } from "@hono/node-server";
import { Hono } from "hono";
import { expect, it, onTestFinished } from "vitest";
import { nodeHandler } from "../src/node.ts";
import { routeHandlers } from "../src/route-handlers.ts";
import { openDemo, says } from "./support/open-demo.ts";
import { readFrames, readUntil, typesOf } from "./support/read-stream.ts";
import { until } from "./support/until.ts";

it("is mounted in another app, one group at a time", async () => {
  const { server } = await openDemo();
  const app = new Hono()
    .get("/", (context) => context.text("ours"))
    .route("/agents", server.routes.threads)
    .route("/", server.routes.health);
  const ask = async (path: string): Promise<number> => (await app.request(`http://localhost${path}`)).status;
  expect(await ask("/")).toBe(200);
  expect(await ask("/health")).toBe(200);
  expect(await ask("/agents/v1/threads")).toBe(200);
  expect(await ask("/v1/threads")).toBe(404);
  expect(await ask("/agents/v1/runs")).toBe(404);
  const foreign = await app.request("http://localhost/agents/v1/threads", { headers: { host: "evil.example" } });
  expect(foreign.status).toBe(403);
});

it("is middleware of Node: reads a body that was parsed before, and leaves what it does not have to the next handler", async () => {
  const { server } = await openDemo();
  const handle = nodeHandler(server);
  const http = createHttpServer((incoming, outgoing) => {
    const next = (): unknown => outgoing.writeHead(418).end();
    if (incoming.method !== "POST") return handle(incoming, outgoing, next);
    json(incoming).then((body) => handle(Object.assign(incoming, { body }), outgoing, next), next);
  });
  http.listen(0, "127.0.0.1");
  await once(http, "listening");
  onTestFinished(() => void http.close());
  const address = http.address();
  const url = `http://127.0.0.1:${typeof address === "object" ? address?.port : 0}`;
  expect((await fetch(`${url}/health`)).status).toBe(200);
  expect((await fetch(`${url}/health`, { method: "HEAD" })).status).toBe(200);
  expect((await fetch(`${url}/nothing`)).status).toBe(418);
  const response = await fetch(`${url}/v1/runs`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(says("hello")),
  });
  expect(typesOf(await readFrames(response)).at(-1)).toBe("run_finish");
});

it("is the route file of a framework, below a path", async () => {
  const { server } = await openDemo();
  const { GET, POST } = routeHandlers(server, "/agents");
  expect((await GET(new Request("http://localhost/agents/health?x=1"))).status).toBe(200);
  expect((await GET(new Request("http://localhost/agentshealth"))).status).toBe(404);
  const body = JSON.stringify(says("hello"));
  const headers = { "content-type": "application/json" };
  const run = await POST(new Request("http://localhost/agents/v1/runs", { method: "POST", headers, body }));
  expect(typesOf(await readFrames(run)).at(-1)).toBe("run_finish");
});

it("streams from an app that another server on Node serves", async () => {
  const { server } = await openDemo();
  const app = new Hono().route("/", server.routes.runs);
  const { promise, resolve } = Promise.withResolvers<number>();
  const http = serve({ fetch: app.fetch, port: 0, hostname: "127.0.0.1", overrideGlobalObjects: false }, (address) =>
    resolve(address.port),
  );
  onTestFinished(() => void http.close());
  const response = await fetch(`http://127.0.0.1:${await promise}/v1/runs`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(says("hello")),
  });
  expect(typesOf(await readFrames(response)).at(-1)).toBe("run_finish");
});

it("answers a HEAD request for events without beginning a stream", async () => {
  const { ask, post } = await openDemo();
  await (await post("/v1/runs", says("hello", { threadId: "t", runId: "r" }))).text();
  const response = await ask("/v1/runs/r/events", { method: "HEAD" });
  expect([response.status, response.headers.get("content-type"), await response.text()]).toEqual([
    200,
    "text/event-stream",
    "",
  ]);
});

/** How Next calls a handler that a file `app/v1/[...path]/route.ts` exports: with a context of its own. */
type NextHandler = (
  request: Request,
  context: { readonly params: Promise<{ readonly path: readonly string[] }> },
) => Promise<Response>;

it("is a route handler of Next, which gives every handler a second argument", async () => {
  const { server } = await openDemo();
  const answer = (asked: Request): Promise<Response> => server.fetch(asked);
  const [GET, POST]: readonly [NextHandler, NextHandler] = [answer, answer];
  const context = { params: Promise.resolve({ path: ["runs"] }) };
  const body = JSON.stringify(says("hello", { threadId: "t", runId: "r" }));
  const headers = { "content-type": "application/json", host: "localhost:3000" };
  const request = new Request("http://localhost:3000/v1/runs", { method: "POST", headers, body });
  const streamed = await POST(request, context);
  expect(streamed.headers.get("content-type")).toBe("text/event-stream");
  expect(typesOf(await readFrames(streamed)).at(-1)).toBe("run_finish");
  const found = await GET(new Request("http://localhost:3000/v1/runs/r", { headers }), context);
  expect(await found.json()).toMatchObject({ run_id: "r", status: "done" });
});

it("gives events to the reader of a response as they come, and stops when it stops", async () => {
  const { server, runtime, ask } = await openDemo();
  const body = JSON.stringify(says("stall", { threadId: "t", runId: "r" }));
  const headers = { "content-type": "application/json" };
  const { body: stream } = await server.fetch(
    new Request("http://localhost/v1/runs", { method: "POST", headers, body }),
  );
  const reader = stream?.getReader();
  if (reader === undefined) throw new Error("There is no body.");
  await readUntil(reader, (text) => text.includes("text_delta"));
  await reader.cancel();
  await until(async () => (await (await ask("/metrics")).text()).includes("reprise_streams_open 0"), "the end");
  await (await runtime.run("r")).cancel();
});
