import createFetchClient, { type Client as FetchClient } from "openapi-fetch";
import type { paths } from "./api.ts";
import { type FollowedEvent, type FollowOptions, followEvents, readStream } from "./follow-events.ts";

export interface ClientOptions {
  /** The address of the server, as `https://agents.example.com`. Without it requests go to the page's own origin. */
  readonly baseUrl?: string;
  /** An API key or a JWT. A function is asked before every request. */
  readonly token?: string | (() => string | Promise<string>);
  /** Instead of the platform's own. */
  readonly fetch?: typeof fetch;
}

/** The body that starts a run. */
export type StartBody = NonNullable<paths["/v1/runs"]["post"]["requestBody"]>["content"]["application/json"];

/** A run that was accepted. */
export interface StartedRun {
  readonly runId: string;
  readonly threadId: string;
  /** The events from the start of the run until it waits or is over. A lost connection is taken up where it broke. */
  readonly events: AsyncIterable<FollowedEvent>;
}

/** A client of a Reprise server. `GET`, `POST` and the others take a path of the API, with typed parameters and answers. */
export interface Client extends FetchClient<paths> {
  /** Starts a run and reads its events. Throws a `RequestError` when the server refuses it. */
  start(body: StartBody, options?: Pick<FollowOptions, "signal">): Promise<StartedRun>;
  /** Reads the events of a run from any point, as often as you like. A lost connection is taken up where it broke. */
  events(runId: string, options?: FollowOptions): AsyncIterable<FollowedEvent>;
}

/** A request that the server refused. */
export class RequestError extends Error {
  override readonly name = "RequestError";
  readonly status: number;
  /** A code of the error catalogue, where the error has one. */
  readonly code: string | undefined;

  constructor(status: number, message: string, code?: string) {
    super(message);
    this.status = status;
    this.code = code;
  }
}

export function createClient(options: ClientOptions = {}): Client {
  const { baseUrl = "", token, fetch: own = globalThis.fetch } = options;
  const root = baseUrl.endsWith("/") ? baseUrl.slice(0, -1) : baseUrl;
  const send = async (input: Request | string, init?: RequestInit): Promise<Response> => {
    const request = new Request(input, init);
    const credential = typeof token === "function" ? await token() : token;
    if (credential !== undefined) request.headers.set("authorization", `Bearer ${credential}`);
    return own(request);
  };
  const open = async (path: string, init: RequestInit): Promise<Response> => {
    const response = await send(new Request(new URL(root + path, globalThis.location?.href), init));
    if (response.ok) return response;
    const body: unknown = await response.json().catch(() => undefined);
    const said =
      typeof body === "object" && body !== null && "error" in body ? String(body.error) : response.statusText;
    throw new RequestError(response.status, said, response.headers.get("x-reprise-error") ?? undefined);
  };
  const events = (runId: string, follow: FollowOptions = {}): AsyncIterable<FollowedEvent> =>
    followEvents(open, runId, follow);
  return {
    ...createFetchClient<paths>({ baseUrl: root, fetch: send }),
    events,
    async start(body, { signal } = {}) {
      const headers = { "content-type": "application/json", "idempotency-key": crypto.randomUUID() };
      const init = { method: "POST", headers, body: JSON.stringify(body), ...(signal !== undefined && { signal }) };
      const response = await open("/v1/runs", init);
      const runId = readId(response, "x-reprise-run-id");
      const rest = (after?: string): AsyncIterable<FollowedEvent> =>
        events(runId, { ...(after !== undefined && { after }), ...(signal !== undefined && { signal }) });
      return { runId, threadId: readId(response, "x-reprise-thread-id"), events: readStream(response, rest) };
    },
  };
}

function readId({ headers }: Response, name: string): string {
  return decodeURIComponent(headers.get(name) ?? "");
}
