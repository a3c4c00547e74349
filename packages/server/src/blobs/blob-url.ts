import { blobRefOf } from "@reprise/contracts";
import type { HttpExchange } from "../host/route.ts";
import { serverUrl } from "../host/server-url.ts";

const SCHEME = "blob:";
const PATH = "/v1/blobs/";

/** The id of a blob in paths: its reference without the scheme. */
export function blobIdOf(ref: string): string {
  return ref.slice(SCHEME.length);
}

/** Where a browser finds what the runtime names by `blob:` and `media://`. Other URLs stay as they are. */
export function browserUrl(exchange: Pick<HttpExchange, "context" | "host">, url: string): string {
  return blobUrlAt(serverUrl(exchange), url);
}

/** The same for a server at a known address. */
export function blobUrlAt(address: string, url: string): string {
  const ref = blobRefOf(url);
  return ref.startsWith(SCHEME) ? address + PATH + encodeURIComponent(blobIdOf(ref)) : url;
}

/** The reverse: the runtime's name for a URL of this server's blobs. Other URLs are unchanged. */
export function runtimeUrl(exchange: Pick<HttpExchange, "context" | "host">, url: string): string {
  const base = baseOf(exchange);
  const found = [base, new URL(base).pathname].find((start) => url.startsWith(start));
  if (found === undefined) return url;
  try {
    return SCHEME + decodeURIComponent(url.slice(found.length));
  } catch {
    return url;
  }
}

function baseOf(exchange: Pick<HttpExchange, "context" | "host">): string {
  return serverUrl(exchange) + PATH;
}
