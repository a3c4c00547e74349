import type { Server as HttpServer } from "node:http";
import type { Socket } from "node:net";

/**
 * Connections on which no request has come: browsers open some ahead. Node does not count them as idle, so a server that ends
 * would wait for them. Returns how to end them.
 */
export function followUnusedConnections(http: HttpServer): () => void {
  const unused = new Set<Socket>();
  http.on("connection", (socket) => {
    unused.add(socket);
    socket.once("close", () => unused.delete(socket));
  });
  http.on("request", ({ socket }) => unused.delete(socket));
  // A request may have arrived that was not read yet: it is read first.
  return () => void setImmediate(() => setImmediate(() => unused.forEach((socket) => void socket.destroy())));
}
