import { lookup } from "node:dns";
import { request as requestPlain } from "node:http";
import { request as requestSecurely } from "node:https";
import { isIP, type LookupFunction } from "node:net";
import {
  type Download,
  type DownloadOptions,
  type Egress,
  type EgressRequest,
  type EgressResponse,
  RepriseError,
} from "@reprise/contracts";
import { isPublicAddress } from "./public-addresses.ts";

/** A server that sends nothing for this long is given up on. */
const SILENCE_MS = 30_000;

/** Downloads from the public internet, and from nowhere else. */
export function createEgress(): Egress {
  return {
    download: async (url, options) => request(readUrl(url, options), options),
    send: async (url, options) => send(readUrl(url, options), options),
  };
}

interface CheckedUrl {
  readonly url: URL;
  /** Whether the host may lie anywhere: the operator configured it. */
  readonly isConfigured: boolean;
}

type Given = Pick<EgressRequest, "configured" | "isPrivate">;

function readUrl(address: string, { configured, isPrivate = false }: Given): CheckedUrl {
  const url = URL.parse(address);
  if (url === null || !["http:", "https:"].includes(url.protocol)) throw refuse("it is not an http(s) address");
  if (url.username !== "" || url.password !== "") throw refuse("it holds a user name");
  const host = hostOf(url);
  const saysItself = isPrivate || isIP(host) !== 0 || host === "localhost";
  const isConfigured = saysItself && url.origin === configured;
  // Names are checked when they are looked up; an address is never looked up.
  if (isIP(host) !== 0 && !isConfigured && !isPublicAddress(host)) throw refuse("it is in a private network");
  return { url, isConfigured };
}

/** Without the brackets of IPv6. */
function hostOf({ hostname }: URL): string {
  return hostname.startsWith("[") ? hostname.slice(1, -1) : hostname;
}

function request({ url, isConfigured }: CheckedUrl, { maxBytes, signal }: DownloadOptions): Promise<Download> {
  const { promise, resolve, reject } = Promise.withResolvers<Download>();
  const send = url.protocol === "https:" ? requestSecurely : requestPlain;
  const options = { signal, timeout: SILENCE_MS, ...(!isConfigured && { lookup: lookUpPublic }) };
  const sent = send(url, options, (response) => {
    const { statusCode: status = 0, headers } = response;
    const media_type = headers["content-type"]?.split(";", 1)[0]?.trim().toLowerCase();
    const known = { status, ...(media_type !== undefined && { media_type }) };
    if (status < 200 || status > 299) {
      response.destroy();
      return resolve({ ...known, content: new Uint8Array() });
    }
    const pieces: Buffer[] = [];
    let size = 0;
    response.on("data", (piece: Buffer) => {
      size += piece.length;
      if (size > maxBytes) response.destroy(refuse(`what lies there has more than ${maxBytes} bytes`));
      else pieces.push(piece);
    });
    response.on("end", () => resolve({ ...known, content: new Uint8Array(Buffer.concat(pieces)) }));
    response.on("error", reject);
  });
  sent.on("timeout", () => sent.destroy(new Error(`There was no answer for ${SILENCE_MS} ms.`)));
  sent.on("error", reject);
  sent.end();
  return promise;
}

/** Sends a request and streams the answer. The reader decides how long that may take. */
function send(
  { url, isConfigured }: CheckedUrl,
  { method, headers, body, signal }: EgressRequest,
): Promise<EgressResponse> {
  const { promise, resolve, reject } = Promise.withResolvers<EgressResponse>();
  const start = url.protocol === "https:" ? requestSecurely : requestPlain;
  // A connection of its own: one from the pool may have gone back there when the request is aborted.
  const options = { method, headers, agent: false, ...(!isConfigured && { lookup: lookUpPublic }) };
  const sent = start(url, options, (response) => {
    const lines = Object.entries(response.headersDistinct).map(([name, values = []]) => [name, values.join(", ")]);
    // The reader of the body gets the error; the body is not read any more.
    response.on("error", () => undefined);
    resolve({ status: response.statusCode ?? 0, headers: Object.fromEntries(lines), body: response });
  });
  sent.on("error", reject);
  const stop = (): void => void sent.destroy(new Error("The request was aborted.", { cause: signal?.reason }));
  signal?.addEventListener("abort", stop, { once: true });
  sent.on("close", () => signal?.removeEventListener("abort", stop));
  if (signal?.aborted) stop();
  else sent.end(body);
  return promise;
}

/** Looks a name up and refuses it when one of its addresses is not public. The socket connects to what is answered here. */
const lookUpPublic: LookupFunction = (host, options, answer) => {
  lookup(host, { ...options, all: true }, (error, found) => {
    if (error !== null) return answer(error, "");
    if (!found.every(({ address }) => isPublicAddress(address)))
      return answer(refuse("it is in a private network"), "");
    const [first] = found;
    if (options.all) answer(null, found);
    else answer(null, first?.address ?? "", first?.family);
  });
};

/** The address itself is not repeated: it may be signed. */
function refuse(reason: string): RepriseError {
  return new RepriseError("ADDRESS_REFUSED", `An address that was given by others is not fetched: ${reason}.`);
}
