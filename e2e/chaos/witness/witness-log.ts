import { closeSync, openSync, writeSync } from "node:fs";
import type { WitnessRecord } from "./witness-record.ts";

/** A record without its time, whichever kind it is. */
type Untimed<Whole> = Whole extends { readonly at: number } ? Omit<Whole, "at"> : never;

/** What the witness saw, in a file of its own: only ever appended to, never by a process that is killed. */
export class WitnessLog {
  readonly #descriptor: number | undefined;
  readonly #records: WitnessRecord[] = [];
  #isClosed = false;

  /** Without a file it only remembers. */
  constructor(file?: string) {
    this.#descriptor = file === undefined ? undefined : openSync(file, "a", 0o600);
  }

  get records(): readonly WitnessRecord[] {
    return this.#records;
  }

  note(untimed: Untimed<WitnessRecord>): void {
    // What clients hear while everything around them is taken down says nothing.
    if (this.#isClosed) return;
    // A kind of record and the time make that kind of record; the compiler does not put unions together again.
    const record = { at: Date.now(), ...untimed } as WitnessRecord;
    this.#records.push(record);
    if (this.#descriptor !== undefined) writeSync(this.#descriptor, `${JSON.stringify(record)}\n`);
  }

  close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    if (this.#descriptor !== undefined) closeSync(this.#descriptor);
  }
}
