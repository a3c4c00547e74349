import type { Plant } from "./plant.ts";

export const ownClock: Plant = {
  story: "Whether the time of a question is up is decided by the clock of the process.",
  breaks: "I5",
  faults: { kill: 1 },
  workers: 2,
  skewMs: 60_000,
  changes: [
    {
      file: "packages/runtime/src/thread/store-time.ts",
      from: "return this.#told + Math.floor(this.#clock.mono() - this.#heardAt);",
      to: "return this.#clock.now();",
    },
  ],
};
