import type { Socket } from "node:net";
import { describe, expect, it } from "vitest";
import { openSocket } from "./slow-sockets.ts";

/** Everything that is said until the other side ends the connection. */
export function hearAll(socket: Socket): Promise<string> {
  return new Promise((resolve) => {
    let heard = "";
    socket.on("data", (data) => {
      heard += data.toString("latin1");
    });
    socket.on("close", () => resolve(heard));
  });
}

const POST = "POST /v1/runs HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json";

/** The largest body the server takes, unless it is told otherwise. */
const MAX_BODY_BYTES = 1_048_576;
const CHUNK_BYTES = 65_536;
const CHUNK = `${CHUNK_BYTES.toString(16)}\r\n${"x".repeat(CHUNK_BYTES)}\r\n`;

/** What no client of a library would write. */
export function describeHostileSockets(urlOf: () => string): void {
  describe("over a bare socket", () => {
    it("a chunked body without end is cut off at its limit, and the connection with it", async () => {
      const socket = openSocket(urlOf(), `${POST}\r\nTransfer-Encoding: chunked\r\n\r\n`);
      const heard = hearAll(socket);
      let sent = 0;
      const more = (): void => {
        if (socket.destroyed || sent > 100_000_000) return;
        sent += CHUNK_BYTES;
        socket.write(CHUNK, () => setImmediate(more));
      };
      more();
      // The end of a connection on which something is still under way may overtake the answer.
      expect(await heard).toMatch(/^(HTTP\/1\.1 413 |$)/);
      // What was on its way in the buffers of both sides, and no more.
      expect(sent).toBeLessThan(20_000_000);
      expect((await fetch(`${urlOf()}/health`)).status).toBe(200);
    });

    it("a chunked body is told that it is too large by the first byte that is too many", async () => {
      const socket = openSocket(urlOf(), `${POST}\r\nTransfer-Encoding: chunked\r\n\r\n`);
      const heard = hearAll(socket);
      for (let sent = 0; sent < MAX_BODY_BYTES; sent += CHUNK_BYTES) socket.write(CHUNK);
      socket.write("1\r\nx\r\n");
      expect(await heard).toContain("HTTP/1.1 413");
    });

    it("a length that is a lie is refused before a byte of it is read", async () => {
      const socket = openSocket(urlOf(), `${POST}\r\nContent-Length: 1000000000\r\n\r\n{`);
      expect(await hearAll(socket)).toContain("HTTP/1.1 413");
    });

    it.each([
      ["a hundred thousand headers", `GET /health HTTP/1.1\r\nHost: localhost\r\n${"X-A: 1\r\n".repeat(100_000)}`, 431],
      ["a header without end", `GET /health HTTP/1.1\r\nHost: localhost\r\nX-Long: ${"x".repeat(20_000)}\r\n`, 431],
      ["a path without end", `GET /${"a".repeat(40_000)} HTTP/1.1\r\nHost: localhost\r\n`, 431],
      ["two lengths", `${POST}\r\nContent-Length: 2\r\nContent-Length: 3\r\n`, 400],
      ["a length and chunks", `${POST}\r\nContent-Length: 2\r\nTransfer-Encoding: chunked\r\n`, 400],
      ["no host", "GET /v1/threads HTTP/1.1\r\n", 400],
      ["no HTTP", "hello\r\n", 400],
    ])("%s is refused", async (_, head, status) => {
      const socket = openSocket(urlOf(), `${head}\r\n`);
      // A process that is answered and not cut off has to leave by itself.
      socket.once("data", () => socket.end());
      expect(await hearAll(socket)).toContain(`HTTP/1.1 ${status}`);
    });
  });
}
