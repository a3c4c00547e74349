import type { InterruptBehavior } from "@reprise/contracts";
import { defineTool } from "@reprise/runtime";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { interceptStore } from "./support/intercept-store.ts";
import { createWorld, openRuntime, type World } from "./support/open-runtime.ts";
import { settle, soon } from "./support/wait.ts";

/** A store whose commits take some turns of the event loop, before they are made and after. */
function slowCommits({ store }: World, turns: number) {
  return interceptStore(store, {
    tenant: (inner) => ({
      async commit(changeset, guard) {
        await settle(turns);
        const committed = await inner.commit(changeset, guard);
        await settle(turns);
        return committed;
      },
    }),
  });
}

/** Shows its progress in every turn of the event loop until it is over, whether anybody still listens or not. */
function talking(behavior: InterruptBehavior) {
  return defineTool({
    id: "talk",
    description: "Talks.",
    class: "read_only",
    inputSchema: z.object({ turns: z.number() }),
    interruptBehavior: behavior,
    async execute({ turns }, { progress }) {
      for (let turn = 0; turn < turns; turn += 1) {
        progress({ progress: turn, total: turns });
        await settle(1);
      }
      return { turns };
    },
  });
}

const call = (turns: number) => ({ call: "talk", arguments: { turns } });

describe.each(["cancel", "finish", "block"] as const)(
  "issue 14.30: a run cancelled while tools that %s talk",
  (behavior) => {
    it.each([0, 1, 5])("replays equal when its commits take %d turns, whenever it was cancelled", async (turns) => {
      const ends = new Set<string>();
      for (let after = 0; after < 40; after += 2) {
        const world = createWorld();
        const { runtime } = await openRuntime({
          world,
          store: slowCommits(world, turns),
          tools: [talking(behavior)],
          script: [[call(1), call(4), call(9), call(30), call(2)], [call(3), call(12)], "done"],
        });
        const run = await runtime.start({ agent: "agent", threadId: "t1", input: "go" });
        await settle(after);
        await run.cancel("enough").catch(() => undefined);
        ends.add((await soon(run.outcome())).status);
        expect(await soon(runtime.replay(run.id)), `cancelled after ${after} turns`).toMatchObject({ equal: true });
        await runtime.close();
      }
      expect([...ends]).toContain("cancelled");
    });
  },
);
