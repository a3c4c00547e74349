import { notFound, RepriseError } from "@reprise/contracts";
import { answerBlob } from "../blobs/answer-blob.ts";
import { blobIdOf, browserUrl } from "../blobs/blob-url.ts";
import { readMediaType, readUpload } from "../blobs/read-upload.ts";
import { answer } from "../http/answer.ts";
import { pathPart, type Route } from "../http/route.ts";
import * as schema from "./blob-routes.schema.ts";

/**
 * Files: what messages name by `blob:`. The store takes and gives them whole, so an upload is held in memory while it comes, and a
 * range is cut out of the whole.
 */
export const blobRoutes: readonly Route[] = [
  {
    method: "POST",
    path: "/v1/blobs",
    scope: "run",
    operation: schema.upload,
    // The same bytes are the same blob: sent again, it is stored once.
    knowsRepeats: true,
    async handle(call) {
      const request = call.context.req.raw;
      const media_type = readMediaType(request.headers);
      const content = await readUpload(request, call.host.maxBlobBytes);
      const info = await call.runtime.blobs.put(content, { media_type });
      const id = blobIdOf(info.ref);
      return answer(call, 201, { id, ...info, sha256: id, url: browserUrl(call, info.ref) });
    },
  },
  {
    method: "GET",
    path: "/v1/blobs/:id",
    scope: "read",
    operation: schema.download,
    async handle(call) {
      const id = pathPart(call, "id");
      const file = await call.runtime.blobs.read(`blob:${id}`).catch((error: unknown) => {
        throw RepriseError.is(error, "BLOB_NOT_FOUND") ? notFound("BLOB_NOT_FOUND", "blob", id) : error;
      });
      return answerBlob(call, id, file);
    },
  },
];
