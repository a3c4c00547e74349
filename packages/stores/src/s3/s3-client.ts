import { setTimeout as pause } from "node:timers/promises";
import { RepriseError } from "@reprise/contracts";
import { fromS3Refusal, type S3Place, type S3Refusal, unreachable } from "./s3-errors.ts";
import type { S3Credentials, S3Options } from "./s3-options.ts";

/** What is asked of the service. */
export interface S3Request {
  readonly method: "GET" | "PUT" | "POST" | "DELETE";
  readonly key: string;
  readonly query?: Readonly<Record<string, string>>;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: Uint8Array<ArrayBuffer> | string;
  /** Ends the request, and the reading of its answer. */
  readonly signal?: AbortSignal;
  /** Codes of S3 that are an answer and no failure. */
  readonly accepts?: readonly string[];
}

export interface S3Answer {
  readonly response: Response;
  /** Set when the service refused with a code that was accepted. */
  readonly refusal: S3Refusal | undefined;
}

type Signer = typeof import("aws4fetch").AwsV4Signer;

/** The first pause before a request is sent again; each further one is twice as long. */
const PAUSE_MS = 100;

/** Codes and statuses that pass by themselves. */
const PASSING: ReadonlySet<string> = new Set([
  "SlowDown",
  "InternalError",
  "ServiceUnavailable",
  "RequestTimeout",
  "OperationAborted",
]);

/** Signed requests to one bucket. */
export class S3Client {
  readonly #options: S3Options;
  readonly #endpoint: URL;
  readonly #isPathStyle: boolean;
  #signer: Signer | undefined;
  /** Keys that signatures are made with, by day. */
  readonly #signingKeys = new Map<string, ArrayBuffer>();

  constructor(options: S3Options) {
    this.#options = options;
    this.#endpoint = readEndpoint("endpoint", options.endpoint ?? `https://s3.${this.#region}.amazonaws.com`);
    if (options.publicEndpoint !== undefined) readEndpoint("publicEndpoint", options.publicEndpoint);
    this.#isPathStyle = options.pathStyle ?? options.endpoint !== undefined;
    if (!/^[a-z0-9][a-z0-9._-]{1,61}[a-z0-9]$/i.test(options.bucket))
      throw invalid(`bucket must be the name of a bucket (got ${JSON.stringify(options.bucket)}).`);
  }

  /** Sends a request until it is answered; throws what the service refuses. */
  async send(request: S3Request): Promise<S3Answer> {
    const { attempts = 4 } = this.#options;
    for (let attempt = 1; ; attempt += 1) {
      const outcome = await this.#try(request);
      if (!("failure" in outcome)) return outcome;
      if (!outcome.passes || attempt >= attempts || request.signal?.aborted === true) throw outcome.failure;
      // Not all at once, when many wait for the same service.
      await pause(PAUSE_MS * 2 ** (attempt - 1) * (0.5 + Math.random() / 2));
    }
  }

  /** An address with a signature in it. */
  async sign(key: string, query: Readonly<Record<string, string>>): Promise<string> {
    const endpoint = this.#options.publicEndpoint ?? this.#endpoint;
    const url = this.#urlOf(new URL(endpoint), key, query);
    return (await this.#signed({ method: "GET", url, signQuery: true })).url.href;
  }

  get #region(): string {
    return this.#options.region ?? "us-east-1";
  }

