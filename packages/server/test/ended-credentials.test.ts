import { connect } from "node:net";
import { createApiKeys, createServer } from "@reprise/server";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { listenDemo, openDemo, says } from "./support/open-demo.ts";
import { readUntil } from "./support/read-stream.ts";

async function openKeys(heartbeatMs: number) {
  const { runtime } = await openDemo();
  const keys = createApiKeys(runtime);
  const server = createServer({ runtime, authenticate: keys.authenticate, streams: { heartbeatMs } });
  const ask = (path: string, key: string, init: RequestInit = {}): Promise<Response> => {
    const headers = { authorization: `Bearer ${key}`, "content-type": "application/json" };
    return server.fetch(new Request(`http://localhost${path}`, { ...init, headers }));
  };
  /** A stream of a run that does not end by itself. */
  const openStream = async (key: string) => {
    const body = JSON.stringify(says("stall"));
    const reader = (await ask("/v1/runs", key, { method: "POST", body })).body?.getReader();
    if (reader === undefined) throw new Error("There is no body.");
    await readUntil(reader, (text) => text.includes("text_delta"));
    return async (): Promise<void> => {
      for (let next = await reader.read(); !next.done; next = await reader.read()) {
        /* until it ends */
      }
    };
  };
  return { keys, ask, openStream, runtime };
}

describe("issue 14.44: an open stream", () => {
  it("ends when its key is revoked over HTTP, and those of others stay", async () => {
    const { keys, ask, openStream, runtime } = await openKeys(60_000);
    const [root, one, other] = await Promise.all(
      [["admin"] as const, ["run"] as const, ["run"] as const].map((scopes) => keys.create({ name: "k", scopes })),
    );
    const [end, otherEnd] = [await openStream(one?.key ?? ""), await openStream(other?.key ?? "")];
    const revoked = await ask(`/v1/keys/${one?.info.id}`, root?.key ?? "", { method: "DELETE" });
    expect(revoked.status).toBe(204);
    await end();
    expect((await ask("/v1/runs", one?.key ?? "")).status).toBe(401);
    const runs = (await runtime.runs({ status: "running" })).items;
    expect(runs).toHaveLength(2);
    for (const { run_id } of runs) await (await runtime.run(run_id)).cancel();
    await otherEnd();
  });

  it("ends when its key is revoked elsewhere", async () => {
    const { keys, openStream } = await openKeys(20);
    const { key, info } = await keys.create({ name: "k", scopes: ["run"] });
    const end = await openStream(key);
    await keys.revoke(info.id);
    await end();
  });

  it("ends when its key runs out", async () => {
    const { keys, openStream } = await openKeys(20);
    const expiresAt = Date.now() + 60_000;
    const { key } = await keys.create({ name: "k", scopes: ["run"], expiresAt });
    const end = await openStream(key);
    vi.useFakeTimers({ toFake: ["Date"], now: expiresAt });
    onTestFinished(() => void vi.useRealTimers());
    await end();
  });

  it("stays while it cannot be told whether its key is good", async () => {
    const { keys, openStream, runtime } = await openKeys(10);
    const { key } = await keys.create({ name: "k", scopes: ["run"] });
    const end = await openStream(key);
    const { documents } = runtime;
    const asked = Promise.withResolvers<void>();
    const load = documents.loadDocument.bind(documents);
    documents.loadDocument = async () => {
      asked.resolve();
      throw new Error("no store");
    };
    await asked.promise;
    documents.loadDocument = load;
    const [run] = (await runtime.runs()).items;
    expect(run?.status).toBe("running");
    await (await runtime.run(run?.run_id ?? "")).cancel();
    await end();
  });
});

describe("issue 14.44: a request line with a whole address", () => {
  const sendLine = (port: number, target: string): Promise<string> =>
    new Promise((resolve, reject) => {
      const socket = connect(port, "127.0.0.1", () => {
        socket.write(`GET ${target} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n`);
      });
      let text = "";
      socket.setEncoding("utf8").on("data", (part: string) => {
        text += part;
      });
      socket.on("end", () => resolve(text));
      socket.on("error", reject);
    });

  it.each([
    ["http://rebound.example/v1/threads", 403],
    ["http://localhost.rebound.example:80/v1/threads", 403],
    ["https://user@rebound.example/v1/threads", 403],
    ["http://localhost/v1/threads", 200],
    ["/v1/threads", 200],
  ])("is checked like the Host header: %s", async (target, status) => {
    const { server } = await openDemo();
    const { port } = await listenDemo(server);
    expect(await sendLine(port, target)).toMatch(new RegExp(`^HTTP/1.1 ${status} `));
  });
});
