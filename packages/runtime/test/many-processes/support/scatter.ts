import type { Store } from "@reprise/contracts";

/** A store that makes no ids: the threads of a tree are wherever the hashes of their ids put them. */
export function scatter<Opened extends Store>(store: Opened): Opened {
  return {
    ...store,
    forTenant(tenant) {
      const { placeId: _, ...rest } = store.forTenant(tenant);
      return rest;
    },
  };
}
