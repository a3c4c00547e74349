import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll } from "vitest";
import { type S3Service, startS3 } from "./start-s3.ts";

/** Starts an S3 service for the suite it is called in. */
export function useS3(): () => S3Service {
  let started: S3Service | undefined;
  beforeAll(async () => {
    started = await startS3();
  });
  afterAll(() => started?.stop());
  return () => {
    if (started === undefined) throw new Error("The service is not started yet.");
    return started;
  };
}

/** The keys of the objects that the service has under a prefix. */
export function objectsUnder({ folder }: S3Service, prefix: string): readonly string[] {
  const place = join(folder, "blobs", prefix);
  if (!existsSync(place)) return [];
  return readdirSync(place, { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith("._S3rver_object"))
    .map((name) => name.replace(/\._S3rver_object$/, ""));
}
