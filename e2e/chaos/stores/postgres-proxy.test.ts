import { connect, createServer, type Server, type Socket } from "node:net";
import { beforeEach, expect, it, onTestFinished } from "vitest";
import { PostgresProxy } from "./postgres-proxy.ts";

/** A message of the protocol: a letter, a length, texts ended by zero bytes. */
function message(type: string, ...texts: readonly string[]): Buffer {
  const body = Buffer.from(texts.map((text) => `${text}\0`).join(""));
  const length = Buffer.alloc(4);
  length.writeInt32BE(body.length + 4);
  return Buffer.concat([Buffer.from(type), length, body]);
}

const STARTUP = message("", "user", "reprise");
const PARSE = message("P", "s1", "commit");
const BIND = message("B", "", "s1");
const COMMITTED = message("C", "COMMIT");

let heard: Buffer;
let proxy: PostgresProxy;
let answer: (bytes: Buffer) => void;

beforeEach(async () => {
  heard = Buffer.alloc(0);
  const server: Server = createServer((socket) => {
    answer = (bytes) => void socket.write(bytes);
    socket.on("error", () => {});
    socket.on("data", (chunk) => {
      heard = Buffer.concat([heard, chunk]);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  proxy = await PostgresProxy.start(`postgres://u@127.0.0.1:${typeof address === "object" ? address?.port : 0}/d`);
  onTestFinished(() => {
    proxy.close();
    server.close();
  });
});

/** A client that has said hello and prepared its commit. */
async function openClient(): Promise<{ readonly socket: Socket; readonly closed: Promise<void>; got(): string }> {
  const socket = connect(Number(new URL(proxy.url).port), "127.0.0.1");
  let received = Buffer.alloc(0);
  socket.on("data", (chunk) => {
    received = Buffer.concat([received, chunk]);
  });
  const closed = new Promise<void>((resolve) => socket.once("close", () => resolve()));
  // In two pieces, as the network may have it.
  socket.write(Buffer.concat([STARTUP, PARSE.subarray(0, 3)]));
  socket.write(PARSE.subarray(3));
  await expect.poll(() => heard.length).toBe(STARTUP.length + PARSE.length);
  return { socket, closed, got: () => received.toString("latin1") };
}

it("passes everything on while no cut is requested", async () => {
  const { socket, got } = await openClient();
  socket.write(BIND);
  await expect.poll(() => heard.length).toBe(STARTUP.length + PARSE.length + BIND.length);
  answer(COMMITTED);
  await expect.poll(got).toBe(COMMITTED.toString("latin1"));
});

it("cuts before a commit: the server never hears of it", async () => {
  const { socket, closed } = await openClient();
  const cut = proxy.cutNextCommit("before");
  socket.write(BIND);
  await Promise.all([cut, closed]);
  expect(heard.length).toBe(STARTUP.length + PARSE.length);
});

it("cuts after a commit: the client never hears that it happened", async () => {
  const { socket, closed, got } = await openClient();
  const cut = proxy.cutNextCommit("after");
  socket.write(BIND);
  await expect.poll(() => heard.length).toBe(STARTUP.length + PARSE.length + BIND.length);
  answer(COMMITTED);
  await Promise.all([cut, closed]);
  expect(got()).toBe("");
});

it("falls silent without closing anything", async () => {
  const { socket, got } = await openClient();
  proxy.goSilent();
  socket.write(BIND);
  answer(COMMITTED);
  const other = await openSecond();
  expect([heard.length, got(), socket.destroyed]).toEqual([STARTUP.length * 2 + PARSE.length, "", false]);
  other.destroy();
});

/** A connection made after the silence works: when it was heard, the silent one would have been too. */
async function openSecond(): Promise<Socket> {
  const socket = connect(Number(new URL(proxy.url).port), "127.0.0.1");
  socket.write(STARTUP);
  await expect.poll(() => heard.length).toBe(STARTUP.length * 2 + PARSE.length);
  return socket;
}
