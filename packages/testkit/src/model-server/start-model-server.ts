import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { ANTHROPIC_MESSAGES } from "./anthropic-messages.ts";
import { BEDROCK_CONVERSE } from "./bedrock-converse.ts";
import { CHAT_COMPLETIONS } from "./chat-completions.ts";
import { GOOGLE_GENERATE } from "./google-generate.ts";
import { OPENAI_RESPONSES } from "./openai-responses.ts";
import { playAnswer } from "./play-answer.ts";
import type { Protocol, RecordedRequest, ServerScript, ServerTurn } from "./server-script.ts";

/**
 * OpenAI's endpoint for pictures, which never streams. A step `file` is a picture: a `data:` URL goes out as base64, any other as the
 * address it is. Such addresses may lie on this server, under `/files/`.
 */
const IMAGE_GENERATIONS: Protocol = {
  contentType: "application/json",
  encode: () => [],
  encodeWhole: (steps) => ({
    created: 1,
    data: steps.flatMap((step) => {
      if (!("file" in step)) return [];
      const inline = /^data:[^,]*;base64,/.exec(step.file)?.[0];
      return [inline === undefined ? { url: step.file } : { b64_json: step.file.slice(inline.length) }];
    }),
  }),
  encodeError: CHAT_COMPLETIONS.encodeError,
};

/** A server that answers like a provider, by a script. */
export interface ModelServer {
  /** `http://127.0.0.1:<port>`. The paths are the providers': `/v1/chat/completions`, `/v1/messages`, … */
  readonly url: string;
  /** Every request so far, in order. */
  readonly requests: readonly RecordedRequest[];
  close(): Promise<void>;
}

/** By the end of the path: what comes before it differs from one installation to the next. */
const PROTOCOLS: readonly (readonly [path: RegExp, protocol: Protocol])[] = [
  [/\/chat\/completions$/, CHAT_COMPLETIONS],
  [/\/responses$/, OPENAI_RESPONSES],
  [/\/messages$/, ANTHROPIC_MESSAGES],
  [/:streamGenerateContent$/, GOOGLE_GENERATE],
  [/\/converse-stream$/, BEDROCK_CONVERSE],
  [/\/images\/generations$/, IMAGE_GENERATIONS],
  // Where pictures lie that an answer names by their address.
  [/\/files\/[^/]+$/, IMAGE_GENERATIONS],
];

/** Starts a server on a free port of this machine. */
export async function startModelServer(script: ServerScript): Promise<ModelServer> {
  const requests: RecordedRequest[] = [];
  const server = createServer((incoming, response) => {
    void serve(incoming, response, script, requests).catch(() => response.destroy());
  });
  await listen(server);
  const { port } = server.address() as AddressInfo; // listening on a port, so it has one
  return { url: `http://127.0.0.1:${port}`, requests, close: () => close(server) };
}

async function serve(
  incoming: IncomingMessage,
  response: ServerResponse,
  script: ServerScript,
  requests: RecordedRequest[],
): Promise<void> {
  const path = incoming.url ?? "/";
  const request = { method: incoming.method ?? "", path, headers: headersOf(incoming), body: await readBody(incoming) };
  const isAnswered = new Promise<boolean>((resolve) => {
    response.once("close", () => resolve(response.writableFinished));
  });
  const recorded: RecordedRequest = { ...request, isAnswered };
  requests.push(recorded);
  const protocol = PROTOCOLS.find(([ending]) => ending.test(path.split("?", 1)[0] ?? ""))?.[1];
  if (protocol === undefined) {
    response.writeHead(404, { "content-type": "application/json" }).end('{"error":{"code":"unknown_url"}}');
    return;
  }
  const turn = findTurn(script, recorded, requests.length);
  await playAnswer(response, turn, { protocol, model: modelOf(recorded), isStreamed: wantsStream(protocol, recorded) });
}

function findTurn(script: ServerScript, request: RecordedRequest, number: number): ServerTurn {
  const turn = typeof script === "function" ? script(request, number) : script[number - 1];
  const message = `The script has no turn ${number}.`;
  return turn ?? { status: 500, body: { error: { message, type: "server_error", code: "script_over" } } };
}

function modelOf({ body, path }: RecordedRequest): string {
  if (typeof body === "object" && body !== null && "model" in body) return String(body.model);
  return /\/models?\/([^/:]+)/.exec(path)?.[1] ?? "unknown";
}

/** Where the path itself says so there is nothing to ask for. */
function wantsStream(protocol: Protocol, { body }: RecordedRequest): boolean {
  if (protocol === GOOGLE_GENERATE || protocol === BEDROCK_CONVERSE) return true;
  return typeof body === "object" && body !== null && "stream" in body && body.stream === true;
}

function headersOf(incoming: IncomingMessage): RecordedRequest["headers"] {
  return Object.fromEntries(Object.entries(incoming.headers).map(([name, value]) => [name, value?.toString()]));
}

async function readBody(incoming: IncomingMessage): Promise<unknown> {
  const pieces: Buffer[] = [];
  for await (const piece of incoming) pieces.push(piece);
  const text = Buffer.concat(pieces).toString("utf8");
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

function listen(server: Server): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen(0, "127.0.0.1", resolve);
  });
}

/** Also ends answers that would continue for ever. Idempotent. */
function close(server: Server): Promise<void> {
  if (!server.listening) return Promise.resolve();
  return new Promise((resolve, reject) => {
    server.close((error) => (error === undefined ? resolve() : reject(error)));
    server.closeAllConnections();
  });
}
