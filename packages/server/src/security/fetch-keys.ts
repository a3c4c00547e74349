import { invalidRequest } from "@reprise/contracts";
import { createRemoteJWKSet, customFetch, type FetchImplementation, type JWTVerifyGetKey } from "jose";

const TIMEOUT_MS = 5_000;
/** Keys that are younger than this are used without asking again. */
const KEPT_MS = 600_000;
/** A token with an unknown key id causes a new request, but not more often than this. */
const PAUSE_MS = 30_000;
/** An issuer that failed is not asked again before this. */
const FAILED_MS = 5_000;
const MOST_BYTES = 262_144;

/** An issuer did not give its keys. */
export class KeysUnavailable extends Error {
  override readonly name = "KeysUnavailable";
}

/** The keys an issuer publishes, kept for a while. */
export function fetchKeys(address: string): JWTVerifyGetKey {
  const url = readAddress(address);
  return createRemoteJWKSet(url, {
    timeoutDuration: TIMEOUT_MS,
    cacheMaxAge: KEPT_MS,
    cooldownDuration: PAUSE_MS,
    [customFetch]: createFetch(),
  });
}

/**
 * Fetches keys, reads no more than a list of them can be, and leaves an issuer alone that just failed: forged tokens would
 * otherwise cause a request each.
 */
function createFetch(): FetchImplementation {
  let notBefore = 0;
  return async (url, options) => {
    if (performance.now() < notBefore) throw new KeysUnavailable(`There was no answer from ${url} a moment ago.`);
    notBefore = performance.now() + FAILED_MS;
    const response = await fetch(url, options).catch((cause: unknown) => {
      throw options.signal.aborted ? cause : new KeysUnavailable(`No answer from ${url}.`, { cause });
    });
    const text = await readShort(response);
    if (response.status === 200 && text.includes('"keys"')) notBefore = 0;
    return new Response(text, { status: response.status, headers: { "content-type": "application/json" } });
  };
}

async function readShort(response: Response): Promise<string> {
  const decoder = new TextDecoder();
  let text = "";
  let length = 0;
  for await (const part of response.body ?? []) {
    length += part.length;
    if (length > MOST_BYTES) throw new KeysUnavailable(`What ${response.url} answers is too long for a list of keys.`);
    text += decoder.decode(part, { stream: true });
  }
  return text;
}

/** Keys must come over TLS: an attacker who can change them can forge tokens. */
function readAddress(address: string): URL {
  const url = URL.parse(address);
  const isHere = url !== null && /^(localhost|127\.0\.0\.1|\[::1\])$/.test(url.hostname);
  if (url !== null && (url.protocol === "https:" || (isHere && url.protocol === "http:"))) return url;
  throw invalidRequest(`The keys of JWTs come over https, not from ${address}.`);
}
