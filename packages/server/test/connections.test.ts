import { connect } from "node:net";
import { type ListenOptions, listen } from "@reprise/server/node";
import { expect, it, onTestFinished } from "vitest";
import { openDemo, says } from "./support/open-demo.ts";
import { readUntil } from "./support/read-stream.ts";

/** More than the buffers of a connection take. */
const LARGE = 30_000_000;

async function open(options: ListenOptions) {
  const demo = await openDemo({ streams: { heartbeatMs: 60_000 } });
  const listening = await listen(demo.server, { port: 0, ...options });
  onTestFinished(() => listening.close().catch(() => undefined));
  return { ...demo, listening };
}

/** Connects, and says so much. Resolves when the server has the connection; `closed` when it has ended it. */
async function begin(port: number, text: string): Promise<{ readonly closed: Promise<void> }> {
  const socket = connect(port, "127.0.0.1");
  onTestFinished(() => void socket.destroy());
  socket.on("error", () => undefined);
  socket.resume();
  const closed = new Promise<void>((resolve) => socket.once("close", () => resolve()));
  await new Promise<void>((resolve) => socket.write(text, () => resolve()));
  return { closed };
}

it("closes although somebody never ends a request", async () => {
  const { listening } = await open({ closeTimeoutMs: 100 });
  const { closed } = await begin(listening.port, "GET /health HTTP/1.1\r\nHost: loc");
  // A whole request of somebody else's, so that the half one has surely come.
  await fetch(`${listening.url}/health`);
  await listening.close();
  await closed;
});

it("does not keep an answer for ever for who does not read it", async () => {
  const { listening, runtime } = await open({ idleTimeoutMs: 400 });
  const { ref } = await runtime.blobs.put(new Uint8Array(LARGE));
  const socket = connect(listening.port, "127.0.0.1");
  onTestFinished(() => void socket.destroy());
  socket.on("error", () => undefined);
  socket.pause();
  socket.write(`GET /v1/blobs/${ref.slice("blob:".length)} HTTP/1.1\r\nHost: localhost\r\n\r\n`);
  // Others that came after it and are as silent, several: what the buffers took counts once as having moved.
  for (let later = 0; later < 4; later += 1) await (await begin(listening.port, "")).closed;
  let heard = 0;
  socket.on("data", (part: Buffer) => {
    heard += part.length;
  });
  await new Promise((resolve) => socket.once("close", resolve).resume());
  expect(heard).toBeGreaterThan(0);
  expect(heard).toBeLessThan(LARGE);
});

it("lets a stream be silent for as long as it likes", async () => {
  const { listening, runtime } = await open({ idleTimeoutMs: 500 });
  const response = await fetch(`${listening.url}/v1/runs`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(says("stall", { runId: "r" })),
  });
  const reader = response.body?.getReader();
  if (reader === undefined) throw new Error("There is no body.");
  await readUntil(reader, (text) => text.includes("text_delta"));
  // Came later, is as silent, and is sent away.
  const { closed } = await begin(listening.port, "");
  await closed;
  await (await runtime.run("r")).cancel();
  await readUntil(reader, (text) => text.includes("run_finish"));
});
