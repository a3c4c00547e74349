import { RepriseError } from "@reprise/contracts";
import { describe, expect, it } from "vitest";
import { assertConsistent } from "./support/assert-consistent.ts";
import { interceptStore } from "./support/intercept-store.ts";
import { createWorld, openRuntime } from "./support/open-runtime.ts";
import { settle, soon, typesOf } from "./support/wait.ts";

/** A process that showed half an answer and lost its claim, and another that gave the whole one. */
async function loseHalfAnAnswer() {
  const world = createWorld();
  const store = interceptStore(world.store, {
    operator: () => ({
      renew: () => Promise.reject(new RepriseError("STORE_UNAVAILABLE", "The store is away.")),
      claim: async () => [],
    }),
  });
  const first = await openRuntime({
    world,
    store,
    script: [[{ text: ["half ", "an ", "answer"] }, { stall: true }]],
    limits: { modelIdleTimeoutMs: null },
  });
  const run = await first.runtime.start({ agent: "agent", threadId: "t1", input: "go" });
  await settle();
  const second = await openRuntime({ world, script: ["whole"] });
  await world.env.advance(13_000);
  const seen = await second.runtime.run(run.id);
  expect(await soon(seen.outcome())).toMatchObject({ status: "done", text: "whole" });
  await assertConsistent(second.tenant, "t1");
  return { first: run, second: seen };
}

describe("a tail that was shown and never committed", () => {
  it("is not shown again by the process that showed it", async () => {
    const { first, second } = await loseHalfAnAnswer();
    const all = await soon(Array.fromAsync(second.eventsWithCursor()));
    expect(typesOf(all.map(({ event }) => event)).slice(0, 2)).toEqual(["run_start", "run_start"]);
    for (const [index, { cursor }] of all.entries()) {
      const rest = await soon(Array.fromAsync(first.events({ after: cursor })), `the rest after ${cursor}`);
      expect(rest, `after ${cursor}`).toEqual(all.slice(index + 1).map(({ event }) => event));
    }
    expect(await soon(Array.fromAsync(first.events()))).toEqual(all.map(({ event }) => event));
  });

  it("is withdrawn for a reader that comes back with it, wherever it was", async () => {
    const { first, second } = await loseHalfAnAnswer();
    const all = await soon(Array.fromAsync(second.events()));
    for (const handle of [first, second]) {
      for (const seq of [2, 3, 4, 5]) {
        const after = { run_id: first.id, epoch: 1, seq };
        const events = await soon(Array.fromAsync(handle.events({ after })), `the events after ${seq}`);
        expect(events[0]).toMatchObject({ type: "stream_reset", data: { from_seq: 1 } });
        expect(events.slice(1)).toEqual(all.slice(1));
      }
    }
  });

  it("issue 14.28: is not the end of its run, also when it is as long as the run", async () => {
    const { second } = await loseHalfAnAnswer();
    const { run_id, last_seq } = await second.record();
    const end = (await soon(Array.fromAsync(second.eventsWithCursor()))).at(-1);
    const epoch = Number(end?.cursor.split(":").at(-2));
    expect(await second.hasEndedAt({ run_id, epoch, seq: last_seq })).toBe(true);
    expect(await second.hasEndedAt({ run_id, epoch: epoch - 1, seq: last_seq })).toBe(false);
    expect(await second.hasEndedAt({ run_id, epoch, seq: last_seq - 1 })).toBe(false);
  });
});
