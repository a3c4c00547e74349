import type { RunOrigin } from "@reprise/contracts";
import type { TenantRuntime } from "@reprise/runtime";
import type { Json } from "@reprise/state";
import type { Context } from "hono";
import type { RequestBody } from "../http/request-body.ts";
import type { Operation } from "../openapi/operation.ts";
import type { Principal, Scope } from "../security/principal.ts";
import type { NodeResponse } from "../sse/node-outlet.ts";
import type { StreamSlot } from "../sse/stream-slots.ts";
import type { ServerHost } from "./server-host.ts";

/** The objects of the platform: on Node, the response to write to and the socket of the request. */
export interface ServerEnv {
  Bindings: {
    readonly outgoing?: NodeResponse;
    readonly incoming?: {
      readonly socket: { readonly remoteAddress?: string | undefined };
      /** The target of the request line, which may be a whole address. */
      readonly url?: string | undefined;
    };
    /** The way that a request came by, when that is not HTTP: the origin of the run that it starts. */
    readonly origin?: RunOrigin;
  };
}

/** One HTTP request that was let in, and everything a route needs to answer it. */
export interface HttpExchange {
  readonly context: Context<ServerEnv>;
  readonly host: ServerHost;
  readonly principal: Principal;
  /** The runtime as the principal's tenant sees it. */
  readonly runtime: TenantRuntime;
  readonly body: RequestBody;
  /** Headers of every response to this request. */
  readonly headers: Readonly<Record<string, string>>;
  /** For a route that streams: its slot among the streams. */
  readonly slot?: StreamSlot;
  /** When the request has an idempotency key: the ids of what it begins, and how things stood before. */
  readonly reserved?: Reserved;
}

/** Ids that a request was given before anything was done for it. Sent again it has the same ones, in any process. */
export interface Reserved {
  readonly run_id: string;
  readonly thread_id: string;
  /** The answer of the route's `before` to the first try of the request. */
  readonly before?: Json;
  /** An earlier try may have begun under them. */
  readonly isRepeat: boolean;
}

/** A route is data: who may call it is said where it is defined, and can be listed. */
export interface Route {
  readonly method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  readonly path: string;
  /**
   * The scope that a credential must have; of several, one is enough. `public` needs no credential. `signed` needs none either: the route
   * checks the signature of the request.
   */
  readonly scope: Scope | readonly Scope[] | "public" | "signed";
  /** It knows a request that is sent again by its idempotency key itself, because its answer cannot be kept. */
  readonly knowsRepeats?: true;
  /**
   * How things stand before the request does anything, as far as the route needs it to tell, when the request is sent again after
   * a crash, whether it was done.
   */
  readonly before?: (exchange: HttpExchange) => Promise<Json>;
  /** It may answer with a stream: a slot for one is kept before anything is done. */
  readonly opensStream?: true;
  /** The purpose, parameters and responses of the route, for the OpenAPI document. */
  readonly operation: Operation;
  handle(exchange: HttpExchange): Response | Promise<Response>;
}

/** A part of the path. */
export function pathPart({ context }: HttpExchange, name: string): string {
  return context.req.param(name) ?? "";
}
