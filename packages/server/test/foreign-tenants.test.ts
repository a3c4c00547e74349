import { createApiKeys, type Principal, ROUTES, type Route } from "@reprise/server";
import { describe, expect, it } from "vitest";
import { type OpenDemo, openDemo, says } from "./support/open-demo.ts";

const nameOf = ({ method, path }: Route): string => `${method} ${path}`;
const named = Object.values(ROUTES)
  .flat()
  .filter(({ path }) => path.includes(":"));

/** Routes whose ids are names of what all tenants share: agents and tools of the runtime, and its configuration. */
const SHARED = (route: Route): boolean => /^\/v1\/(agents|config|ai-sdk\/agents)\//.test(route.path);
const owned = named.filter((route) => !SHARED(route));

/** Bodies with which the owner of the things gets in. */
const BODIES: Readonly<Record<string, object>> = {
  "PATCH /v1/threads/:id/metadata": { title: "x" },
  "POST /v1/runs/:id/inputs": { decisions: [{ target_id: "r-s1-c0", action: "resume" }] },
  "POST /v1/decisions/:id": { action: "approve" },
  "POST /v1/runs/:id/rerun": { step: 1 },
  "PATCH /v1/runs/:id/budget": { limit_tokens: 1 },
};

/** Routes that refuse their owner with 404 too, for want of something beside the id. */
const OWNER_LACKS: readonly string[] = ["GET /v1/runs/:id/budget", "PATCH /v1/runs/:id/budget"];

interface TwoTenants extends OpenDemo {
  /** What a path's parameter names, of the owner's. */
  readonly ids: Readonly<Record<string, string>>;
}

/** One tenant has a thread with a run that is done and one that waits, a key and a blob; the other has a run of its own. */
async function openTwoTenants(): Promise<TwoTenants> {
  const demo = await openDemo({
    authenticate: async (headers): Promise<Principal> => ({
      id: "p",
      scopes: ["admin"],
      tenant: headers.get("authorization") ?? "nobody",
    }),
  });
  const start = async (tenant: string, said: string, ids: object): Promise<unknown> =>
    (await demo.post("/v1/runs", says(said, ids), { authorization: tenant })).text();
  await start("owner", "hello", { threadId: "t", runId: "r0" });
  await start("owner", "pay 5", { threadId: "t", runId: "r" });
  await start("other", "hello", { threadId: "t-other", runId: "r-other" });
  const { info } = await createApiKeys(demo.runtime).create({ name: "k", tenant: "owner", scopes: ["read"] });
  const blob = await demo.runtime.forTenant("owner").blobs.put(new TextEncoder().encode("secret"));
  const ids = { threads: "t", runs: "r", decisions: "r-s1-c0", keys: info.id, blobs: blob.ref.slice("blob:".length) };
  return { ...demo, ids };
}

