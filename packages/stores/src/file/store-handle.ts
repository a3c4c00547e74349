import { RepriseError, type StoreSignal } from "@reprise/contracts";
import type { ReadPorts, ThereThread } from "../tables/read/find-thread.ts";
import type { Tables } from "../tables/tables.ts";
import type { SharedFolder } from "./folder/open-folder.ts";
import type { StoreFolder } from "./folder/store-folder.ts";

/** One handle on a folder. What was asked for before it is closed is done; what comes after is refused. */
export class StoreHandle implements ReadPorts {
  readonly #shared: SharedFolder;
  readonly #underWay = new Set<Promise<unknown>>();
  readonly #watches = new Set<() => void>();
  #closed: Promise<void> | undefined;

  constructor(shared: SharedFolder) {
    this.#shared = shared;
  }

  get tables(): Tables {
    this.#shared.files.glance();
    return this.#folder.tables;
  }

  findThread(tenant: string, threadId: string): ThereThread | undefined {
    return this.#folder.findThread(tenant, threadId);
  }

  /** Does something in the folder; closing waits for it. */
  async use<Result>(task: (folder: StoreFolder) => Promise<Result>): Promise<Result> {
    this.#shared.files.assertThere();
    const doing = task(this.#folder);
    this.#underWay.add(doing);
    try {
      return await doing;
    } finally {
      this.#underWay.delete(doing);
    }
  }

  watch(listener: (signal: StoreSignal) => void): () => void {
    const stop = this.#folder.board.watch(listener);
    this.#watches.add(stop);
    return () => {
      this.#watches.delete(stop);
      stop();
    };
  }

  close(): Promise<void> {
    this.#closed ??= this.#close();
    return this.#closed;
  }

  async #close(): Promise<void> {
    for (const stop of this.#watches) stop();
    await Promise.allSettled(this.#underWay);
    this.#shared.release();
  }

  get #folder(): StoreFolder {
    if (this.#closed === undefined) return this.#shared.folder;
    throw new RepriseError("STORE_UNAVAILABLE", "The store is closed.");
  }
}
