import { writeFileSync } from "node:fs";
import type { ArmedPoints } from "./worker-options.ts";

/** The fault points of one worker: counts visits, and ends the process at the first armed one that is reached. */
export class FaultPoints {
  readonly #left: Map<string, number>;
  readonly #file: string;

  constructor({ visits, file }: ArmedPoints = { visits: {}, file: "" }) {
    this.#left = new Map(Object.entries(visits));
    this.#file = file;
  }

  visit(point: string): void {
    const left = this.#left.get(point);
    if (left === undefined) return;
    this.#left.set(point, left - 1);
    if (left > 1) return;
    writeFileSync(this.#file, point);
    // Nothing of this process happens after it: no handler, no flush, no finally.
    process.kill(process.pid, "SIGKILL");
  }
}
