import { it } from "vitest";
import { countHistories } from "../support/count-histories.ts";
import { checkHistories } from "./check-histories.ts";

// A day: full runs by hand play 20,000.
it("many random runs over crashing processes keep every promise", { timeout: 86_400_000 }, async () => {
  await checkHistories(countHistories(1_000));
});
