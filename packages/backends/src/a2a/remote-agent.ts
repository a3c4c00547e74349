import type { Egress, EgressResponse, RemoteEndpoint } from "@reprise/contracts";
import { isPlainObject } from "@reprise/contracts/shape";
import { A2A_VERSION, type A2aMessage, type A2aStreamItem, type A2aTask } from "@reprise/protocols/a2a";
import { createParser } from "eventsource-parser";

/** An answer of a remote agent that is an error. `reason` is the protocol's word for it, where there is one. */
export class RemoteError extends Error {
  override readonly name = "RemoteError";
  readonly status: number;
  readonly reason: string | undefined;

  constructor(message: string, status: number, reason?: string) {
    super(message);
    this.status = status;
    this.reason = reason;
  }
}

/** Where and how a remote agent is spoken to, as its card says. */
export interface RemoteAgent {
  readonly url: string;
  readonly binding: "HTTP+JSON" | "JSONRPC";
  readonly canStream: boolean;
}

/** An agent that a server tells of. */
export interface ListedAgent {
  /** Absent for the one agent of a server without a list. */
  readonly id?: string;
  /** The gateway that has the agent, where that is not the address that was asked. */
  readonly url?: string;
  readonly name: string;
  readonly description: string;
}

/** Answers longer than this are refused. */
const MAX_BYTES = 8 * 1_048_576;

/** Requests to one endpoint. Its origin is vouched for by the operator; credentials go to it and to no other. */
export class RemoteConnection {
  readonly #endpoint: RemoteEndpoint;
  readonly #egress: Egress;
  readonly #signal: AbortSignal | undefined;
  readonly #origin: string;

  constructor(endpoint: RemoteEndpoint, egress: Egress, signal?: AbortSignal) {
    this.#endpoint = endpoint;
    this.#egress = egress;
    this.#signal = signal;
    this.#origin = new URL(endpoint.url).origin;
  }

  /** Finds the card of the agent: at the address itself, below a gateway, or where every server has its card. */
  async discover(): Promise<RemoteAgent> {
    const { url, remote_agent_id: id = "" } = this.#endpoint;
    const base = url.replace(/(?<!\/)\/+$/, "");
    const places = url.endsWith(".json")
      ? [url]
      : [`${base}/agents/${encodeURIComponent(id)}/agent-card`, `${base}/.well-known/agent-card.json`];
    for (const place of places) {
      const card = await this.#find(place);
      if (card !== undefined) return this.#readCard(card);
    }
    throw new RemoteError(`there is no agent card at ${places.join(" or ")}`, 404);
  }

