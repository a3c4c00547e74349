import type { Runtime } from "@reprise/runtime";
import type { Server } from "@reprise/server";
import { type ListenOptions, listen } from "@reprise/server/node";
import { type PostgresStore, postgres } from "@reprise/stores/postgres";
import { sqlite } from "reprise";
import type { SqliteStore } from "reprise/advanced";

/** A SQLite file or a Postgres database. */
export function openPlace(place: string): Promise<PostgresStore | SqliteStore> {
  return place.startsWith("postgres") ? postgres(place) : sqlite(place);
}

/** A server, and how it listens. */
export interface Door {
  readonly server: Server;
  readonly listen?: ListenOptions;
}

export interface Served {
  readonly store: { close(): Promise<void> };
  readonly runtime: Runtime;
  readonly doors: readonly Door[];
}

/** Listens at every door, says where on one line, and ends everything when it is told to. */
export async function serveUntilTold({ store, runtime, doors }: Served): Promise<void> {
  const listening = await Promise.all(doors.map(({ server, listen: how }) => listen(server, { port: 0, ...how })));
  console.log(listening.map(({ url }) => url).join(" "));
  process.once("SIGTERM", async () => {
    await Promise.all(listening.map((door) => door.close()));
    await runtime.close();
    await store.close();
  });
}
