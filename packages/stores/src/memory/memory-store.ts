import type { Clock, Store } from "@reprise/contracts";
import { createDurableStore } from "../shell/create-durable-store.ts";
import { MemoryDriver } from "./memory-driver.ts";

/** A store in memory, for tests and for programs that need nothing kept. Its rules and laws are those of every store. */
export function createMemoryStore({ clock }: { readonly clock: Pick<Clock, "now"> }): Store {
  return createDurableStore(new MemoryDriver(() => clock.now()));
}
