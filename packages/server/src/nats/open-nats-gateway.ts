import { describeThrown, RepriseError } from "@reprise/contracts";
import { isPlainObject } from "@reprise/contracts/shape";
import { type Json, parseJson } from "@reprise/state";
import type { Server } from "../create-server.ts";
import { findReply, NATS_PROTOCOLS, type NatsProtocol, readPayload } from "./nats-protocols.ts";

/** What is used of `@nats-io/transport-node`, an optional peer: nothing of its types is in ours. */
interface NatsMessage {
  readonly reply?: string;
  readonly headers?: { get(name: string): string };
  string(): string;
}

interface NatsSubscription extends AsyncIterable<NatsMessage> {
  drain(): Promise<void>;
}

interface NatsConnection {
  readonly info?: { readonly max_payload: number };
  subscribe(subject: string, options: { readonly queue: string }): NatsSubscription;
  publish(subject: string, payload?: string): void;
  flush(): Promise<void>;
  isClosed(): boolean;
  drain(): Promise<void>;
}

/** How to reach the servers, in the words of `@nats-io/transport-node`: `servers`, `user`, `pass`, `token`, `tls`, … */
export type NatsConnectOptions = Readonly<Record<string, unknown>>;

export interface NatsGatewayOptions {
  /** Answers the requests. Its authentication, scopes, tenants and limits count as they do over HTTP. */
  readonly server: Pick<Server, "fetch">;
  readonly nats: NatsConnectOptions;
  /** `agentos.ag-ui.runs` and `agentos.ai-sdk.runs` unless given. */
  readonly subjects?: { readonly agUi?: string; readonly aiSdk?: string };
  /** The queue group: of all processes in it, one gets a request. `reprise` unless given. */
  readonly queue?: string;
  /** Hears of requests that cannot be answered. */
  onProblem?(text: string): void;
}

export interface NatsGateway {
  /** Takes no more requests, lets the answers under way end for a while, and disconnects. */
  close(): Promise<void>;
}

/** Headers of a message that count as headers of the request: who calls, and what for. */
const FORWARDED = ["authorization", "x-api-key", "idempotency-key", "traceparent", "tracestate"] as const;

/** A message with this header gets an empty message after the last event, for clients that wait for one. */
const SENTINEL = "reprise-sentinel";

/** Publishing waits for the server now and then, so that a long stream does not pile up here. */
const FLUSH_EVERY = 256;
const LAST_ANSWERS_MS = 5_000;

/** Serves the runs of a server over NATS: a request starts a run, and its events are published to the reply subject. */
export async function openNatsGateway(options: NatsGatewayOptions): Promise<NatsGateway> {
  const { nats, subjects = {}, queue = "reprise" } = options;
  const connection = await connect(nats);
  const listened = [
    { ...NATS_PROTOCOLS.agUi, subject: subjects.agUi ?? NATS_PROTOCOLS.agUi.subject },
    { ...NATS_PROTOCOLS.aiSdk, subject: subjects.aiSdk ?? NATS_PROTOCOLS.aiSdk.subject },
  ];
  const own = listened.map(({ subject }) => subject);
  const answering = new Set<Promise<void>>();
  const subscriptions = listened.map((protocol) => {
    const subscription = connection.subscribe(protocol.subject, { queue });
    void take(subscription, (message) => {
      const answered = answer({ ...options, connection, own }, protocol, message)
        .catch((error: unknown) => options.onProblem?.(`A request over NATS failed: ${describeThrown(error)}`))
        .finally(() => answering.delete(answered));
      answering.add(answered);
    });
    return subscription;
  });
  // Subscribed when this resolves, also for clients of other servers of a cluster.
  await connection.flush();
  const end = async (): Promise<void> => {
    // Gone by itself: nothing is left to end.
    if (connection.isClosed()) return;
    await Promise.all(subscriptions.map((subscription) => subscription.drain()));
    const late = Promise.withResolvers<void>();
    const timer = setTimeout(late.resolve, LAST_ANSWERS_MS);
    await Promise.race([Promise.all(answering), late.promise]);
    clearTimeout(timer);
    await connection.drain();
  };
  let ending: Promise<void> | undefined;
  return {
    close() {
      ending ??= end();
      return ending;
    },
  };
}

