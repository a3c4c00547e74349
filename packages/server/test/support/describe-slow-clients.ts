import { eventually } from "@reprise/testkit";
import { beforeAll, expect, it, onTestFinished } from "vitest";
import { hearAll } from "./describe-hostile-sockets.ts";
import { says } from "./open-demo.ts";
import { readUntil } from "./read-stream.ts";
import { closed, countRest, headOf, openSocket } from "./slow-sockets.ts";
import type { GuardedServer } from "./start-guarded.ts";

/** More than the buffers of a connection take. */
const LARGE = 10_000_000;
const MANY = 100;

/** What clients that take their time do to a server: nothing. */
export function describeSlowClients(serverOf: () => GuardedServer): void {
  let key = "";
  let door = "";
  let blobId = "";
  beforeAll(async () => {
    const server = serverOf();
    door = server.impatientUrl;
    key = await server.createKey("slow", "admin");
    const upload = { method: "POST", headers: { "content-type": "image/png" }, body: new Uint8Array(LARGE) };
    const { id } = await (await server.ask(key, "/v1/blobs", upload)).json();
    blobId = id;
    const flood = says(`flood ${LARGE / 400}`, { runId: "flood" });
    expect((await (await server.send(key, "POST", "/v1/runs", flood)).text()).length).toBeGreaterThan(LARGE);
  });

  const bearer = (): Readonly<Record<string, string>> => ({ Authorization: `Bearer ${key}` });

  /** Clients that send a byte now and then: half of them never end their headers, half never their body. */
  function drip() {
    const header = headOf("GET", "/health", bearer());
    const body = headOf("POST", "/v1/runs", {
      ...bearer(),
      "Content-Type": "application/json",
      "Content-Length": "1000",
    });
    const beginnings = [`${header}\r\nX-Slow: `, `${body}\r\n\r\n{`];
    const sockets = beginnings.flatMap((words) => Array.from({ length: MANY }, () => openSocket(door, words)));
    const timer = setInterval(() => {
      for (const socket of sockets) if (socket.writable) socket.write(" ");
    }, 100);
    onTestFinished(() => clearInterval(timer));
    return sockets;
  }

  /** Clients that say nothing, one after the other: when the last is sent away, whoever came before the first had that long. */
  async function saySilent(count: number): Promise<void> {
    for (let round = 0; round < count; round += 1) await closed(openSocket(door));
  }

  it("who send, read or say nothing for long keep nobody waiting, and are sent away; a silent stream stays", async () => {
    const server = serverOf();
    const stalled = await server.send(key, "POST", `${door}/v1/runs`, says("stall", { runId: "stalled" }));
    const reader = stalled.body?.getReader();
    if (reader === undefined) throw new Error("There is no body.");
    expect(stalled.status).toBe(200);

    const unread = [`/v1/blobs/${blobId}`, "/v1/runs/flood/events"].map((path) =>
      openSocket(door, `${headOf("GET", path, bearer())}\r\n\r\n`).pause(),
    );
    const slow = drip();
    const silent = saySilent(3);

    let served = 0;
    while (slow.some((socket) => !socket.closed)) {
      expect((await server.ask(key, `${door}/v1/threads`)).status).toBe(200);
      // Answered before the slow ones were sent away: it did not wait for them.
      if (slow.some((socket) => !socket.closed)) served += 1;
    }
    expect(served).toBeGreaterThan(1);

    await eventually(async () => {
      expect(slow.filter((socket) => !socket.closed).length).toBe(0);
      const metrics = await (await server.ask(server.rootOf(), `${door}/metrics`)).text();
      expect(metrics).toContain("reprise_streams_dropped_total 1\n");
    });
    await silent;
    for (const socket of unread) {
      const heard = await countRest(socket);
      expect(heard).toBeGreaterThan(0);
      expect(heard).toBeLessThan(LARGE);
    }
    expect((await server.send(key, "POST", "/v1/runs/stalled/cancel")).status).toBe(202);
    await readUntil(reader, (text) => text.includes("run_finish"));
  });

  it("who may not come in are told so before their body has come, and are not listened to for long", async () => {
    const head = headOf("POST", "/v1/blobs", { "Content-Type": "image/png", "Content-Length": "100000000" });
    // Ends although the rest never comes: the server ends it.
    expect(await hearAll(openSocket(door, `${head}\r\n\r\nx`))).toContain("HTTP/1.1 401");
  });
}
