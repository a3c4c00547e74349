import { existsSync } from "node:fs";
import { mkdir } from "node:fs/promises";
import { dirname } from "node:path";
import { memory, sqlite } from "reprise";
import type { StoreWithBlobs } from "reprise/advanced";
import { CommandFailure, usageFailure } from "../output/failure.ts";
import type { BlobsPlan } from "./plan-blobs.ts";
import { describeStore, type StorePlan } from "./plan-store.ts";

/** Threads hold what people said: a new folder is for its owner alone. */
const PRIVATE = { recursive: true, mode: 0o700 } as const;

/**
 * Opens a store. Drivers are loaded when they are asked for. `waits`: a database server that is down is waited for. `migrates`: its
 * tables are made or brought up to date.
 */
export async function openStore(
  plan: StorePlan,
  {
    waits,
    migrates,
    blobs: bucket,
  }: { readonly waits: boolean; readonly migrates: boolean; readonly blobs?: BlobsPlan | undefined },
): Promise<StoreWithBlobs> {
  const opening = { migrates, ...(!waits && { waitMs: 0 }) };
  if (bucket !== undefined && (plan.kind === "file" || plan.kind === "memory"))
    throw usageFailure(
      `Files cannot be in an S3 bucket while threads live in ${describeStore(plan)}.`,
      "Use a SQLite or Postgres store, or leave --blobs-url (blobs of the configuration) out.",
    );
  const blobs = bucket === undefined ? {} : { blobs: (await import("@reprise/stores/s3")).s3(bucket) };
  switch (plan.kind) {
    case "sqlite":
      await mkdir(dirname(plan.file), PRIVATE);
      return sqlite(plan.file, blobs);
    case "file": {
      await mkdir(dirname(plan.folder), PRIVATE);
      return (await import("@reprise/stores/file")).file(plan.folder);
    }
    case "memory":
      return memory();
    case "postgres": {
      const { kind: _, ...options } = plan;
      return (await import("@reprise/stores/postgres")).openPostgresStore({ ...options, ...opening, ...blobs });
    }
    case "nats": {
      const { natsUrl, url, schema } = plan;
      const { openNatsBufferedStore } = await import("@reprise/stores/nats-buffered");
      return openNatsBufferedStore({
        nats: { servers: natsUrl },
        postgres: { url, ...(schema !== undefined && { schema }), ...opening, ...blobs },
      });
    }
    default:
      return plan satisfies never;
  }
}

/** Who only looks makes nothing: a store that is not there is a wrong place. */
export function assertStoreExists(plan: StorePlan): void {
  const path = plan.kind === "sqlite" ? plan.file : plan.kind === "file" ? plan.folder : undefined;
  if (path === undefined || existsSync(path)) return;
  throw new CommandFailure(`There is nothing yet at ${describeStore(plan)}.`, {
    code: "STORE_NOT_FOUND",
    remedy: "Name the folder with --storage-dir, or begin with: reprise serve",
  });
}
