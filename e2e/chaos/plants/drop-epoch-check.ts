import type { Plant } from "./plant.ts";
import { reviveLostLease } from "./revive-lost-lease.ts";

const KERNEL = "packages/stores/src/kernel/check-changeset.ts";

export const dropEpochCheck: Plant = {
  // An owner that notices by itself that it was replaced brings nothing.
  ...reviveLostLease,
  story: "A commit is taken from whoever brings it, also from an owner that was replaced.",
  breaks: "I4",
  changes: [
    { file: KERNEL, from: "if (epoch !== null && draft.claim?.epoch !== epoch) throw", to: "if (false) throw" },
    { file: KERNEL, from: 'if (expected === "any" || expected === thread.version) return;', to: "return;" },
    { file: KERNEL, from: "if (first_seq !== last + 1) {", to: "if (false) {" },
  ],
};
