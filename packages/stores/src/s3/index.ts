export type { BlobObjects, ObjectUpload } from "../shell/blob-objects.ts";
export { s3 } from "./s3-objects.ts";
export type { S3Credentials, S3Options } from "./s3-options.ts";