async function connect(nats: NatsConnectOptions): Promise<NatsConnection> {
  const name = "@nats-io/transport-node";
  const transport = await import(name).catch((cause: unknown) => {
    const message = `The NATS gateway needs the package ${name}. Install it with: npm install ${name}`;
    throw new RepriseError("INVALID_REQUEST", message, { cause });
  });
  return transport.connect({ maxReconnectAttempts: -1, name: "reprise", ...nats });
}

async function take(messages: NatsSubscription, handle: (message: NatsMessage) => void): Promise<void> {
  for await (const message of messages) handle(message);
}

interface Gateway extends Pick<NatsGatewayOptions, "server" | "onProblem"> {
  readonly connection: NatsConnection;
  /** The subjects that the gateway listens to. */
  readonly own: readonly string[];
}

async function answer(gateway: Gateway, protocol: NatsProtocol, message: NatsMessage): Promise<void> {
  const { connection, own, onProblem } = gateway;
  let payload: ReturnType<typeof readPayload> | undefined;
  let problem: unknown;
  try {
    payload = readPayload(message.string());
  } catch (error) {
    problem = error;
  }
  const reply = findReply(message.reply, payload, own);
  if (reply === undefined) return onProblem?.(`A request on ${protocol.subject} was rejected: missing reply subject.`);
  const tell = (failure: string): void => connection.publish(reply, JSON.stringify(protocol.encodeFailure(failure)));
  try {
    if (payload === undefined) throw problem;
    const { path, body } = protocol.read(payload);
    await relay(gateway, await gateway.server.fetch(requestOf(path, body, message), { origin: "nats" }), {
      reply,
      tell,
    });
  } catch (error) {
    tell(RepriseError.is(error) ? error.message : "internal error");
    if (!RepriseError.is(error)) onProblem?.(`A request on ${protocol.subject} failed: ${describeThrown(error)}`);
  }
  if (message.headers?.get(SENTINEL) === "true") connection.publish(reply);
  await connection.flush();
}

function requestOf(path: string, body: Json, { headers }: NatsMessage): Request {
  const forwarded = FORWARDED.flatMap((name) => {
    const value = headers?.get(name) ?? "";
    return value === "" ? [] : [[name, value] as const];
  });
  return new Request(`http://127.0.0.1${path}`, {
    method: "POST",
    headers: { ...Object.fromEntries(forwarded), "content-type": "application/json", accept: "text/event-stream" },
    body: JSON.stringify(body),
  });
}

interface Target {
  readonly reply: string;
  tell(failure: string): void;
}

/** Publishes an answer: every event of a stream as a message, a refusal as one event of the protocol, and any other answer as it is. */
async function relay({ connection }: Gateway, response: Response, { reply, tell }: Target): Promise<void> {
  const isStream = response.headers.get("content-type")?.startsWith("text/event-stream") === true;
  if (!response.ok) return tell(failureOf(response, await response.text()));
  if (!isStream || response.body === null) return connection.publish(reply, await response.text());
  const largest = connection.info?.max_payload ?? Number.POSITIVE_INFINITY;
  let published = 0;
  for await (const data of eventsOf(response.body)) {
    if (data === "[DONE]") continue;
    if (data.length > largest / 4 && new TextEncoder().encode(data).byteLength > largest)
      return tell("An event is larger than the NATS server accepts. Read the run over HTTP.");
    connection.publish(reply, data);
    published += 1;
    if (published % FLUSH_EVERY === 0) await connection.flush();
  }
}

/** The data of the events of a stream. Our events are one line each. */
async function* eventsOf(body: ReadableStream<Uint8Array>): AsyncGenerator<string, void> {
  const decoder = new TextDecoder();
  let rest = "";
  for await (const chunk of body) {
    const lines = (rest + decoder.decode(chunk, { stream: true })).split("\n");
    rest = lines.pop() ?? "";
    for (const line of lines) if (line.startsWith("data: ")) yield line.slice("data: ".length);
  }
}

/** The reason of a refusal: our bodies are `{ error }`. */
function failureOf({ status }: Response, text: string): string {
  try {
    const body = parseJson(text);
    if (isPlainObject(body) && typeof body.error === "string") return body.error;
  } catch {}
  return text === "" ? `the request was refused (${status})` : text;
}
