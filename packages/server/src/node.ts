import { createServer as createHttpServer, type Server as HttpServer } from "node:http";
import type { AddressInfo } from "node:net";
import { RepriseError } from "@reprise/contracts";
import type { Server } from "./create-server.ts";
import { followUnusedConnections } from "./http/unused-connections.ts";
import { nodeHandler } from "./mount-in-node.ts";
import { limitConnections } from "./security/limit-connections.ts";

export type { MountedRequest, NodeHandler } from "./mount-in-node.ts";
export { fastifyPlugin, nodeHandler } from "./mount-in-node.ts";
export { studio } from "./page/studio.ts";

export interface ListenOptions {
  /** The loopback address unless given. Any other needs a server with authentication. */
  readonly host?: string;
  /** 8080 unless given; 0 takes any that is free. */
  readonly port?: number;
  /** How long a client may take to send the headers, and the whole, of a request. 10 and 30 seconds unless given. */
  readonly headersTimeoutMs?: number;
  readonly requestTimeoutMs?: number;
  /** A connection on which nothing moves this long is closed, one with a stream aside; two minutes unless given. */
  readonly idleTimeoutMs?: number;
  /** How long `close` waits for the answers that are under way; 5 seconds unless given. */
  readonly closeTimeoutMs?: number;
  /** Connections one address may have open, beside this machine's own and those of trusted proxies; 256 unless given. */
  readonly maxConnectionsPerAddress?: number;
}

/** A server that listens. */
export interface Listening {
  readonly host: string;
  readonly port: number;
  readonly url: string;
  /** Takes no more requests, ends streams, and waits a while for the answers that are under way. */
  close(): Promise<void>;
}

const LOOPBACK = /^(127\.\d{1,3}\.\d{1,3}\.\d{1,3}|::1|localhost)$/;

/** A slow client must not hold a connection for ever, nor a long header memory. */
const CONNECTION_LIMITS = { keepAliveTimeout: 5_000, maxHeaderSize: 16_384 } as const;

const MAX_CONNECTIONS_PER_ADDRESS = 256;
const IDLE_TIMEOUT_MS = 120_000;
const CLOSE_TIMEOUT_MS = 5_000;

/** Listens for HTTP requests. `INVALID_REQUEST` for a public address without authentication. */
export async function listen(server: Server, options: ListenOptions = {}): Promise<Listening> {
  const { host = "127.0.0.1", port = 8080, headersTimeoutMs = 10_000, requestTimeoutMs = 30_000 } = options;
  assertMayListen(server, host);
  const handle = nodeHandler(server);
  const limits = {
    ...CONNECTION_LIMITS,
    headersTimeout: headersTimeoutMs,
    requestTimeout: requestTimeoutMs,
    connectionsCheckingInterval: Math.min(headersTimeoutMs, 2_000),
  };
  const http = createHttpServer(limits, (incoming, outgoing) => handle(incoming, outgoing));
  // Who does not read an answer would otherwise have it kept for ever.
  http.timeout = options.idleTimeoutMs ?? IDLE_TIMEOUT_MS;
  const { maxConnectionsPerAddress = MAX_CONNECTIONS_PER_ADDRESS, closeTimeoutMs = CLOSE_TIMEOUT_MS } = options;
  limitConnections(http, maxConnectionsPerAddress, (address) => server.isTrustedProxy(address));
  const endUnused = followUnusedConnections(http);
  await new Promise<void>((resolve, reject) => {
    http.once("error", reject);
    http.listen(port, host, resolve);
  });
  // A listening TCP server has an address of this form.
  const address = http.address() as AddressInfo;
  const name = host.includes(":") ? `[${host}]` : host;
  return {
    host,
    port: address.port,
    url: `http://${name}:${address.port}`,
    close() {
      endUnused();
      return closeHttp(http, server, closeTimeoutMs);
    },
  };
}

/** Another address than our own machine's is for those who say who they are. */
function assertMayListen(server: Server, host: string): void {
  if (LOOPBACK.test(host) || server.isAuthenticated) return;
  const message = `Refusing to listen on ${host}, a public address, without authentication. Pass authenticate to createServer, or listen on 127.0.0.1.`;
  throw new RepriseError("INVALID_REQUEST", message, { details: { host } });
}

/** Node looks for slow clients no more once it closes: what is left after a while is cut. */
function closeHttp(http: HttpServer, server: Server, timeoutMs: number): Promise<void> {
  return new Promise((resolve, reject) => {
    const patience = setTimeout(() => http.closeAllConnections(), timeoutMs);
    http.close((error) => {
      clearTimeout(patience);
      return error === undefined ? resolve() : reject(error);
    });
    server.close();
    http.closeIdleConnections();
  });
}
