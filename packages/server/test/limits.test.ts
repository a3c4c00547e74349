import type { Principal, ServerOptions } from "@reprise/server";
import { describe, expect, it } from "vitest";
import { listenDemo, openDemo, says } from "./support/open-demo.ts";
import { until } from "./support/until.ts";

const byName = async (headers: Headers): Promise<Principal | undefined> => {
  const id = headers.get("authorization");
  return id === null ? undefined : { id, scopes: ["read", "run"] };
};

/** A server whose requests come from where they say, as if a socket had. */
async function openLimited(options: Partial<Omit<ServerOptions, "runtime">>) {
  const demo = await openDemo({ authenticate: byName, ...options });
  const ask = (remoteAddress: string | undefined, headers: Record<string, string> = {}, path = "/v1/threads") =>
    demo.server.fetch(new Request(`http://localhost${path}`, { headers }), { incoming: { socket: { remoteAddress } } });
  const statuses = async (count: number, ...how: Parameters<typeof ask>): Promise<readonly number[]> => {
    const found: number[] = [];
    for (let round = 0; round < count; round += 1) found.push((await ask(...how)).status);
    return found;
  };
  return { ...demo, ask, statuses };
}

const times = (count: number, status: number): readonly number[] => Array.from({ length: count }, () => status);

describe("an address", () => {
  it("may send so many requests in a window, under any name, and is told when to retry", async () => {
    const { ask, statuses } = await openLimited({ limits: { requestsPerAddress: 5, windowMs: 60_000 } });
    expect(await statuses(3, "203.0.113.1")).toEqual(times(3, 401));
    expect(await statuses(2, "203.0.113.1", { authorization: "ann" })).toEqual(times(2, 200));
    const refused = await ask("203.0.113.1", { authorization: "bob" });
    expect([refused.status, await refused.json()]).toEqual([429, { error: "too many requests" }]);
    // A fifth of the window, less what went by since.
    const wait = Number(refused.headers.get("retry-after"));
    expect(wait).toBeGreaterThan(0);
    expect(wait).toBeLessThanOrEqual(12);
    expect(await statuses(1, "203.0.113.1", {}, "/nothing")).toEqual([429]);
    expect(await statuses(1, "203.0.113.2", { authorization: "ann" })).toEqual([200]);
  });

  it("is the socket's, until a listed proxy says another", async () => {
    const limits = { requestsPerAddress: 2, windowMs: 60_000 };
    const { statuses } = await openLimited({ limits, trustedProxies: ["10.0.0.0/8"] });
    const said = (forwarded: string) => ({ authorization: "ann", "x-forwarded-for": forwarded });
    // Nobody who comes by himself gets further by writing what a proxy would.
    expect(await statuses(1, "203.0.113.1", said("1.1.1.1"))).toEqual([200]);
    expect(await statuses(1, "203.0.113.1", said("1.1.1.2"))).toEqual([200]);
    expect(await statuses(1, "203.0.113.1", said("1.1.1.3"))).toEqual([429]);
    // Behind the proxy everybody has an allowance of his own, and what he wrote himself counts for nothing.
    expect(await statuses(2, "10.0.0.1", said("198.51.100.1"))).toEqual([200, 200]);
    expect(await statuses(1, "10.0.0.1", said("9.9.9.9, 198.51.100.1"))).toEqual([429]);
    expect(await statuses(1, "10.0.0.1", said("198.51.100.2"))).toEqual([200]);
  });

  it("of a proxy that is no address is a mistake at the start", async () => {
    await expect(openDemo({ trustedProxies: ["proxy.example"] })).rejects.toThrow("proxy.example");
  });

  it("is read from a real socket", async () => {
    const { server } = await openDemo({ authenticate: byName, limits: { requestsPerAddress: 2 } });
    const { url } = await listenDemo(server);
    const found = [];
    for (let round = 0; round < 3; round += 1) found.push((await fetch(`${url}/health`)).status);
    expect(found).toEqual([200, 200, 429]);
  });
});

it("keeps a place for a stream only for as long as there may be one", async () => {
  const { post, ask } = await openLimited({ streams: { maxStreams: 1 } });
  const headers = { authorization: "ann" };
  for (let round = 0; round < 3; round += 1) {
    expect((await post("/v1/runs", says("x", { agentId: "nobody" }), headers)).status).toBe(404);
    expect((await ask(undefined, headers, "/v1/runs/none/events")).status).toBe(404);
  }
  const open = await post("/v1/runs", says("stall", { threadId: "t", runId: "r" }), headers);
  expect([open.status, (await ask(undefined, headers, "/v1/runs/r/events")).status]).toEqual([200, 503]);
  await open.body?.cancel();
});

describe("a principal", () => {
  it("may ask so often in a window, from wherever", async () => {
    const { statuses } = await openLimited({ limits: { requestsPerPrincipal: 2, windowMs: 60_000 } });
    expect(await statuses(1, "203.0.113.1", { authorization: "ann" })).toEqual([200]);
    expect(await statuses(1, "203.0.113.2", { authorization: "ann" })).toEqual([200]);
    expect(await statuses(1, "203.0.113.3", { authorization: "ann" })).toEqual([429]);
    expect(await statuses(1, "203.0.113.1", { authorization: "bob" })).toEqual([200]);
  });

  it("may have so many streams open, and one more when one has ended", async () => {
    const { post, ask, runtime } = await openLimited({ streams: { maxStreamsPerPrincipal: 2 } });
    const start = (authorization: string, run: string): Promise<Response> =>
      post("/v1/runs", says("stall", { threadId: `t-${run}`, runId: run }), { authorization });
    const open = [await start("ann", "r1"), await start("ann", "r2")];
    const refused = await start("ann", "r3");
    expect([refused.status, refused.headers.get("retry-after")]).toEqual([429, "1"]);
    // Nothing was begun for it.
    await expect(runtime.run("r3")).rejects.toMatchObject({ code: "RUN_NOT_FOUND" });
    expect((await start("bob", "r4")).status).toBe(200);
    await open[0]?.body?.cancel();
    const again = (): Promise<Response> => ask(undefined, { authorization: "ann" }, "/v1/runs/r1/events");
    await until(async () => (await again()).status === 200, "a place");
    expect((await again()).status).toBe(429);
  });

  it("gets no more streams than that when all are asked for at once", async () => {
    const { post, runtime } = await openLimited({ streams: { maxStreamsPerPrincipal: 3 } });
    const many = Array.from({ length: 12 }, (_, index) =>
      post("/v1/runs", says("stall", { threadId: `t${index}` }), { authorization: "ann" }),
    );
    const found = (await Promise.all(many)).map(({ status }) => status);
    expect(found.filter((status) => status === 200).length).toBe(3);
    expect(found.filter((status) => status === 429).length).toBe(9);
    expect((await runtime.runs()).total).toBe(3);
  });
});

it("counts no requests on a server without authentication, unless limits are given", async () => {
  const { server } = await openDemo();
  const free = await listenDemo(server);
  for (let round = 0; round < 100; round += 1) expect((await fetch(`${free.url}/health`)).status).toBe(200);
  const told = await openDemo({ limits: { requestsPerAddress: 1 } });
  const { url } = await listenDemo(told.server);
  expect([(await fetch(`${url}/health`)).status, (await fetch(`${url}/health`)).status]).toEqual([200, 429]);
});
