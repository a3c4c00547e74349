import { RepriseError } from "@reprise/contracts";
import type { ObjectUpload } from "../shell/blob-objects.ts";
import type { S3Client } from "./s3-client.ts";
import { readTexts } from "./s3-xml.ts";

/** S3 takes no more of one object. */
const MAX_PARTS = 10_000;

/** Sends an object: short ones as one request, longer ones part by part, of which one is held at a time. */
export class S3Upload implements ObjectUpload {
  readonly #client: S3Client;
  readonly #key: string;
  readonly #partBytes: number;
  readonly #abort = new AbortController();
  #held: Uint8Array[] = [];
  #heldBytes = 0;
  #uploadId: string | undefined;
  readonly #etags: string[] = [];

  constructor(client: S3Client, key: string, partBytes: number) {
    this.#client = client;
    this.#key = key;
    this.#partBytes = partBytes;
  }

  async add(piece: Uint8Array): Promise<void> {
    // The piece is the caller's again when this resolves, but none of the callers changes one.
    this.#held.push(piece);
    this.#heldBytes += piece.byteLength;
    if (this.#heldBytes >= this.#partBytes) await this.#sendPart();
  }

  async finish(): Promise<void> {
    if (this.#uploadId === undefined) {
      const { response } = await this.#send({ method: "PUT", body: this.#takeHeld() });
      await response.body?.cancel();
      return;
    }
    if (this.#heldBytes > 0) await this.#sendPart();
    const parts = this.#etags.map(
      (etag, index) => `<Part><PartNumber>${index + 1}</PartNumber><ETag>${etag}</ETag></Part>`,
    );
    const { response } = await this.#send({
      method: "POST",
      query: { uploadId: this.#uploadId },
      headers: { "content-type": "application/xml" },
      body: `<CompleteMultipartUpload>${parts.join("")}</CompleteMultipartUpload>`,
    });
    // A completion may fail after its answer began, which has the status 200 then.
    const text = await response.text();
    const [code] = readTexts(text, "Code");
    if (code !== undefined) throw incomplete(this.#key, code);
  }

  async giveUp(): Promise<void> {
    this.#held = [];
    // A request that is on its way has no purpose any more.
    this.#abort.abort();
    if (this.#uploadId === undefined) return;
    await abortUpload(this.#client, this.#key, this.#uploadId).catch(() => undefined);
  }

  async #sendPart(): Promise<void> {
    if (this.#etags.length >= MAX_PARTS) {
      const max_bytes = MAX_PARTS * this.#partBytes;
      const message = `Cannot put a blob: an object of ${MAX_PARTS} parts has at most ${max_bytes} bytes. Set a larger partBytes.`;
      throw new RepriseError("BLOB_TOO_LARGE", message, { details: { max_bytes } });
    }
    this.#uploadId ??= await this.#begin();
    const query = { partNumber: String(this.#etags.length + 1), uploadId: this.#uploadId };
    const { response } = await this.#send({ method: "PUT", query, body: this.#takeHeld() });
    await response.body?.cancel();
    this.#etags.push(response.headers.get("etag") ?? "");
  }

  async #begin(): Promise<string> {
    const { response } = await this.#send({ method: "POST", query: { uploads: "" } });
    const [uploadId] = readTexts(await response.text(), "UploadId");
    if (uploadId === undefined) throw incomplete(this.#key, "no upload id");
    return uploadId;
  }

  #send(request: Omit<Parameters<S3Client["send"]>[0], "key">) {
    return this.#client.send({ ...request, key: this.#key, signal: this.#abort.signal });
  }

  #takeHeld(): Uint8Array<ArrayBuffer> {
    const body = new Uint8Array(this.#heldBytes);
    let at = 0;
    for (const piece of this.#held) {
      body.set(piece, at);
      at += piece.byteLength;
    }
    this.#held = [];
    this.#heldBytes = 0;
    return body;
  }
}

/** Takes the parts of an unfinished upload away. One that is gone already is no failure, nor a service that knows no aborting. */
export async function abortUpload(client: S3Client, key: string, uploadId: string): Promise<void> {
  const accepts = ["NoSuchUpload", "NoSuchKey", "NotImplemented", "MethodNotAllowed"];
  const { response } = await client.send({ method: "DELETE", key, query: { uploadId }, accepts });
  await response.body?.cancel().catch(() => undefined);
}

function incomplete(key: string, why: string): RepriseError {
  const message = `The S3 service did not complete the upload of ${key}: ${why}.`;
  return new RepriseError("STORE_UNAVAILABLE", message, { details: { reason: "server", s3: why } });
}
