import { type FoundService, findService } from "../../../scripts/services/find-service.mjs";
import type { ServiceName } from "../../../scripts/services/table.mjs";
import { createEmbeddedServer } from "./embedded-server.ts";
import { createNatsBufferedServer } from "./nats-buffered-server.ts";
import { createPostgresServer } from "./postgres-server.ts";
import type { StoreName } from "./store-address.ts";
import type { StoreServer } from "./store-server.ts";

/** Starts what a store under test needs. */
export async function createServer(name: StoreName, { hasSmallDisk = false } = {}): Promise<StoreServer> {
  switch (name) {
    case "sqlite":
    case "file":
      return createEmbeddedServer({ name, hasSmallDisk });
    case "postgres":
      return createPostgresServer(requireService("postgres"));
    case "nats-buffered":
      return createNatsBufferedServer({ postgres: requireService("postgres"), nats: requireService("nats") });
    default:
      return name satisfies never;
  }
}

function requireService(name: ServiceName): FoundService {
  const service = findService(name);
  if (!service.found) throw new Error(`The store needs ${name}, which is missing here: ${service.reason}`);
  return service;
}
