import { EventEmitter } from "node:events";
import type { Server } from "node:http";
import { expect, it } from "vitest";
import { limitConnections } from "./limit-connections.ts";

class FakeSocket extends EventEmitter {
  readonly remoteAddress: string;
  isDestroyed = false;

  constructor(remoteAddress: string) {
    super();
    this.remoteAddress = remoteAddress;
  }

  destroy(): void {
    this.isDestroyed = true;
    this.emit("close");
  }
}

/** Connections as a server would tell of them: from addresses this machine does not have. */
function openConnections() {
  const http = new EventEmitter();
  // Only its connections are looked at.
  limitConnections(http as unknown as Server, 2, (address) => address === "10.0.0.1");
  return (address: string): FakeSocket => {
    const socket = new FakeSocket(address);
    http.emit("connection", socket);
    return socket;
  };
}

it("closes the connection that is one too many, and no other", () => {
  const connect = openConnections();
  const [first, second, third] = [connect("203.0.113.1"), connect("203.0.113.1"), connect("203.0.113.1")];
  expect([first, second, third].map(({ isDestroyed }) => isDestroyed)).toEqual([false, false, true]);
  expect(connect("203.0.113.2").isDestroyed).toBe(false);
  first.destroy();
  expect(connect("203.0.113.1").isDestroyed).toBe(false);
  expect(connect("::ffff:203.0.113.1").isDestroyed).toBe(true);
});

it("does not count this machine and proxies", () => {
  const connect = openConnections();
  for (const address of ["127.0.0.1", "::1", "::ffff:127.0.0.1", "10.0.0.1"]) {
    const sockets = Array.from({ length: 5 }, () => connect(address));
    expect(sockets.some(({ isDestroyed }) => isDestroyed)).toBe(false);
  }
});
