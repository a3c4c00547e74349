import type { Plant } from "./plant.ts";

export const seqFromMemory: Plant = {
  story: "Events are numbered by the connection that sends them.",
  breaks: "I8",
  faults: { kill: 1 },
  createDistortion() {
    let seq = 0;
    return (event) => {
      if (event.seq === undefined) return event;
      seq += 1;
      return { ...event, seq };
    };
  },
};
