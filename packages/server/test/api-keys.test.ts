import { createApiKeys, createServer } from "@reprise/server";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { openDemo, says } from "./support/open-demo.ts";

async function openKeys() {
  const { runtime } = await openDemo();
  const keys = createApiKeys(runtime);
  const server = createServer({ runtime, authenticate: keys.authenticate });
  const ask = (path: string, key: string, init: RequestInit = {}): Promise<Response> =>
    server.fetch(
      new Request(`http://localhost${path}`, {
        ...init,
        headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
      }),
    );
  return { runtime, keys, ask, server };
}

describe("an API key", () => {
  it("opens what its scopes say, and is seen once", async () => {
    const { keys, ask, runtime, server } = await openKeys();
    const { key, info } = await keys.create({ name: "reader", scopes: ["read"] });
    expect((await ask("/v1/threads", key)).status).toBe(200);
    expect((await ask("/v1/runs", key, { method: "POST", body: JSON.stringify(says("x")) })).status).toBe(403);
    const byOtherHeader = new Request("http://localhost/v1/threads", { headers: { "x-api-key": key } });
    expect((await server.fetch(byOtherHeader)).status).toBe(200);
    expect(key.startsWith(info.prefix)).toBe(true);
    expect(await keys.list()).toEqual([info]);
    const { items } = await runtime.documents.listDocuments({ kind: "api_key" });
    expect(JSON.stringify(items)).not.toContain(key.slice(-60));
  });

  it("belongs to a tenant, and opens nothing of another", async () => {
    const { keys, ask } = await openKeys();
    const [one, other] = await Promise.all(
      ["a.b", "ü c"].map((tenant) => keys.create({ name: tenant, tenant, scopes: ["read", "run"] })),
    );
    const body = JSON.stringify(says("hello", { threadId: "t", runId: "r" }));
    await (await ask("/v1/runs", one?.key ?? "", { method: "POST", body })).text();
    for (const path of ["/v1/threads/t", "/v1/runs/r", "/v1/threads/t/messages", "/v1/threads/t/mailbox"]) {
      expect((await ask(path, one?.key ?? "")).status).toBe(200);
      expect((await ask(path, other?.key ?? "")).status).toBe(404);
    }
    const events = await ask("/v1/runs/r/events", other?.key ?? "");
    expect(events.status).toBe(404);
    expect((await (await ask("/v1/threads", other?.key ?? "")).json()).total).toBe(0);
  });

  it("opens nothing when it is revoked or its time is up", async () => {
    const { keys, ask } = await openKeys();
    const { key, info } = await keys.create({ name: "x", scopes: ["read"] });
    expect(await keys.revoke(info.id)).toBe(true);
    expect((await ask("/v1/threads", key)).status).toBe(401);
    const end = Date.now() + 60_000;
    const short = await keys.create({ name: "x", scopes: ["read"], expiresAt: end });
    expect((await ask("/v1/threads", short.key)).status).toBe(200);
    vi.useFakeTimers({ toFake: ["Date"], now: end });
    onTestFinished(() => void vi.useRealTimers());
    expect((await ask("/v1/threads", short.key)).status).toBe(401);
  });

  it("is exactly the one that was given out", async () => {
    const { keys, ask } = await openKeys();
    const { key } = await keys.create({ name: "x", tenant: "t1", scopes: ["read"] });
    const [mark = "", tenant = "", id = "", secret = ""] = key.split(".");
    const changed = secret.startsWith("0") ? `1${secret.slice(1)}` : `0${secret.slice(1)}`;
    const wrong = [
      "",
      "x",
      key.slice(0, -1),
      `${key}0`,
      key.toUpperCase(),
      [mark, tenant, id, changed].join("."),
      [mark, "t2", id, secret].join("."),
      [mark, "", id, secret].join("."),
      [mark, "%2e%2e", id, secret].join("."),
      [mark, "%zz", id, secret].join("."),
      [mark, tenant, "0".repeat(16), secret].join("."),
    ];
    for (const forged of wrong) expect((await ask("/v1/threads", forged)).status, forged).toBe(401);
    expect((await ask("/v1/threads", key)).status).toBe(200);
  });

  it("is not made without a scope, or for the past", async () => {
    const { keys } = await openKeys();
    await expect(keys.create({ name: "x", scopes: [] })).rejects.toThrow("scopes");
    await expect(keys.create({ name: "x", scopes: ["read"], expiresAt: 1 })).rejects.toThrow("future");
    await expect(keys.create({ name: "x", scopes: ["read"], tenant: "a/b" })).rejects.toThrow("tenant");
  });
});
