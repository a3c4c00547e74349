import { RepriseError, type Store } from "@reprise/contracts";
import { createMemoryStore } from "@reprise/stores/memory";
import { createFakeEnv } from "@reprise/testkit";
import type { Scene } from "./scene.ts";
import { wire } from "./scene-tools.ts";
import { openStage, recordRun, recordThread, settle } from "./stage.ts";

/** The store as a process sees it whose claims run out. */
function withoutRenewals(store: Store): Store {
  const renew = () => Promise.reject(new RepriseError("STORE_UNAVAILABLE", "The store is away."));
  return { ...store, operator: { ...store.operator, renew, claim: async () => [] } };
}

/** One process shows half an answer and loses its claim; another gives the whole one. */
async function takeOver() {
  const env = createFakeEnv({ now: 1_767_225_600_000 });
  const store = createMemoryStore({ clock: env.clock });
  const first = await openStage({
    env,
    store: withoutRenewals(store),
    script: [[{ text: ["half ", "an answer"] }, { stall: true }]],
  });
  const lost = await first.start();
  const seen = Array.fromAsync(lost.eventsWithCursor());
  await settle();
  const second = await openStage({ env, store, script: ["A whole answer."] });
  await env.advance(13_000);
  const run = await second.runtime.run(lost.id);
  await run.outcome();
  await settle();
  return { second, run, seen: await seen };
}

/** Ways to end other than by having said everything. */
export const ENDINGS: readonly Scene[] = [
  {
    name: "cancelled",
    about: "A run that was cancelled in the middle of a word.",
    async record() {
      const stage = await openStage({ script: [[{ text: ["I was about to", " say"] }, { stall: true }]] });
      const run = await stage.start();
      await settle();
      await run.cancel("enough");
      return recordRun(stage, run);
    },
  },
  {
    name: "cancelled-while-waiting",
    about: "A run that was cancelled while a call waited for a yes.",
    async record() {
      const stage = await openStage({
        tools: [wire],
        script: [[{ call: "wire", arguments: { to: "Ada", amount: 1 } }]],
      });
      const run = await stage.start();
      await run.outcome();
      await run.cancel();
      await settle();
      return recordRun(stage, run);
    },
  },
  {
    name: "failed",
    about: "A run whose model failed for good, in the middle of its answer.",
    async record() {
      const stage = await openStage({ script: [[{ text: "I am " }, { fail: "auth" }]] });
      return recordRun(stage, await stage.start());
    },
  },
  {
    name: "stream-reset",
    about: "What a reader sees whose process lost the run: half an answer, its withdrawal, and the whole one.",
    async record() {
      const { second, run, seen } = await takeOver();
      return recordThread(second, run, seen);
    },
  },
  {
    name: "taken-over",
    about: "The same run as it is kept: begun twice, answered once.",
    async record() {
      const { second, run } = await takeOver();
      return recordRun(second, run);
    },
  },
];
