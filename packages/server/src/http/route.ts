import type { TenantRuntime } from "@reprise/runtime";
import type { Context } from "hono";
import type { Principal, Scope } from "../security/principal.ts";
import type { ServerHost } from "../server-host.ts";
import type { NodeResponse } from "../sse/node-outlet.ts";
import type { RequestBody } from "./request-body.ts";

/** What the platform brings: on Node, the response to write to. */
export interface ServerEnv {
  Bindings: { readonly outgoing?: NodeResponse };
}

/** One request that passed the door, and what is needed to answer it. */
export interface Call {
  readonly context: Context<ServerEnv>;
  readonly host: ServerHost;
  readonly principal: Principal;
  /** The runtime as the principal's tenant sees it. */
  readonly runtime: TenantRuntime;
  readonly body: RequestBody;
  /** What every answer to this request carries. */
  readonly headers: Readonly<Record<string, string>>;
}

/** A route is data: who may call it is said where it is defined, and can be listed. */
export interface Route {
  readonly method: "GET" | "POST" | "PATCH" | "DELETE";
  readonly path: string;
  /** What a credential must allow; one of several is enough to come in. `public` needs no credential. */
  readonly scope: Scope | readonly Scope[] | "public";
  /** It knows a request that is sent again by its idempotency key itself, because its answer cannot be kept. */
  readonly knowsRepeats?: true;
  handle(call: Call): Response | Promise<Response>;
}

/** A part of the path. */
export function pathPart({ context }: Call, name: string): string {
  return context.req.param(name) ?? "";
}
