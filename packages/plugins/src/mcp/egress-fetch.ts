import { type Egress, RepriseError } from "@reprise/contracts";
import type { McpServerSettings } from "./mcp-settings.ts";

/** The memory limit for one message of a server. Results have a smaller limit of their own. */
export const MAX_MESSAGE_BYTES = 16_777_216;

const WITHOUT_BODY: ReadonlySet<number> = new Set([101, 204, 205, 304]);
const NEWLINE = 10;
const LOOPBACK: ReadonlySet<string> = new Set(["localhost", "127.0.0.1", "[::1]"]);

/**
 * A `fetch` for the client of the SDK over the egress of the process: private addresses are reached only where the operator configured
 * them, and a server cannot redirect a request anywhere. Addresses that a server names, such as its authorization server, are foreign.
 */
export function createEgressFetch(
  egress: Egress | undefined,
  { url: configured = "", private_network: isPrivate = false }: McpServerSettings,
): typeof fetch {
  const { origin, hostname } = new URL(configured);
  return async (input, init) => {
    if (egress === undefined) {
      throw new RepriseError(
        "ADDRESS_REFUSED",
        "This process has no egress, so no MCP server can be reached by a URL.",
      );
    }
    const request = new Request(input, init);
    const own = new AbortController();
    const stop = (): void => own.abort(init?.signal?.reason);
    init?.signal?.addEventListener("abort", stop, { once: true });
    if (init?.signal?.aborted) stop();
    const body = request.body === null ? undefined : new Uint8Array(await request.arrayBuffer());
    // A server on this machine may have its authorization server on this machine too.
    const target = new URL(request.url);
    const isLocal = LOOPBACK.has(hostname) && LOOPBACK.has(target.hostname);
    const answer = await egress.send(request.url, {
      method: request.method,
      headers: { ...Object.fromEntries(request.headers), ...(body && { "content-length": String(body.byteLength) }) },
      ...(body !== undefined && { body }),
      signal: own.signal,
      configured: isLocal ? target.origin : origin,
      isPrivate,
    });
    const { status, headers } = answer;
    const end = (): void => {
      init?.signal?.removeEventListener("abort", stop);
      own.abort();
    };
    if (WITHOUT_BODY.has(status)) end();
    const content = WITHOUT_BODY.has(status) ? null : toStream(limitMessages(answer.body), end);
    return new Response(content, { status, headers });
  };
}

/** `end` is called once, when the body was read or is no longer wanted. */
function toStream(pieces: AsyncGenerator<Uint8Array>, end: () => void): ReadableStream {
  return new ReadableStream({
    async pull(controller) {
      try {
        const { done, value } = await pieces.next();
        if (!done) return controller.enqueue(value);
        end();
        controller.close();
      } catch (error) {
        end();
        throw error;
      }
    },
    cancel: end,
  });
}

/** Ends a body whose single line grows beyond what one message may be. A stream of many messages may last as long as it likes. */
async function* limitMessages(body: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  let size = 0;
  for await (const piece of body) {
    const last = piece.lastIndexOf(NEWLINE);
    size = last < 0 ? size + piece.byteLength : piece.byteLength - last - 1;
    if (size > MAX_MESSAGE_BYTES) throw new Error(`The MCP server sent more than ${MAX_MESSAGE_BYTES} bytes at once.`);
    yield piece;
  }
}
