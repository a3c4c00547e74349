import type { Disk } from "./disk.ts";

/** Makes the names in a folder durable. Callers that ask during a sync share the next one. */
export class FolderSync {
  readonly #disk: Disk;
  readonly #path: string;
  #running: Promise<void> = Promise.resolve();
  #next: Promise<void> | undefined;

  constructor(disk: Disk, path: string) {
    this.#disk = disk;
    this.#path = path;
  }

  sync(): Promise<void> {
    this.#next ??= this.#startAfter(this.#running);
    return this.#next;
  }

  async #startAfter(running: Promise<void>): Promise<void> {
    // Its failure is told to those who wait for it.
    await running.catch(() => undefined);
    this.#running = this.#next ?? running;
    this.#next = undefined;
    await this.#disk.syncFolder(this.#path);
  }
}
