import { HEARTBEAT } from "./encode-frame.ts";
import type { Outlet } from "./outlet.ts";

/** More text than this is written at once: a journal that is read without a pause never lets a turn end. */
const MAX_JOINED = 16_384;

/** The end of this turn of the event loop; not every platform has a word for it. */
const atEndOfTurn: (task: () => void) => void =
  typeof setImmediate === "function" ? (task) => void setImmediate(task) : (task) => void setTimeout(task, 0);

/** Resolves when everything that happens in this turn has happened. */
export function endOfTurn(): Promise<void> {
  return new Promise((resolve) => atEndOfTurn(resolve));
}

/** Joins frames into one write. A write costs far more than a frame. */
export class JoinedWriter {
  readonly #outlet: Outlet;
  #text = "";
  #wroteSinceBeat = false;

  constructor(outlet: Outlet) {
    this.#outlet = outlet;
  }

  /** As much as belongs into one write. */
  get isFull(): boolean {
    return this.#text.length > MAX_JOINED;
  }

  push(frame: string): void {
    this.#text += frame;
  }

  flush(): void {
    if (this.#text === "") return;
    const text = this.#text;
    this.#text = "";
    this.#wroteSinceBeat = true;
    this.#outlet.write(text);
  }

  /** Called now and then: says something when nothing was said since the last time. */
  beat(): void {
    if (!this.#wroteSinceBeat && this.#outlet.hasRoom) this.#outlet.write(HEARTBEAT);
    this.#wroteSinceBeat = false;
  }

  /** Waits for a client that is behind; false when it stayed so for too long. */
  async waitForRoom(patienceMs: number): Promise<boolean> {
    const { promise, resolve } = Promise.withResolvers<boolean>();
    // A process that was busy itself finds its timer before the news from the socket: those are let in first.
    const timer = setTimeout(() => atEndOfTurn(() => resolve(this.#outlet.hasRoom)), patienceMs);
    void this.#outlet.room().then(() => resolve(true));
    const hasRoom = await promise;
    clearTimeout(timer);
    return hasRoom;
  }
}
