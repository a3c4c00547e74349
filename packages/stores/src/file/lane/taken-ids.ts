import type { Write } from "../../kernel/write.ts";

/**
 * The ids of runs and entries that are about to be stored. They are unique in a tenant, over threads, and threads do not wait for
 * each other: so an operation that needs an id which is being taken is retried when that is decided.
 */
export class TakenIds {
  readonly #taken = new Map<string, Promise<void>>();

  /** When to retry, if another operation is taking one of the ids. */
  findTaker(ids: readonly string[]): Promise<void> | undefined {
    if (this.#taken.size === 0) return undefined;
    for (const id of ids) {
      const taker = this.#taken.get(id);
      if (taker !== undefined) return taker;
    }
    return undefined;
  }

  /** Takes ids until the function it returns is called. */
  take(ids: readonly string[]): () => void {
    const { promise, resolve } = Promise.withResolvers<void>();
    for (const id of ids) this.#taken.set(id, promise);
    return () => {
      for (const id of ids) this.#taken.delete(id);
      resolve();
    };
  }
}

/** The ids that writes take. */
export function idsOf(tenant: string, writes: readonly Write[]): readonly string[] {
  const ids = writes.flatMap((write) => {
    if (write.write === "run" && write.before === undefined) return [["run", write.row.record.run_id]];
    if (write.write !== "entry" || !write.is_new) return [];
    const { entry_id, kind, run_id } = write.row.entry;
    return kind === "run"
      ? [
          ["entry", entry_id],
          ["run", run_id],
        ]
      : [["entry", entry_id]];
  });
  return ids.map((id) => JSON.stringify([tenant, ...id]));
}
