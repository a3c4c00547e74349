import type { MailboxEntry, RunRecord } from "@reprise/contracts";
import type { Json } from "@reprise/state";
import type { AskOf, Refusal } from "../wire/worker-messages.ts";
import { bindingOf } from "../workload/tool-binding.ts";
import { readEventStream } from "./read-event-stream.ts";
import {
  type Asked,
  NOTHING_MORE,
  type Reply,
  type StreamListener,
  type StreamRequest,
  type Transport,
} from "./transport.ts";

/** What a server answered: its status, its body when that is JSON, its headers. */
interface Answered {
  readonly status: number;
  readonly body: Json;
  readonly headers: Headers;
}

interface Sent {
  readonly body?: unknown;
  readonly key?: string | undefined;
}

/**
 * A client of the HTTP API, as anybody could write one: requests with idempotency keys, events by SSE, resumed by `Last-Event-ID`.
 * What the API has no route for goes by the local socket: patches from outside, and the rig's own question what is open.
 */
export class HttpTransport implements Transport {
  readonly #url: string;
  readonly #local: Transport;
  readonly #closed = new AbortController();
  /** Streams that came with the answer to a start and that nobody has read yet. */
  readonly #begun = new Map<string, Response>();

  constructor(url: string, local: Transport) {
    this.#url = url;
    this.#local = local;
  }

  get isOpen(): boolean {
    return !this.#closed.signal.aborted && this.#local.isOpen;
  }

  async ask(ask: Asked): Promise<Reply> {
    try {
      return await this.#answer(ask);
    } catch (error) {
      if (error instanceof RefusedRequest) return { refusal: error.refusal };
      // The connection broke, or was never made: whether it happened is not known.
      return { isLost: true };
    }
  }

  listen(stream: StreamRequest, listener: StreamListener): () => void {
    const ended = new AbortController();
    const signal = AbortSignal.any([ended.signal, this.#closed.signal]);
    void this.#read(stream, listener, signal).then((reason) => listener.closed(reason));
    return () => ended.abort();
  }

  close(): void {
    this.#closed.abort();
    this.#local.close();
  }

  async #read(
    { run_id, after, follow }: StreamRequest,
    listener: StreamListener,
    signal: AbortSignal,
  ): Promise<string> {
    try {
      const response = this.#takeBegun(run_id, after) ?? (await this.#openStream(run_id, after, follow, signal));
      if (response.status === 204) return NOTHING_MORE;
      if (!response.ok) return (await this.#refusalOf(response)).code;
      await readEventStream(response, after, signal, (event, cursor) => listener.event(event, cursor));
      return "end";
    } catch {
      return "connection lost";
    }
  }

  /** The stream that came with the start of a run, for a reader from its beginning. */
  #takeBegun(runId: string, after: string | undefined): Response | undefined {
    const begun = after === undefined ? this.#begun.get(runId) : undefined;
    this.#begun.delete(runId);
    return begun;
  }

  #openStream(runId: string, after: string | undefined, follow: boolean, signal: AbortSignal): Promise<Response> {
    const path = `/v1/runs/${encodeURIComponent(runId)}/events?follow=${follow}`;
    const headers = { accept: "text/event-stream", ...(after !== undefined && { "last-event-id": after }) };
    return fetch(`${this.#url}${path}`, { headers, signal });
  }

