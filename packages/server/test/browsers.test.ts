import { request } from "node:http";
import { ROUTES, type Route } from "@reprise/server";
import { describe, expect, it } from "vitest";
import { listenDemo, openDemo, says } from "./support/open-demo.ts";

const ALL: readonly Route[] = Object.values(ROUTES).flat();
const streaming = ALL.filter(({ opensStream }) => opensStream === true);

/** What a page can make a browser send without being asked: a form, a picture, an event source. */
const SIMPLE_TYPES = ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data"];

async function openWaiting() {
  const demo = await openDemo({ allowedOrigins: ["https://app.example"] });
  await (await demo.post("/v1/runs", says("pay 5", { threadId: "t", runId: "r" }))).text();
  const before = await demo.runtime.threads.get("t");
  /** Nothing of what a page asked for has happened. */
  const expectUntouched = async (): Promise<void> => {
    expect(await demo.runtime.threads.get("t")).toEqual(before);
    expect((await demo.runtime.runs()).total).toBe(1);
    expect((await demo.runtime.decisions.list()).length).toBe(1);
    expect((await demo.runtime.documents.listDocuments({ kind: "api_key" })).items).toEqual([]);
  };
  return { ...demo, expectUntouched };
}

function pathOf({ path }: Route): string {
  const id = path.startsWith("/v1/threads") ? "t" : path.startsWith("/v1/runs") ? "r" : "r-s1-c0";
  return path.replace(":entry_id", "r-entry").replace(/:\w+/g, id);
}

function init({ method }: Route, headers: Record<string, string>): RequestInit {
  const isWrite = method === "POST" || method === "PUT" || method === "PATCH";
  return { method, headers, ...(isWrite && { body: JSON.stringify({ action: "approve" }) }) };
}

describe.each(ALL)("$method $path", (route) => {
  it("is closed to a name that was given our address", async () => {
    const { ask, expectUntouched } = await openWaiting();
    for (const host of ["rebound.example", "rebound.example:8080", "localhost.rebound.example", "0.0.0.0:8080"]) {
      const response = await ask(pathOf(route), init(route, { host, "content-type": "application/json" }));
      expect(response.status, host).toBe(403);
      expect(await response.json()).toEqual({ error: `forbidden: host not allowed: ${host}` });
    }
    await expectUntouched();
  });

  it("is closed to pages from elsewhere, also asked as a form would", async () => {
    const { ask, expectUntouched } = await openWaiting();
    for (const origin of [
      "https://evil.example",
      "null",
      "http://localhost:3000",
      "https://app.example.evil.example",
    ]) {
      for (const type of [...SIMPLE_TYPES, "application/json"]) {
        const headers = { origin, host: "localhost:8080", "content-type": type };
        const response = await ask(pathOf(route), init(route, headers));
        expect([response.status, response.headers.get("access-control-allow-origin")]).toEqual([403, null]);
        await response.body?.cancel();
      }
    }
    const preflight = await ask(pathOf(route), { method: "OPTIONS", headers: { origin: "https://evil.example" } });
    expect([preflight.status, preflight.headers.get("access-control-allow-origin")]).toEqual([403, null]);
    await expectUntouched();
  });

  it("says nothing to a listed page about cookies", async () => {
    const { ask } = await openWaiting();
    const headers = { origin: "https://app.example", host: "localhost:8080" };
    const response = await ask(pathOf(route), { method: "OPTIONS", headers });
    expect([response.status, response.headers.get("access-control-allow-credentials")]).toEqual([204, null]);
    expect(response.headers.get("access-control-allow-methods")).toContain(route.method);
    expect(response.headers.get("access-control-allow-origin")).toBe("https://app.example");
  });
});

it("knows the routes that stream", () => {
  expect(streaming.map(({ method, path }) => `${method} ${path}`)).toContain("GET /v1/runs/:id/events");
});

it.each(streaming)("$method $path opens no stream over a socket for another's name or page", async (route) => {
  const { server, expectUntouched } = await openWaiting();
  const { port } = await listenDemo(server);
  const headers = { "content-type": "application/json", host: `127.0.0.1:${port}` };
  for (const more of [{ host: "rebound.example" }, { origin: "https://evil.example" }, { origin: "null" }]) {
    const { promise, resolve, reject } = Promise.withResolvers<readonly [number | undefined, string | undefined]>();
    const options = {
      port,
      host: "127.0.0.1",
      path: pathOf(route),
      method: route.method,
      headers: { ...headers, ...more },
    };
    request(options, (response) => {
      response.resume();
      resolve([response.statusCode, response.headers["content-type"]]);
    })
      .on("error", reject)
      .end(route.method === "POST" ? JSON.stringify(says("stall")) : undefined);
    expect(await promise).toEqual([403, "application/json"]);
  }
  await expectUntouched();
});

it.each(SIMPLE_TYPES)("no body of type %s starts a run, wherever it comes from", async (type) => {
  const { ask, expectUntouched } = await openWaiting();
  const body = JSON.stringify(says("hello"));
  const response = await ask("/v1/runs", { method: "POST", headers: { "content-type": type }, body });
  expect(response.status).toBe(415);
  await expectUntouched();
});

it.each(["x-middleware-subrequest", "x-forwarded-host", "x-original-url", "x-rewrite-url", "x-http-method-override"])(
  "the header %s changes nothing",
  async (name) => {
    const { ask } = await openDemo({ authenticate: async () => undefined });
    for (const value of ["middleware", "localhost", "/health", "GET", "1"]) {
      const response = await ask("/v1/threads", { headers: { [name]: value } });
      expect(response.status).toBe(401);
      const rebound = await ask("/v1/threads", { headers: { [name]: value, host: "rebound.example" } });
      expect(rebound.status).toBe(403);
    }
  },
);