  /** The agents of a server: those in the list of a gateway, or the one whose card the server has. */
  async list(): Promise<readonly ListedAgent[]> {
    const base = this.#endpoint.url.replace(/(?<!\/)\/+$/, "");
    const listed = readList(await this.#find(`${base}/agents`));
    if (listed !== undefined) return listed;
    const place = base.endsWith(".json") ? base : `${base}/.well-known/agent-card.json`;
    const card = await this.#find(place);
    if (!isPlainObject(card)) throw new RemoteError(`there is no agent card at ${place}`, 404);
    const { url } = card;
    const isList = typeof url === "string" && URL.canParse(url) && new URL(url).origin === this.#origin;
    const named = isList && url.endsWith("/agents") ? readList(await this.#find(url)) : undefined;
    // A gateway of ours is one level above its list; its agents are named below it.
    if (named !== undefined) return named.map((agent) => ({ ...agent, url: String(url).replace(/\/agents$/, "") }));
    this.#readCard(card);
    const { name, description } = card;
    return [{ name: String(name ?? ""), description: String(description ?? "") }];
  }

  /** What is at an address; undefined when nothing is. */
  async #find(place: string): Promise<unknown> {
    const response = await this.#send("GET", place, { accept: "application/json" });
    if (response.status !== 404 && response.status !== 405) return this.#json(await this.#checked(response));
    for await (const _ of response.body) break;
    return undefined;
  }

  /** Sends a message. The items are updates of the task, as long as the answer is open. */
  async *send(agent: RemoteAgent, message: A2aMessage, key: string): AsyncGenerator<A2aStreamItem, void> {
    const configuration = { returnImmediately: true };
    const headers = { "idempotency-key": key };
    if (agent.canStream) yield* this.#stream(agent, "SendStreamingMessage", { message }, headers);
    else yield (await this.#call(agent, "SendMessage", { message, configuration }, headers)) as A2aStreamItem;
  }

  async get(agent: RemoteAgent, id: string): Promise<A2aTask> {
    return (await this.#call(agent, "GetTask", { id })) as A2aTask;
  }

  subscribe(agent: RemoteAgent, id: string): AsyncGenerator<A2aStreamItem, void> {
    return this.#stream(agent, "SubscribeToTask", { id });
  }

  async cancel(agent: RemoteAgent, id: string): Promise<void> {
    await this.#call(agent, "CancelTask", { id });
  }

  #readCard(card: unknown): RemoteAgent {
    const fields = isPlainObject(card) ? card : {};
    const interfaces = Array.isArray(fields.supportedInterfaces)
      ? fields.supportedInterfaces.filter(isPlainObject)
      : [];
    const spoken = interfaces.filter(({ protocolVersion = A2A_VERSION }) => String(protocolVersion).startsWith("1."));
    for (const binding of ["HTTP+JSON", "JSONRPC"] as const) {
      const found = spoken.find(({ protocolBinding, url }) => protocolBinding === binding && typeof url === "string");
      if (found === undefined) continue;
      const url = String(found.url);
      if (!URL.canParse(url) || new URL(url).origin !== this.#origin) {
        throw new RemoteError(`its card names an interface at another origin than ${this.#origin}`, 400);
      }
      const { capabilities } = fields;
      return { url, binding, canStream: isPlainObject(capabilities) && capabilities.streaming === true };
    }
    throw new RemoteError(`its card names no interface of A2A ${A2A_VERSION} over HTTP+JSON or JSONRPC`, 400);
  }

  async #call(agent: RemoteAgent, method: Method, params: Params, headers: Headers = {}): Promise<unknown> {
    const response = await this.#request(agent, method, params, {
      ...headers,
      accept: "application/a2a+json, application/json",
    });
    const body = await this.#json(response);
    return agent.binding === "JSONRPC" ? readRpc(body) : body;
  }

  async *#stream(
    agent: RemoteAgent,
    method: Method,
    params: Params,
    headers: Headers = {},
  ): AsyncGenerator<A2aStreamItem, void> {
    const response = await this.#request(agent, method, params, { ...headers, accept: "text/event-stream" });
    if (response.headers["content-type"]?.startsWith("text/event-stream") !== true) {
      const body = await this.#json(response);
      throw agent.binding === "JSONRPC"
        ? readRpcError(body)
        : new RemoteError("it answered without a stream", response.status);
    }
    for await (const data of readEvents(response.body)) {
      const item: unknown = JSON.parse(data);
      // Its fields are looked at by who follows the task, one by one.
      yield (agent.binding === "JSONRPC" ? readRpc(item) : item) as A2aStreamItem;
    }
  }

  async #request(agent: RemoteAgent, method: Method, params: Params, headers: Headers): Promise<EgressResponse> {
    if (agent.binding === "JSONRPC") {
      return this.#checked(await this.#send("POST", agent.url, headers, { jsonrpc: "2.0", id: 1, method, params }));
    }
    const { verb, path } = REST[method];
    const { id, ...body } = params;
    const address = `${agent.url.replace(/(?<!\/)\/+$/, "")}${path.replace("{id}", encodeURIComponent(id ?? ""))}`;
    return this.#checked(await this.#send(verb, address, headers, verb === "GET" ? undefined : body));
  }

  async #send(method: string, url: string, headers: Headers, body?: object): Promise<EgressResponse> {
    return this.#egress.send(url, {
      method,
      headers: {
        "a2a-version": A2A_VERSION,
        ...this.#credential(),
        ...(body !== undefined && { "content-type": "application/json" }),
        ...headers,
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
      ...(this.#signal !== undefined && { signal: this.#signal }),
      configured: this.#origin,
      isPrivate: true,
    });
  }

  async #checked(response: EgressResponse): Promise<EgressResponse> {
    if (response.status >= 300) throw await this.#readError(response);
    return response;
  }

  #credential(): Headers {
    const { auth } = this.#endpoint;
    if (auth === undefined) return {};
    return auth.kind === "bearer_token" ? { authorization: `Bearer ${auth.token}` } : { [auth.name]: auth.value };
  }

  async #readError(response: EgressResponse): Promise<RemoteError> {
    const body = await this.#json(response).catch(() => undefined);
    const error = isPlainObject(body) ? body.error : undefined;
    if (!isPlainObject(error)) return new RemoteError(`it answered with ${response.status}`, response.status);
    return new RemoteError(wordsOf(error), response.status, reasonOf(error.details ?? error.data));
  }

  async #json(response: EgressResponse): Promise<unknown> {
    const chunks: Uint8Array[] = [];
    let size = 0;
    for await (const chunk of response.body) {
      size += chunk.byteLength;
      if (size > MAX_BYTES) throw new RemoteError("its answer is too long", response.status);
      chunks.push(chunk);
    }
    const text = Buffer.concat(chunks).toString("utf8");
    try {
      return JSON.parse(text);
    } catch {
      throw new RemoteError(`it answered with ${response.status} and something that is not JSON`, response.status);
    }
  }
}

