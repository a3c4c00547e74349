import { type Principal, ROUTES, type Route, SCOPES, type Scope } from "@reprise/server";
import { describe, expect, it } from "vitest";
import { openDemo } from "./support/open-demo.ts";

const ALL: readonly Route[] = Object.values(ROUTES).flat();
const listed = ALL.map(({ method, path }) => `${method} ${path}`);

/** A path of the route that exists for nobody. */
const pathOf = (route: Route): string => route.path.replace(/:\w+/g, "none");

/** A server whose callers say themselves who they are. */
async function openFor(principal: Principal | undefined) {
  return openDemo({ authenticate: async () => principal });
}

async function statusOf(route: Route, principal: Principal | undefined): Promise<number> {
  const { ask } = await openFor(principal);
  const isWrite = route.method === "POST" || route.method === "PUT" || route.method === "PATCH";
  const response = await ask(pathOf(route), {
    method: route.method,
    ...(isWrite && { headers: { "content-type": "application/json" }, body: "{}" }),
  });
  await response.body?.cancel();
  return response.status;
}

it("knows every route of the router, and no other", async () => {
  const { server } = await openDemo();
  const mounted = Object.values(server.routes).flatMap((app) => app.routes);
  const found = mounted.filter(({ method }) => method !== "OPTIONS").map(({ method, path }) => `${method} ${path}`);
  expect([...found].sort()).toEqual([...listed].sort());
  expect(new Set(listed).size).toBe(listed.length);
});

it("has a scope for every route", () => {
  const known: readonly string[] = [...SCOPES, "public", "signed"];
  const scopes = ALL.map((route) => [route.scope].flat());
  expect(scopes.every((list) => list.length > 0 && list.every((scope) => known.includes(scope)))).toBe(true);
  const open = ALL.filter(({ scope }) => scope === "public").map(({ path }) => path);
  expect(open).toEqual(["/health", "/ready", "/.well-known/agent-card.json", "/v1/a2a/jwks.json"]);
  const signed = ALL.filter(({ scope }) => scope === "signed").map(({ path }) => path);
  expect(signed).toEqual(["/v1/workflows/:id/webhook"]);
});

it("lets readers read without leave to write, and no route changes anything by reading", () => {
  const readable = ALL.filter((route) => [route.scope].flat().includes("read"));
  // Protocols that read by POST, and the session of one of them. Each of their methods has a scope of its own. A case is asked for
  // with the texts to take out, which must not stand in an address.
  const posts = readable.filter(({ method }) => method !== "GET").map(({ path }) => path);
  expect(posts).toEqual([
    "/v1/runs/:id/case",
    "/v1/a2a/agents/:agent_id/rpc",
    "/v1/a2a/agents/:agent_id/tasks/:task",
    "/mcp",
    "/mcp",
  ]);
});

describe.each(ALL.map((route) => ({ name: `${route.method} ${route.path}`, route })))("$name", ({ route }) => {
  it("is closed without a credential, unless it is public", async () => {
    expect(await statusOf(route, undefined)).toBe(route.scope === "public" ? 200 : 401);
  });

  it.each(SCOPES)("knows what %s may", async (scope: Scope) => {
    const status = await statusOf(route, { id: "p", scopes: [scope] });
    // A credential is no signature.
    if (route.scope === "signed") return expect(status).toBe(401);
    const wanted: readonly string[] = [route.scope].flat();
    const mayEnter = wanted.includes("public") || wanted.includes(scope) || scope === "admin";
    if (mayEnter) expect(status).not.toBe(403);
    else expect(status).toBe(403);
    expect(status).not.toBe(401);
  });
});

it("looks at who asks before it looks at the body", async () => {
  const { server } = await openFor(undefined);
  let wasRead = false;
  const body = new ReadableStream<Uint8Array>(
    {
      pull(controller) {
        wasRead = true;
        controller.close();
      },
    },
    { highWaterMark: 0 },
  );
  const init = { method: "POST", headers: { "content-type": "application/json" }, body, duplex: "half" };
  // The types of the platform lack `duplex`, which it demands of a body that streams.
  const response = await server.fetch(new Request("http://localhost/v1/runs", init as RequestInit));
  expect([response.status, wasRead]).toEqual([401, false]);
});

describe("what comes in one body may need two scopes", () => {
  const decision = { target_id: "c", action: "resume" };
  const message = { role: "user", content: "x" };
  it.each([
    ["run", "/v1/runs/r/inputs", { decisions: [decision] }, "decide"],
    ["decide", "/v1/runs/r/inputs", { agentId: "assistant", messages: [message] }, "run"],
    ["run", "/v1/runs/r/inputs", { agentId: "assistant", messages: [message], decisions: [decision] }, "decide"],
    ["run", "/v1/runs", { agentId: "assistant", messages: [message], decisions: [decision] }, "decide"],
    ["run", "/v1/runs/r/rerun", { step: 1, changes: { model: "other" } }, "admin"],
    ["run", "/v1/runs/r/rerun", { step: 1, changes: { instructions: "Do as I say." } }, "admin"],
  ] as const)("%s at %s", async (scope, path, body, missing) => {
    const { post } = await openFor({ id: "p", scopes: [scope] });
    const response = await post(path, body);
    expect([response.status, await response.json()]).toEqual([
      403,
      { error: `forbidden: this needs the scope ${missing}` },
    ]);
  });
});
