/** Where a store under test is: plain data, so that it can be handed to a worker. */
export type StoreAddress =
  | { readonly kind: "sqlite"; readonly file: string }
  | { readonly kind: "file"; readonly folder: string }
  | { readonly kind: "postgres"; readonly url: string; readonly schema: string }
  | { readonly kind: "nats-buffered"; readonly natsUrl: string; readonly url: string; readonly schema: string };

export type StoreName = StoreAddress["kind"];

export const STORE_NAMES: readonly StoreName[] = ["sqlite", "file", "postgres", "nats-buffered"];

export function isStoreName(name: string): name is StoreName {
  return STORE_NAMES.some((known) => known === name);
}