function send({ ask, ids }: TwoTenants, route: Route, tenant: string, query = "?with=r0"): Promise<Response> {
  const kind = route.path.replace("/ai-sdk/", "/").split("/")[2] ?? "";
  const isReplay = /\/(replay|rerun|compare|export)$/.test(route.path) && kind === "runs";
  const id = isReplay ? "r0" : (ids[kind] ?? "");
  if (id === "") throw new Error(`Nothing is there for ${nameOf(route)}: say what its ids name.`);
  const path = route.path.replace(":id", encodeURIComponent(id)).replace(":entry_id", "r-entry");
  const body = BODIES[nameOf(route)];
  return ask(path + query, {
    method: route.method,
    headers: { authorization: tenant, ...(body !== undefined && { "content-type": "application/json" }) },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
}

it.each(owned)("$method $path is not there for another tenant, and stays as it was", async (route) => {
  const demo = await openTwoTenants();
  const owner = demo.runtime.forTenant("owner");
  const before = await owner.threads.get("t");
  const foreign = await send(demo, route, "other");
  const text = await foreign.text();
  expect([foreign.status, Object.keys(JSON.parse(text))]).toEqual([404, ["error"]]);
  // A tenant that never was gets the very same: nothing tells what exists elsewhere.
  const nobody = await send(demo, route, "nobody");
  expect([nobody.status, await nobody.text()]).toEqual([404, text]);
  expect(await owner.threads.get("t")).toEqual(before);
  expect((await owner.decisions.list()).length).toBe(1);
  expect((await createApiKeys(demo.runtime).list("owner")).length).toBe(1);

  const own = await send(demo, route, "owner");
  // Some are there and refuse for a reason of their own: a thread at work, an entry that is no dead letter.
  if (!OWNER_LACKS.includes(nameOf(route))) expect(own.status).not.toBe(404);
  await own.body?.cancel();
});

describe("another tenant's things are not found by other ways either", () => {
  it.each([
    "/v1/costs?run_id=r0",
    "/v1/costs?thread_id=t",
    "/v1/costs?tree_id=r0",
    "/v1/runs/r-other/compare?with=r0",
    "/v1/runs/r-other/events?after=r0:1:1",
  ])("GET %s", async (path) => {
    const demo = await openTwoTenants();
    const response = await demo.ask(path, { headers: { authorization: "other" } });
    expect([400, 404]).toContain(response.status);
    expect(Object.keys(await response.json())).toEqual(["error"]);
  });

  it.each([
    "/v1/threads",
    "/v1/threads/summaries",
    "/v1/runs",
    "/v1/runs?thread_id=t",
    "/v1/decisions",
    "/v1/decisions?run_id=r",
    "/v1/dead-letters",
    "/v1/leases",
    "/v1/keys",
  ])("GET %s lists none of them", async (path) => {
    const demo = await openTwoTenants();
    const response = await demo.ask(path, { headers: { authorization: "nobody" } });
    expect((await response.json()).items).toEqual([]);
  });

  it.each(["chats", "runs"])("GET /v1/ai-sdk/agents/assistant/%s/:chat_id/stream", async (kind) => {
    const demo = await openTwoTenants();
    const stalled = await demo.post("/v1/runs", says("stall", { threadId: "t2" }), { authorization: "owner" });
    const path = `/v1/ai-sdk/agents/assistant/${kind}/t2/stream`;
    const look = async (tenant: string): Promise<unknown> => {
      const response = await demo.ask(path, { headers: { authorization: tenant } });
      await response.body?.cancel();
      return response.status;
    };
    const [own, other] = [await look("owner"), await look("other")];
    expect([own, other]).toEqual([200, await look("nobody")]);
    expect(other).not.toBe(200);
    await stalled.body?.cancel();
  });

  it("a tenant named in a body, a query or a header of one's own counts for nothing", async () => {
    const demo = await openTwoTenants();
    const headers = { authorization: "nobody", "x-tenant": "owner", "x-reprise-tenant": "owner" };
    expect((await (await demo.ask("/v1/threads?tenant=owner", { headers })).json()).total).toBe(0);
    const body = { name: "k", scopes: ["admin"], tenant: "owner" };
    expect((await demo.post("/v1/keys", body, headers)).status).toBe(400);
    expect((await demo.post("/v1/runs", says("x", { tenant: "owner" }), headers)).status).toBe(400);
  });

  it("going back before another's run is going back before none", async () => {
    const demo = await openTwoTenants();
    const before = await demo.runtime.forTenant("owner").threads.get("t");
    for (const threadId of ["t-other", "t"]) {
      const body = says("x", { threadId, restore: { run_id: "r0" } });
      const response = await demo.post("/v1/runs", body, { authorization: "other" });
      expect([response.status, await response.json()]).toEqual([404, { error: "run not found: r0" }]);
    }
    expect(await demo.runtime.forTenant("owner").threads.get("t")).toEqual(before);
  });

  it("a call by hand on another's thread is one on a thread of one's own", async () => {
    const demo = await openTwoTenants();
    const before = await demo.runtime.forTenant("owner").threads.get("t");
    const body = { arguments: { amount: 1 }, threadId: "t" };
    const response = await demo.post("/v1/agents/assistant/tools/pay/run", body, { authorization: "other" });
    expect(await response.json()).toMatchObject({ status: "waiting", thread_id: "t" });
    expect(await demo.runtime.forTenant("owner").threads.get("t")).toEqual(before);
    expect((await demo.runtime.forTenant("other").runs({ thread_id: "t" })).total).toBe(1);
  });
});
