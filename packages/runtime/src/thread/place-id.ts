import type { TenantStore } from "@reprise/contracts";

/** A new id of a run on a thread, or of a thread beside it, as the store finds it quickest. */
export function placeId(store: Pick<TenantStore, "placeId">, id: string, threadId: string): string {
  return store.placeId?.(id, threadId) ?? id;
}
