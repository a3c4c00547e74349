import type { ThreadRow } from "../kernel/rows.ts";
import { TenantTables } from "./tenant-tables.ts";
import { ThreadList } from "./thread-list.ts";
import type { ThreadTables } from "./thread-tables.ts";
import { WorkIndex } from "./work-index.ts";

/** Everything a store has, but for the content of commits. It holds what is durable, never what is only about to be. */
export class Tables {
  readonly work: WorkIndex = new WorkIndex();
  /** The threads that are there. */
  readonly threads: ThreadList = new ThreadList();
  readonly #tenants = new Map<string, TenantTables>();
  #lastOrder = 0;

  tenant(tenant: string): TenantTables {
    const known = this.#tenants.get(tenant);
    if (known !== undefined) return known;
    const made = new TenantTables(tenant, this);
    this.#tenants.set(tenant, made);
    return made;
  }

  get tenants(): ReadonlyMap<string, TenantTables> {
    return this.#tenants;
  }

  findTenant(tenant: string): TenantTables | undefined {
    return this.#tenants.get(tenant);
  }

  nextOrder(): number {
    this.#lastOrder += 1;
    return this.#lastOrder;
  }

  /** For a number that was given out before the store was opened. */
  sawOrder(order: number): void {
    this.#lastOrder = Math.max(this.#lastOrder, order);
  }

  /** Replaces a thread's row, and its places in the indexes. */
  putThread(thread: ThreadTables, row: ThreadRow | undefined, order: number): void {
    const { row: before } = thread;
    const isMoved =
      before?.work?.at !== row?.work?.at ||
      before?.work?.rank !== row?.work?.rank ||
      before?.work?.need !== row?.work?.need ||
      order !== thread.order;
    if (isMoved && before?.work != null) this.work.remove(thread, before.work);
    if (before !== undefined && row === undefined) this.threads.remove(thread);
    if (before === undefined && row !== undefined) this.threads.add(thread);
    thread.row = row;
    thread.order = order;
    if (isMoved && row?.work != null) this.work.add(thread, row.work);
  }
}
