import { type Principal, ROUTES, type Route } from "@reprise/server";
import { expect, it } from "vitest";
import { type OpenDemo, openDemo, says } from "./support/open-demo.ts";

const ALL: readonly Route[] = Object.values(ROUTES).flat();
const named = ALL.filter(({ path }) => path.includes(":"));

/** Bodies with which the owner of the things gets in. */
const BODIES: Readonly<Record<string, object>> = {
  "PATCH /v1/threads/:id/metadata": { title: "x" },
  "POST /v1/runs/:id/inputs": { decisions: [{ target_id: "r-s1-c0", action: "resume" }] },
  "POST /v1/decisions/:id": { action: "approve" },
};

/** One tenant has a thread with a run that waits; the other has nothing. */
async function openTwoTenants(): Promise<OpenDemo> {
  const demo = await openDemo({
    authenticate: async (headers): Promise<Principal> => ({
      id: "p",
      scopes: ["admin"],
      tenant: headers.get("authorization") ?? "nobody",
    }),
  });
  await (await demo.post("/v1/runs", says("pay 5", { threadId: "t", runId: "r" }), { authorization: "owner" })).text();
  return demo;
}

function send({ ask }: OpenDemo, route: Route, tenant: string): Promise<Response> {
  const id = route.path.startsWith("/v1/threads") ? "t" : route.path.startsWith("/v1/runs") ? "r" : "r-s1-c0";
  const path = route.path.replace(":id", id).replace(":entry_id", "r-entry");
  const body = BODIES[`${route.method} ${route.path}`];
  return ask(path, {
    method: route.method,
    headers: { authorization: tenant, ...(body !== undefined && { "content-type": "application/json" }) },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
}

it.each(named)("$method $path is not there for another tenant, and stays as it was", async (route) => {
  const demo = await openTwoTenants();
  const owner = demo.runtime.forTenant("owner");
  const before = await owner.threads.get("t");
  const foreign = await send(demo, route, "other");
  expect([foreign.status, Object.keys(await foreign.json())]).toEqual([404, ["error"]]);
  expect(await owner.threads.get("t")).toEqual(before);
  expect((await owner.decisions.list()).length).toBe(1);

  const own = await send(demo, route, "owner");
  // These two are there, and refuse for a reason of their own: a thread at work, an entry that is no dead letter.
  expect(own.status === 404 && !route.path.endsWith("/budget"), `${own.status}`).toBe(false);
  await own.body?.cancel();
});

it("lists nothing of another tenant", async () => {
  const demo = await openTwoTenants();
  for (const path of ["/v1/threads", "/v1/threads/summaries", "/v1/runs", "/v1/decisions", "/v1/dead-letters"]) {
    const response = await demo.ask(path, { headers: { authorization: "other" } });
    expect((await response.json()).items, path).toEqual([]);
  }
});
