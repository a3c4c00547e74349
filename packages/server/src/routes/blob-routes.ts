import { notFound, RepriseError } from "@reprise/contracts";
import { answerBlob, type LinkToBlob, type ReadBlob } from "../blobs/answer-blob.ts";
import { blobIdOf, browserUrl } from "../blobs/blob-url.ts";
import { describeUploadError, readMediaType, readUpload } from "../blobs/read-upload.ts";
import { pathPart, type Route } from "../host/route.ts";
import { answer } from "../http/answer.ts";
import * as schema from "./blob-routes.schema.ts";

/** Files: what messages name by `blob:`. They go from the client to the store and back piece by piece; none is ever held whole. */
export const blobRoutes: readonly Route[] = [
  {
    method: "POST",
    path: "/v1/blobs",
    scope: "run",
    operation: schema.upload,
    // The same bytes are the same blob: sent again, it is stored once.
    knowsRepeats: true,
    async handle(exchange) {
      const request = exchange.context.req.raw;
      const media_type = readMediaType(request.headers);
      const max_bytes = exchange.host.maxBlobBytes;
      const content = readUpload(request, max_bytes);
      const info = await exchange.runtime.blobs.put(content, { media_type, max_bytes }).catch((error: unknown) => {
        throw describeUploadError(error, max_bytes);
      });
      const id = blobIdOf(info.ref);
      return answer(exchange, 201, { id, ...info, sha256: id, url: browserUrl(exchange, info.ref) });
    },
  },
  {
    method: "GET",
    path: "/v1/blobs/:id",
    scope: "read",
    operation: schema.download,
    async handle(exchange) {
      const id = pathPart(exchange, "id");
      const read: ReadBlob = (range) =>
        exchange.runtime.blobs.stream(`blob:${id}`, range).catch((error: unknown) => {
          throw RepriseError.is(error, "BLOB_NOT_FOUND") ? notFound("BLOB_NOT_FOUND", "blob", id) : error;
        });
      const link: LinkToBlob = (options) => exchange.runtime.blobs.link(`blob:${id}`, options);
      return answerBlob(exchange, id, { read, link });
    },
  },
];
