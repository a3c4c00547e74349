import { existsSync } from "node:fs";
import { mkdir } from "node:fs/promises";
import { dirname } from "node:path";
import { memory, sqlite } from "reprise";
import type { StoreWithBlobs } from "reprise/advanced";
import { CommandFailure } from "../output/failure.ts";
import { describeStore, type StorePlan } from "./plan-store.ts";

/** Threads hold what people said: a new folder is for its owner alone. */
const PRIVATE = { recursive: true, mode: 0o700 } as const;

/** Opens a store. Drivers are loaded when they are asked for. `waits`: a database server that is down is waited for. */
export async function openStore(
  plan: StorePlan,
  { waits = false }: { readonly waits?: boolean } = {},
): Promise<StoreWithBlobs> {
  const patience = waits ? {} : { waitMs: 0 };
  switch (plan.kind) {
    case "sqlite":
      await mkdir(dirname(plan.file), PRIVATE);
      return sqlite(plan.file);
    case "file": {
      await mkdir(dirname(plan.folder), PRIVATE);
      return (await import("@reprise/stores/file")).file(plan.folder);
    }
    case "memory":
      return memory();
    case "postgres": {
      const { kind: _, ...options } = plan;
      return (await import("@reprise/stores/postgres")).openPostgresStore({ ...options, ...patience });
    }
    case "nats": {
      const { natsUrl, url, schema } = plan;
      const { openNatsBufferedStore } = await import("@reprise/stores/nats-buffered");
      return openNatsBufferedStore({
        nats: { servers: natsUrl },
        postgres: { url, ...(schema !== undefined && { schema }), ...patience },
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