  async #answer(ask: Asked): Promise<Reply> {
    switch (ask.op) {
      case "start":
        return { answer: await this.#start(ask) };
      case "decide":
        return { answer: (await this.#send("POST", `/v1/decisions/${encode(ask.target)}`, decisionOf(ask))).body };
      case "cancel":
        await this.#send("POST", `/v1/runs/${encode(ask.run_id)}/cancel`);
        return { answer: null };
      case "call_tool":
        return { answer: await this.#callTool(ask) };
      case "open_decisions":
        return { answer: await this.#openDecisions(ask.thread_id) };
      case "run_state":
        return { answer: await this.#runState(ask) };
      case "thread_version":
        return { answer: fieldOf((await this.#send("GET", `/v1/threads/${encode(ask.thread_id)}`)).body, "version") };
      case "done_runs":
        return { answer: (await this.#send("GET", `/v1/runs?status=done&limit=100&offset=${ask.offset}`)).body };
      case "verify":
        return { answer: (await this.#send("POST", `/v1/runs/${encode(ask.run_id)}/replay`)).body };
      case "export":
        return { answer: (await this.#send("GET", `/v1/runs/${encode(ask.run_id)}/export`)).body };
      case "patch":
      case "open_work":
      case "open_tree":
        return this.#local.ask(ask);
      default:
        return ask satisfies never;
    }
  }

  /** A run is accepted when the headers are there; its events follow in the same answer. */
  async #start({ request, idempotency_key }: AskOf<"start">): Promise<Json> {
    const response = await this.#fetch("POST", "/v1/runs", { body: request, key: idempotency_key });
    if (!response.ok) throw new RefusedRequest(await this.#refusalOf(response));
    const run_id = decodeHeader(response.headers.get("x-reprise-run-id"));
    const thread_id = decodeHeader(response.headers.get("x-reprise-thread-id"));
    this.#begun.set(run_id, response);
    return { run_id, thread_id };
  }

  async #callTool({ agent, tool, arguments: input, thread_id, idempotency_key }: AskOf<"call_tool">): Promise<Json> {
    const path = `/v1/agents/${encode(agent)}/tools/${encode(tool)}/run`;
    const body = { arguments: input, thread_id };
    return (await this.#send("POST", path, { body, key: idempotency_key })).body;
  }

  async #openDecisions(threadId: string): Promise<Json> {
    return fieldOf((await this.#send("GET", `/v1/decisions?thread_id=${encode(threadId)}`)).body, "items");
  }

  /** A run as its own route shows it, once it has begun, and as its thread's mailbox does. */
  async #runState({ run_id, thread_id }: AskOf<"run_state">): Promise<Json> {
    const [run, mailbox] = await Promise.all([
      this.#send("GET", `/v1/runs/${encode(run_id)}`).then(({ body }) => body),
      this.#send("GET", `/v1/threads/${encode(thread_id)}/mailbox?limit=200&origin=none`).then(({ body }) => body),
    ]);
    // What the routes are documented to answer with.
    const record = run as unknown as Partial<RunRecord>;
    const entries = fieldOf(mailbox, "items") as unknown as readonly MailboxEntry[];
    const entry = entries.find((item) => item.kind === "run" && item.run_id === run_id);
    // A run that has not begun is told by its entry: it has no events, and so no last one.
    const answer = { run: record.last_seq === undefined ? null : record, entry: entry ?? null };
    return answer as unknown as Json;
  }

  async #send(method: string, path: string, sent: Sent = {}): Promise<Answered> {
    const response = await this.#fetch(method, path, sent);
    if (!response.ok) throw new RefusedRequest(await this.#refusalOf(response));
    return { status: response.status, body: (await response.json()) as Json, headers: response.headers };
  }

  #fetch(method: string, path: string, { body, key }: Sent): Promise<Response> {
    const headers = {
      ...(body !== undefined && { "content-type": "application/json" }),
      ...(key !== undefined && { "idempotency-key": key }),
    };
    const content = body === undefined ? {} : { body: JSON.stringify(body) };
    return fetch(`${this.#url}${path}`, { method, headers, signal: this.#closed.signal, ...content });
  }

  /** A refusal by its code; one at the door has none and is named by its status. */
  async #refusalOf(response: Response): Promise<Refusal> {
    const body = (await response.json().catch(() => null)) as { readonly error?: string } | null;
    const isUnderWay = response.status === 409 && response.headers.has("retry-after");
    const code = isUnderWay ? "UNDER_WAY" : (response.headers.get("x-reprise-error") ?? `HTTP_${response.status}`);
    return { code, message: body?.error ?? "" };
  }
}

class RefusedRequest extends Error {
  readonly refusal: Refusal;

  constructor(refusal: Refusal) {
    super(refusal.message);
    this.refusal = refusal;
  }
}

function decisionOf({ verb, decision_id, suspension, early, idempotency_key }: AskOf<"decide">): Sent {
  const about = early === undefined ? {} : { run_id: early.run_id, binding_hash: bindingOf(early, early.tool) };
  return {
    body: { ...verb, decision_id, ...(suspension !== undefined && { suspension }), ...about },
    key: idempotency_key,
  };
}

const encode = encodeURIComponent;

function decodeHeader(value: string | null): string {
  if (value === null) throw new Error("The answer does not say which run it is about.");
  return decodeURIComponent(value);
}

function fieldOf(body: Json, name: string): Json {
  if (typeof body === "object" && body !== null && !Array.isArray(body) && Object.hasOwn(body, name)) {
    // An own key of an object, as was just checked.
    return (body as { readonly [key: string]: Json })[name] ?? null;
  }
  throw new Error(`The answer has no ${name}.`);
}