/** The list of a gateway; undefined when it is something else. */
function readList(value: unknown): readonly ListedAgent[] | undefined {
  const agents = isPlainObject(value) ? value.agents : undefined;
  if (!Array.isArray(agents)) return undefined;
  return agents.filter(isPlainObject).flatMap(({ id, name, description }) => {
    const isNamed = typeof id === "string" && id !== "";
    return isNamed ? [{ id, name: String(name ?? id), description: String(description ?? "") }] : [];
  });
}

type Headers = Readonly<Record<string, string>>;
type Params = { readonly id?: string; readonly message?: A2aMessage; readonly configuration?: object };
type Method = keyof typeof REST;

const REST = {
  SendMessage: { verb: "POST", path: "/message:send" },
  SendStreamingMessage: { verb: "POST", path: "/message:stream" },
  GetTask: { verb: "GET", path: "/tasks/{id}" },
  CancelTask: { verb: "POST", path: "/tasks/{id}:cancel" },
  SubscribeToTask: { verb: "POST", path: "/tasks/{id}:subscribe" },
} as const;

function readRpc(body: unknown): unknown {
  if (isPlainObject(body) && body.result !== undefined) return body.result;
  throw readRpcError(body);
}

function readRpcError(body: unknown): RemoteError {
  const error = isPlainObject(body) ? body.error : undefined;
  if (!isPlainObject(error)) return new RemoteError("it answered with something that is not JSON-RPC", 502);
  return new RemoteError(wordsOf(error), 400, reasonOf(error.data));
}

/** The words of an error, which are foreign: cut to a length that fits into a log line. */
function wordsOf({ message }: { readonly [key: string]: unknown }): string {
  return typeof message === "string" ? message.slice(0, 500) : "it answered with an error";
}

function reasonOf(details: unknown): string | undefined {
  const found = Array.isArray(details)
    ? details.find((each) => isPlainObject(each) && typeof each.reason === "string")
    : undefined;
  return isPlainObject(found) ? String(found.reason) : undefined;
}

/** The data of each event of a stream. */
async function* readEvents(body: AsyncIterable<Uint8Array>): AsyncGenerator<string, void> {
  let ready: string[] = [];
  const parser = createParser({ onEvent: ({ data }) => void ready.push(data), maxBufferSize: MAX_BYTES });
  const decoder = new TextDecoder();
  for await (const chunk of body) {
    parser.feed(decoder.decode(chunk, { stream: true }));
    const events = ready;
    ready = [];
    yield* events;
  }
}
