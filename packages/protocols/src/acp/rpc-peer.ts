import { describeThrown, RepriseError } from "@reprise/contracts";
import { isPlainObject } from "@reprise/contracts/shape";
import { assertJson, type Json, parseJson } from "@reprise/state";

/** The error codes of JSON-RPC and of ACP. */
export const RPC_ERRORS = {
  parse: -32700,
  invalidRequest: -32600,
  methodNotFound: -32601,
  invalidParams: -32602,
  internal: -32603,
  cancelled: -32800,
  authRequired: -32000,
  notFound: -32002,
} as const;

/** A failure as JSON-RPC says it: thrown by a handler it is the answer, and a refused request throws it. */
export class RpcError extends Error {
  override readonly name = "RpcError";
  readonly code: number;
  readonly data: Json | undefined;

  constructor(code: number, message: string, data?: Json) {
    super(message);
    this.code = code;
    this.data = data;
  }
}

/** A request as its handler gets it. The signal is aborted by `$/cancel_request` and by the end of the connection. */
export interface RpcRequest {
  readonly params: Json;
  readonly signal: AbortSignal;
  /** Fulfilled when the answer is sent: for messages that must come after it. Never when the request fails. */
  readonly answered: Promise<void>;
}

export interface RpcPeerOptions {
  /** Sends one line. A promise holds the peer's own requests and notifications back until it is fulfilled. */
  write(line: string): void | Promise<void>;
  readonly requests: Readonly<Record<string, (request: RpcRequest) => Promise<Json>>>;
  readonly notifications?: Readonly<Record<string, (params: Json) => void>>;
  /** Called before every request. Throws where the connection is not ready for the method. */
  admit?(method: string): void;
}

/** One end of a connection that speaks JSON-RPC in lines, as ACP does over stdio. */
export interface RpcPeer {
  /** Takes in one line of the other side. Never throws: what cannot be read is answered. */
  receive(line: string): void;
  /** Asks the other side. Rejects with `RpcError`; an aborted signal tells the other side too. */
  request(method: string, params: Json, options?: { readonly signal?: AbortSignal }): Promise<Json>;
  notify(method: string, params: Json): void | Promise<void>;
  /** Ends the connection: open requests reject, and handlers see their signal aborted. */
  close(reason: string): void;
}

const CANCEL = "$/cancel_request";

type Id = string | number | null;

export function createRpcPeer({ write, requests, notifications = {}, admit }: RpcPeerOptions): RpcPeer {
  const asked = new Map<Id, PromiseWithResolvers<Json>>();
  const served = new Map<Id, AbortController>();
  let lastId = 0;
  let closed: RpcError | undefined;

  const send = (message: object): void | Promise<void> =>
    closed === undefined ? write(JSON.stringify({ jsonrpc: "2.0", ...message })) : undefined;
  const refuse = (id: Id, error: unknown): void => void send({ id, error: toRpcError(error) });

  const serve = async (id: Id, method: string, params: Json): Promise<void> => {
    const controller = new AbortController();
    const answered = Promise.withResolvers<void>();
    served.set(id, controller);
    try {
      const handler = Object.hasOwn(requests, method) ? requests[method] : undefined;
      if (handler === undefined) throw new RpcError(RPC_ERRORS.methodNotFound, `There is no method ${method}.`);
      admit?.(method);
      const { signal } = controller;
      await send({ id, result: await handler({ params, signal, answered: answered.promise }) });
      answered.resolve();
    } catch (error) {
      refuse(id, error);
    } finally {
      served.delete(id);
    }
  };

  const hear = (method: string, params: Json): void => {
    if (method === CANCEL) {
      const id = isPlainObject(params) ? params.requestId : undefined;
      if (isId(id)) served.get(id)?.abort(new RpcError(RPC_ERRORS.cancelled, "The request was cancelled."));
      return;
    }
    // A notification has no answer, so one that is unknown or wrong is dropped, as the protocol demands.
    try {
      if (Object.hasOwn(notifications, method)) notifications[method]?.(params);
    } catch {}
  };

  const settle = (id: Id, message: { readonly [key: string]: unknown }): void => {
    const open = asked.get(id);
    if (open === undefined) return;
    asked.delete(id);
    if (message.error === undefined) open.resolve((message.result ?? null) as Json);
    else open.reject(readRpcError(message.error));
  };

  return {
    receive(line) {
      if (line.trim() === "" || closed !== undefined) return;
      const message = readMessage(line);
      if (message instanceof RpcError) return refuse(null, message);
      const { id, method, params = null } = message;
      if (typeof method === "string" && isId(id)) void serve(id, method, params as Json);
      else if (typeof method === "string" && id === undefined) hear(method, params as Json);
      else if (method === undefined && isId(id) && ("result" in message || "error" in message)) settle(id, message);
      else refuse(isId(id) ? id : null, new RpcError(RPC_ERRORS.invalidRequest, "This is no JSON-RPC message."));
    },
    async request(method, params, { signal } = {}) {
      signal?.throwIfAborted();
      if (closed !== undefined) throw closed;
      const id = ++lastId;
      const open = Promise.withResolvers<Json>();
      asked.set(id, open);
      const cancel = (): void => {
        asked.delete(id);
        void send({ method: CANCEL, params: { requestId: id } });
        open.reject(signal?.reason);
      };
      signal?.addEventListener("abort", cancel, { once: true });
      try {
        await send({ id, method, params });
        return await open.promise;
      } finally {
        signal?.removeEventListener("abort", cancel);
        asked.delete(id);
      }
    },
    notify: (method, params) => send({ method, params }),
    close(reason) {
      if (closed !== undefined) return;
      closed = new RpcError(RPC_ERRORS.internal, reason);
      for (const { reject } of asked.values()) reject(closed);
      for (const controller of served.values()) controller.abort(closed);
    },
  };
}

function isId(id: unknown): id is Id {
  return typeof id === "string" || typeof id === "number" || id === null;
}

function readMessage(line: string): { readonly [key: string]: unknown } | RpcError {
  let message: unknown;
  try {
    message = parseJson(line);
    assertJson(message);
  } catch {
    return new RpcError(RPC_ERRORS.parse, "The line is no JSON that can be read.");
  }
  if (isPlainObject(message)) return message;
  return new RpcError(
    RPC_ERRORS.invalidRequest,
    "A message must be an object. Batches are not a part of the protocol.",
  );
}

/** Turns any failure into an error of the protocol. The code of the catalogue is in `data.code`. */
export function toRpcError(thrown: unknown): { readonly code: number; readonly message: string; readonly data?: Json } {
  if (thrown instanceof RpcError) {
    const { code, message, data } = thrown;
    return { code, message, ...(data !== undefined && { data }) };
  }
  if (!RepriseError.is(thrown)) return { code: RPC_ERRORS.internal, message: describeThrown(thrown) };
  return { code: rpcCodeOf(thrown.httpStatus), message: thrown.message, data: { code: thrown.code } };
}

function rpcCodeOf(httpStatus: number): number {
  if (httpStatus === 404 || httpStatus === 410) return RPC_ERRORS.notFound;
  return httpStatus >= 400 && httpStatus < 500 ? RPC_ERRORS.invalidParams : RPC_ERRORS.internal;
}

function readRpcError(error: unknown): RpcError {
  const { code, message, data } = isPlainObject(error) ? error : {};
  return new RpcError(
    typeof code === "number" ? code : RPC_ERRORS.internal,
    typeof message === "string" ? message : "The other side failed without a reason.",
    data as Json | undefined,
  );
}
