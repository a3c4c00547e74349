export type { BlobObjects, ObjectUpload, S3Credentials, S3Options } from "@reprise/stores/s3";
export { s3 } from "@reprise/stores/s3";
