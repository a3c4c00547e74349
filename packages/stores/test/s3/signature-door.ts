import { createHash, createHmac } from "node:crypto";
import { createServer, type IncomingMessage, request, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { SignatureV4 } from "@smithy/signature-v4";

/** The one key that the service knows. */
export const KEY = { accessKeyId: "S3RVER", secretAccessKey: "the-secret-of-s3rver" };

const BODY = "x-amz-content-sha256";
const REGION = "us-east-1";
const MAX_SKEW_MS = 15 * 60 * 1_000;

/** SHA-256 as AWS' signer wants it. */
class Sha256 {
  #hash: ReturnType<typeof createHash> | ReturnType<typeof createHmac>;
  constructor(secret?: string | ArrayBuffer | ArrayBufferView) {
    this.#hash =
      secret === undefined
        ? createHash("sha256")
        : createHmac("sha256", typeof secret === "string" ? secret : bytesOf(secret));
  }
  update(data: string | ArrayBuffer | ArrayBufferView): void {
    this.#hash.update(typeof data === "string" ? data : bytesOf(data));
  }
  async digest(): Promise<Uint8Array> {
    return this.#hash.digest();
  }
  reset(): void {
    this.#hash = createHash("sha256");
  }
}

function bytesOf(data: ArrayBuffer | ArrayBufferView): Uint8Array {
  return ArrayBuffer.isView(data)
    ? new Uint8Array(data.buffer, data.byteOffset, data.byteLength)
    : new Uint8Array(data);
}

const signer = new SignatureV4({
  credentials: KEY,
  region: REGION,
  service: "s3",
  sha256: Sha256,
  uriEscapePath: false,
  applyChecksum: false,
});

/**
 * Stands in front of `s3rver`, which does not look at signatures of version 4, and lets through what AWS' own signer would have signed the
 * same, with the bytes that were signed.
 */
export async function startSignatureDoor(target: { readonly port: number }): Promise<{
  readonly endpoint: string;
  stop(): void;
}> {
  const door: Server = createServer(async (incoming, outgoing) => {
    const body = await bodyOf(incoming);
    const refusal = await findRefusal(incoming, body);
    if (refusal !== undefined) {
      outgoing.writeHead(403, { "content-type": "application/xml" });
      outgoing.end(`<?xml version="1.0"?><Error><Code>${refusal}</Code></Error>`);
      return;
    }
    const { url, method, headers } = incoming;
    const onward = request({ port: target.port, host: "127.0.0.1", path: url, method, headers });
    onward.on("response", (response) => {
      outgoing.writeHead(response.statusCode ?? 500, response.headers);
      response.pipe(outgoing);
    });
    onward.on("error", () => outgoing.destroy());
    outgoing.on("close", () => onward.destroy());
    onward.end(body);
  });
  await new Promise<void>((resolve) => door.listen(0, "127.0.0.1", resolve));
  const { port } = door.address() as AddressInfo;
  const stop = (): void => {
    door.closeAllConnections();
    door.close();
  };
  return { endpoint: `http://127.0.0.1:${port}`, stop };
}

async function bodyOf(incoming: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of incoming) chunks.push(chunk);
  return Buffer.concat(chunks);
}

async function findRefusal(incoming: IncomingMessage, body: Buffer): Promise<string | undefined> {
  const url = new URL(incoming.url ?? "/", "http://door");
  const query = Object.fromEntries(url.searchParams);
  const isLink = query["X-Amz-Signature"] !== undefined;
  const credential = isLink
    ? query["X-Amz-Credential"]
    : /Credential=([^,]+)/.exec(incoming.headers.authorization ?? "")?.[1];
  if (credential?.split("/")[0] !== KEY.accessKeyId) return "InvalidAccessKeyId";
  const date = toDate(String(isLink ? query["X-Amz-Date"] : incoming.headers["x-amz-date"]));
  if (!isLink && Math.abs(Date.now() - date.getTime()) > MAX_SKEW_MS) return "RequestTimeTooSkewed";
  if (isLink)
    return (await isSignedLink(url, query, date, incoming.headers.host ?? "")) ? undefined : "SignatureDoesNotMatch";
  if (createHash("sha256").update(body).digest("hex") !== incoming.headers[BODY]) return "XAmzContentSHA256Mismatch";
  return (await isSigned(incoming, url, query, date)) ? undefined : "SignatureDoesNotMatch";
}

async function isSigned(
  { method = "", headers }: IncomingMessage,
  url: URL,
  query: Record<string, string>,
  signingDate: Date,
): Promise<boolean> {
  const names = /SignedHeaders=([^,]+)/.exec(headers.authorization ?? "")?.[1]?.split(";") ?? [];
  const given = Object.fromEntries(names.map((name) => [name, String(headers[name])]));
  const asked = { method, protocol: "http:", hostname: "door", path: url.pathname, query, headers: given };
  const signed = await signer.sign(asked, { signingDate, signableHeaders: new Set(names) });
  return signed.headers.authorization?.split("Signature=")[1] === headers.authorization?.split("Signature=")[1];
}

async function isSignedLink(
  url: URL,
  query: Record<string, string>,
  signingDate: Date,
  host: string,
): Promise<boolean> {
  const expiresIn = Number(query["X-Amz-Expires"]);
  if (Date.now() > signingDate.getTime() + expiresIn * 1_000) return false;
  const own = Object.entries(query).filter(([name]) => !name.startsWith("X-Amz-"));
  const asked = {
    method: "GET",
    protocol: "http:",
    hostname: "door",
    path: url.pathname,
    query: Object.fromEntries(own),
    // S3 signs no bytes in links, which is said in a header that is no part of the link.
    headers: { host, [BODY]: "UNSIGNED-PAYLOAD" },
  };
  const without = new Set([BODY]);
  const signed = await signer.presign(asked, {
    signingDate,
    expiresIn,
    unhoistableHeaders: without,
    unsignableHeaders: without,
  });
  return signed.query?.["X-Amz-Signature"] === query["X-Amz-Signature"];
}

/** `20260102T030405Z`. */
function toDate(text: string): Date {
  return new Date(text.replace(/^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/, "$1-$2-$3T$4:$5:$6Z"));
}