  async #try(request: S3Request): Promise<S3Answer | { readonly failure: RepriseError; readonly passes: boolean }> {
    const { method, key, query = {}, headers = {}, body, signal, accepts = [] } = request;
    const url = this.#urlOf(this.#endpoint, key, query);
    let response: Response;
    const place = await this.#place();
    // Only until the answer begins: a slow reader is no fault of the service.
    const patience = new AbortController();
    const timer = setTimeout(() => patience.abort(), this.#options.timeoutMs ?? 60_000);
    try {
      const signed = await this.#signed({ method, url, headers, ...(body !== undefined && { body }) });
      response = await fetch(signed.url, {
        method,
        headers: signed.headers,
        redirect: "manual",
        signal: signal === undefined ? patience.signal : AbortSignal.any([patience.signal, signal]),
        ...(body !== undefined && { body }),
      });
    } catch (error) {
      return { failure: RepriseError.is(error) ? error : unreachable(place, error), passes: !RepriseError.is(error) };
    } finally {
      clearTimeout(timer);
    }
    if (response.ok) return { response, refusal: undefined };
    const refusal = await readRefusal(response);
    if (accepts.includes(refusal.code)) return { response, refusal };
    const passes = response.status >= 500 || response.status === 429 || PASSING.has(refusal.code);
    return { failure: fromS3Refusal(place, refusal), passes };
  }

  async #place(): Promise<S3Place> {
    const { accessKeyId } = await this.#credentials();
    return { endpoint: this.#endpoint.origin, bucket: this.#options.bucket, region: this.#region, accessKeyId };
  }

  async #credentials(): Promise<S3Credentials> {
    const { credentials } = this.#options;
    return typeof credentials === "function" ? credentials() : credentials;
  }

  #urlOf(endpoint: URL, key: string, query: Readonly<Record<string, string>>): URL {
    const url = new URL(endpoint);
    const { bucket } = this.#options;
    const path = key.split("/").map(encodeURIComponent).join("/");
    if (!this.#isPathStyle) url.host = `${bucket}.${url.host}`;
    url.pathname = `${url.pathname.replace(/\/$/, "")}/${this.#isPathStyle ? `${bucket}/` : ""}${path}`;
    for (const [name, value] of Object.entries(query)) url.searchParams.set(name, value);
    return url;
  }

  async #signed(request: {
    readonly method: string;
    readonly url: URL;
    readonly headers?: Readonly<Record<string, string>>;
    readonly body?: Uint8Array<ArrayBuffer> | string;
    readonly signQuery?: boolean;
  }): Promise<{ readonly url: URL; readonly headers: Headers }> {
    this.#signer ??= await loadSigner();
    const { url, headers = {}, ...rest } = request;
    // The bytes are signed as well: a body that is damaged on its way is refused.
    const hash = request.signQuery === true ? {} : { "x-amz-content-sha256": await hashOf(request.body ?? "") };
    const signer = new this.#signer({
      ...rest,
      ...(await this.#credentials()),
      url: url.href,
      headers: { ...headers, ...hash },
      service: "s3",
      region: this.#region,
      cache: this.#signingKeys,
    });
    return signer.sign();
  }
}

async function hashOf(body: Uint8Array<ArrayBuffer> | string): Promise<string> {
  const digest = await crypto.subtle.digest(
    "SHA-256",
    typeof body === "string" ? new TextEncoder().encode(body) : body,
  );
  return Buffer.from(digest).toString("hex");
}

async function readRefusal(response: Response): Promise<S3Refusal> {
  const text = await response.text().catch(() => "");
  const [, code = ""] = /<Code>([A-Za-z0-9]+)<\/Code>/.exec(text) ?? [];
  // The answer to a missing key has no body for some services.
  const known = code === "" && response.status === 404 ? "NoSuchKey" : code;
  return { status: response.status, code: known, date: response.headers.get("date") };
}

async function loadSigner(): Promise<Signer> {
  try {
    return (await import("aws4fetch")).AwsV4Signer;
  } catch (error) {
    const message = "Cannot keep blobs in S3: the package aws4fetch is not installed. Run: npm install aws4fetch";
    throw new RepriseError("INVALID_REQUEST", message, { cause: error, details: { package: "aws4fetch" } });
  }
}

function readEndpoint(name: string, text: string): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url !== undefined && /^https?:$/.test(url.protocol) && url.username === "" && url.search === "") return url;
  throw invalid(`${name} must be the http or https address of an S3 service, without credentials.`);
}

function invalid(message: string): RepriseError {
  return new RepriseError("INVALID_REQUEST", message);
}
