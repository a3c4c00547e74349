import { invalidRequest, notFound, RepriseError, toBlobPieces } from "@reprise/contracts";
import type { BlobObjects } from "../shell/blob-objects.ts";
import { S3Client } from "./s3-client.ts";
import type { S3Options } from "./s3-options.ts";
import { abortUpload, S3Upload } from "./s3-upload.ts";
import { readTexts } from "./s3-xml.ts";

/** S3 takes no smaller parts, but for the last one. */
const LEAST_PART_BYTES = 5 * 1024 * 1024;

/** How often the reading of an object is begun anew where it broke off, without a byte in between. */
const MAX_BREAKS = 4;

/** Codes with which a service says that it let us in and has no such object. Without the right to list, that is a denial. */
const NOT_THERE = ["NoSuchKey", "AccessDenied"];

/**
 * Keeps the bytes of blobs in a bucket: `openPostgresStore({ url, blobs: s3({ bucket, credentials }) })`. The database keeps which
 * blobs there are and who refers to them. Needs the package `aws4fetch`.
 */
export function s3(options: S3Options): BlobObjects {
  const { prefix = "", inlineBytes = 65_536, partBytes = 8 * 1024 * 1024 } = options;
  if (!(Number.isSafeInteger(partBytes) && partBytes >= LEAST_PART_BYTES))
    throw invalidRequest(`partBytes must be a whole number from ${LEAST_PART_BYTES} (got ${partBytes}).`);
  const client = new S3Client(options);
  const nameOf = (key: string): string => prefix + key;
  return {
    inlineBytes,
    async check() {
      try {
        const key = nameOf("reprise-check");
        const { response } = await client.send({ method: "GET", key, accepts: NOT_THERE });
        await response.body?.cancel().catch(() => undefined);
      } catch (error) {
        // It may be starting.
        if (!RepriseError.is(error) || error.details.reason !== "connection") throw error;
      }
    },
    upload: (key) => new S3Upload(client, nameOf(key), partBytes),
    read: (key, range) => toBlobPieces(readObject(client, nameOf(key), range)),
    async remove(key) {
      await abortUploads(client, nameOf(key));
      const { response } = await client.send({ method: "DELETE", key: nameOf(key), accepts: ["NoSuchKey"] });
      await response.body?.cancel().catch(() => undefined);
    },
    link(key, { expires_s, media_type, disposition }) {
      return client.sign(nameOf(key), {
        "X-Amz-Expires": String(expires_s),
        "response-cache-control": `private, max-age=${expires_s}, immutable`,
        ...(media_type !== undefined && { "response-content-type": media_type }),
        ...(disposition !== undefined && { "response-content-disposition": disposition }),
      });
    },
  };
}

/** Parts that a process left when it died. Keys are used once, so whatever is there under one is not wanted. */
async function abortUploads(client: S3Client, key: string): Promise<void> {
  // Not every service lists them, and not every key may. A rule of the bucket's lifecycle removes what is left then.
  const accepts = ["NotImplemented", "MethodNotAllowed", "AccessDenied", "NoSuchKey", "InvalidArgument"];
  const query = { uploads: "", prefix: key };
  const { response, refusal } = await client.send({ method: "GET", key: "", query, accepts });
  const text = await response.text().catch(() => "");
  if (refusal !== undefined || !text.includes("<ListMultipartUploadsResult")) return;
  for (const uploadId of readTexts(text, "UploadId")) await abortUpload(client, key, uploadId);
}

/** A connection that breaks off is begun anew where it was. It is given back when the reader stops. */
async function* readObject(
  client: S3Client,
  key: string,
  { start, end }: { readonly start: number; readonly end: number },
): AsyncGenerator<Uint8Array, void> {
  for (let at = start, breaks = 0; at < end; ) {
    const from = at;
    const stop = new AbortController();
    try {
      const headers = { range: `bytes=${at}-${end - 1}` };
      const { response, refusal } = await client.send({
        method: "GET",
        key,
        headers,
        signal: stop.signal,
        accepts: ["NoSuchKey"],
      });
      if (refusal !== undefined) throw notFound("BLOB_NOT_FOUND", "blob", key);
      if (response.status !== 206 && from > 0) throw ignoresRanges(key);
      for await (const chunk of response.body ?? []) {
        // A service that ignores the end of a range sends more than was asked for.
        const wanted = chunk.subarray(0, end - at);
        at += wanted.byteLength;
        yield wanted;
        if (at >= end) break;
      }
    } catch (error) {
      if (RepriseError.is(error)) throw error;
      if (at === from && breaks + 1 >= MAX_BREAKS) throw brokenOff(key, error);
    } finally {
      stop.abort();
    }
    breaks = at === from ? breaks + 1 : 0;
    if (breaks >= MAX_BREAKS) throw brokenOff(key, undefined);
  }
}

function brokenOff(key: string, cause: unknown): RepriseError {
  const message = `The S3 service broke off while ${key} was read.`;
  return new RepriseError("STORE_UNAVAILABLE", message, { cause, details: { reason: "connection" } });
}

function ignoresRanges(key: string): RepriseError {
  const message = `The S3 service ignored the range of ${key} that was asked for.`;
  return new RepriseError("STORE_UNAVAILABLE", message, { details: { reason: "server" } });
}
