import type { Json } from "@reprise/state";

/** A persisted conversation with its state history. Messages and patches are read through the store. */
export interface Thread {
  readonly thread_id: string;
  /** A filter inside the tenant, never authorization. */
  readonly resource_id?: string;
  readonly parent_thread_id?: string;
  readonly metadata: { readonly [key: string]: Json };
  /** How many changesets the thread has: version n is the nth changeset. */
  readonly version: number;
  readonly created_at: number;
  readonly updated_at: number;
}
