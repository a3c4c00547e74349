import fc from "fast-check";
import { describe, it } from "vitest";
import type { OpenStore } from "../store/open-store.ts";
import { createStoreModel, ModelBench, THREADS } from "./model-bench.ts";
import { advance, cancel, claim, commit, decide, release, renew, type StoreCommand, submit } from "./model-commands.ts";

/**
 * Random histories of submissions, claims, commits, decisions, cancellations, lost leases and releases, compared step by
 * step with a model that is simple enough to check by reading.
 */
export function describeStoreModel(name: string, open: OpenStore, { runs }: { readonly runs?: number } = {}): void {
  describe(`the ${name} store beside its model`, () => {
    it("agrees with the model after every step of any history", async () => {
      await fc.assert(
        fc.asyncProperty(fc.commands(COMMANDS, { maxCommands: 60, size: "max" }), async (commands) => {
          const opened = await open();
          try {
            await fc.asyncModelRun(() => ({ model: createStoreModel(), real: new ModelBench(opened) }), commands);
          } finally {
            await opened.close();
          }
        }),
        runs === undefined ? {} : { numRuns: runs },
      );
    });
  });
}

const thread = fc.constantFrom(...THREADS);
const recent = fc.oneof({ weight: 4, arbitrary: fc.nat({ max: 1 }) }, { weight: 1, arbitrary: fc.nat({ max: 9 }) });
const status = fc.constantFrom("running", "waiting", "done");
const policy = fc.constantFrom("enqueue", "enqueue", "continue", "interrupt");

const COMMANDS: fc.Arbitrary<StoreCommand>[] = [
  fc.tuple(thread, policy).map(([threadId, busy]) => submit(threadId, busy)),
  fc.constant(claim()),
  fc.tuple(recent, status).map(([pick, next]) => commit(pick, next)),
  fc.tuple(recent, status).map(([pick, next]) => commit(pick, next)),
  thread.map((threadId) => decide(threadId)),
  thread.map((threadId) => cancel(threadId)),
  fc.constantFrom(1, 400, 1_000).map((ms) => advance(ms)),
  fc.tuple(recent, fc.boolean()).map(([pick, hasProblem]) => release(pick, hasProblem)),
  recent.map((pick) => renew(pick)),
];
