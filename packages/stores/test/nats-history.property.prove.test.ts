import fc from "fast-check";
import { it } from "vitest";
import { describeWithService } from "../../../test/support/describe-with-service.ts";
import { HistoryBench } from "./nats/history-bench.ts";
import { useBufferedServers } from "./nats/use-buffered.ts";

/** What can happen to a buffered thread. The number says who it happens to, of those who were ever its owner. */
const STEPS = {
  commit: 8,
  commit_as_before: 2,
  renew: 2,
  read: 1,
  take_over: 3,
  recover: 1,
  release: 1,
  end: 1,
  lose_all: 1,
  lose_last: 1,
} as const;

type Step = keyof typeof STEPS;

let streams = 0;

function ownStream(): { readonly stream: string; readonly prefix: string } {
  streams += 1;
  return { stream: `history_${streams}`, prefix: `history.n${streams}` };
}

describeWithService("postgres", "any history of a buffered thread", (postgres) => {
  describeWithService("nats", "with owners that come and go and a server that forgets", (nats) => {
    const used = useBufferedServers({ postgres, nats });

    it("keeps what was acknowledged, in its order and once, or says what it lost", async () => {
      const step = fc.oneof(
        // The keys of the table are the steps.
        ...Object.entries(STEPS).map(([name, weight]) => ({ weight, arbitrary: fc.constant(name as Step) })),
      );
      const history = fc.array(fc.tuple(step, fc.nat({ max: 3 })), { minLength: 5, maxLength: 40 });
      await fc.assert(
        fc.asyncProperty(history, async (steps) => {
          const opened = await used.openBuffered({ maxPendingCommits: 6, ...ownStream() });
          const bench = new HistoryBench(opened, used.manage);
          try {
            await bench.begin();
            for (const [name, who] of steps) await bench[name](who);
            await bench.finish();
          } finally {
            await opened.close();
          }
        }),
        { numRuns: process.env.REPRISE_FUZZ ? 500 : 25 },
      );
    });
  });
});
