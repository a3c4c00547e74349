import { mkdtempSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { S3Options } from "../../src/s3/index.ts";
import { KEY, startSignatureDoor } from "./signature-door.ts";

/** What `s3rver` has of use here; it brings no types. */
interface S3rver {
  configureBuckets(): Promise<unknown>;
  run(): Promise<AddressInfo>;
  close(): Promise<void>;
}

/** An S3 service on this machine that checks signatures, with a bucket. */
export interface S3Service {
  readonly endpoint: string;
  readonly folder: string;
  /** How to reach it, under keys of their own. */
  options(more?: Partial<S3Options>): S3Options;
  stop(): Promise<void>;
}

let stores = 0;

export async function startS3(): Promise<S3Service> {
  // It is a CommonJS module whose export is a class.
  const Server: new (options: object) => S3rver = createRequire(import.meta.url)("s3rver");
  const folder = mkdtempSync(join(tmpdir(), "reprise-s3-"));
  const server = new Server({
    port: 0,
    address: "127.0.0.1",
    silent: true,
    directory: folder,
    configureBuckets: [{ name: "blobs", configs: [] }],
  });
  const door = await startSignatureDoor(await server.run());
  const { endpoint } = door;
  return {
    endpoint,
    folder,
    options(more = {}) {
      stores += 1;
      const prefix = `store-${stores}/`;
      return { bucket: "blobs", endpoint, credentials: KEY, prefix, inlineBytes: 0, attempts: 2, ...more };
    },
    async stop() {
      door.stop();
      await server.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
