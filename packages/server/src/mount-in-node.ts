import type { IncomingMessage, ServerResponse } from "node:http";
import { getRequestListener } from "@hono/node-server";
import type { Server } from "./create-server.ts";

/** A handler of Node's HTTP server, and middleware of Express and others that take the same. */
export type NodeHandler = (incoming: MountedRequest, outgoing: ServerResponse, next?: () => void) => void;

/** A request that another framework may have looked at before. */
export type MountedRequest = IncomingMessage & {
  /** The whole address, where the framework took the path it is mounted at off `url`. */
  readonly originalUrl?: string | undefined;
  /** The body, where the framework has read it already. */
  readonly body?: unknown;
};

/**
 * Makes a handler of a server, to be mounted under any path: `app.use("/agents", nodeHandler(server))`. Requests for what the server
 * does not have go to `next`, where there is one.
 */
export function nodeHandler(server: Server): NodeHandler {
  const listener = getRequestListener((request, env) => server.fetch(request, bindingsOf(env)), {
    // The host's own objects stay as they are.
    overrideGlobalObjects: false,
  });
  return (incoming, outgoing, next) => {
    const { method = "GET", url = "/" } = incoming;
    const path = pathOf(url);
    if (next !== undefined && !server.hasRoute(method, path)) return next();
    const outer = pathOf(incoming.originalUrl ?? url);
    // The page names its files by relative addresses: below `/agents/` they are found, below `/agents` they are not.
    if (path === "/" && !outer.endsWith("/")) {
      outgoing.writeHead(308, { location: `${outer}/` }).end();
      return;
    }
    void listener(withBody(incoming), outgoing);
  };
}

/** The part of Fastify that a plugin needs. */
interface FastifyScope {
  readonly prefix: string;
  removeAllContentTypeParsers(): unknown;
  addContentTypeParser(type: string, parser: (request: unknown, payload: unknown, done: Done) => void): unknown;
  all(path: string, handler: (request: { readonly raw: IncomingMessage }, reply: FastifyReply) => void): unknown;
}
type Done = (error: Error | null) => void;
interface FastifyReply {
  readonly raw: ServerResponse;
  hijack(): unknown;
}

/** Makes a plugin for Fastify: `app.register(fastifyPlugin(server), { prefix: "/agents" })`. */
export function fastifyPlugin(server: Server): (scope: FastifyScope) => Promise<void> {
  const handle = nodeHandler(server);
  return async (scope) => {
    // Bodies are read here, up to the server's own limit. What is registered in a plugin counts for the plugin alone.
    scope.removeAllContentTypeParsers();
    scope.addContentTypeParser("*", (_, __, done) => done(null));
    const answer = ({ raw }: { readonly raw: IncomingMessage }, reply: FastifyReply): void => {
      reply.hijack();
      const { url: originalUrl = "/" } = raw;
      const rest = originalUrl.slice(scope.prefix.length);
      handle(Object.assign(raw, { originalUrl, url: rest.startsWith("/") ? rest : `/${rest}` }), reply.raw);
    };
    scope.all("/", answer);
    scope.all("/*", answer);
  };
}

/** `express.json()` before us leaves no body to read, but what it made of it. */
function withBody(incoming: MountedRequest): IncomingMessage {
  if (!incoming.readableDidRead || incoming.body === undefined) return incoming;
  const rawBody = Buffer.isBuffer(incoming.body) ? incoming.body : Buffer.from(textOf(incoming.body));
  // Where the listener looks for a body that was read.
  return Object.assign(incoming, { rawBody });
}

function textOf(body: unknown): string {
  return typeof body === "string" ? body : JSON.stringify(body);
}

function pathOf(url: string): string {
  const [path = "/"] = url.split("?", 1);
  return path === "" ? "/" : path;
}

/** What Node's HTTP server brings. */
function bindingsOf(env: object): NonNullable<Parameters<Server["fetch"]>[1]> {
  // The listener is called by Node's HTTP/1 server, whose bindings these are.
  return env as NonNullable<Parameters<Server["fetch"]>[1]>;
}
