import type { AgentEvent } from "@reprise/contracts";
import { describe, expect, it } from "vitest";
import { interceptStore } from "./support/intercept-store.ts";
import { createWorld, openRuntime } from "./support/open-runtime.ts";
import { countingTool } from "./support/tools.ts";
import { collect, gate, settle, soon, typesOf, until } from "./support/wait.ts";

const SCRIPT = [[{ text: ["a", "b"] }, { call: "add", arguments: { title: "x" } }], [{ text: ["c", "d"] }]];

describe("events from a cursor", () => {
  it("are exactly the rest, from every one of them", async () => {
    const { runtime } = await openRuntime({ script: SCRIPT, tools: [countingTool().tool] });
    const run = await runtime.start({ agent: "agent", input: "go" });
    await run.outcome();
    const all = await soon(Array.fromAsync(run.eventsWithCursor()));
    expect(all.map(({ event }) => event.seq)).toEqual(all.map((_, index) => index + 1));
    for (const [index, { cursor }] of all.entries()) {
      const rest = await collect(run, { after: cursor });
      expect(rest, `after ${cursor}`).toEqual(all.slice(index + 1).map(({ event }) => event));
    }
  });

  it("are exactly the rest over several activations, when followed", async () => {
    const { tool } = countingTool({ needsApproval: true });
    const { runtime } = await openRuntime({ script: [...SCRIPT], tools: [tool] });
    const run = await runtime.start({ agent: "agent", threadId: "t1", input: "go" });
    await run.outcome();
    const first = await collect(run);
    expect(first.at(-1)).toMatchObject({ type: "run_finish", data: { termination: { type: "suspended" } } });
    const [open] = await runtime.decisions.list({ threadId: "t1" });
    await runtime.decisions.decide(open?.id ?? "", { action: "approve" });
    await until(async () => (await run.record()).status === "done", "the run's end");
    const all = await soon(Array.fromAsync(run.eventsWithCursor({ follow: true })));
    expect(all.map(({ event }) => event.seq)).toEqual(all.map((_, index) => index + 1));
    expect(all.length).toBeGreaterThan(first.length);
    for (const [index, { cursor }] of all.entries()) {
      const rest = await collect(run, { after: cursor, follow: true });
      expect(rest, `after ${cursor}`).toEqual(all.slice(index + 1).map(({ event }) => event));
    }
  });

  it("are exactly the rest of a run that is longer than what is read at once, which is never all of it", async () => {
    const world = createWorld();
    const held: number[] = [];
    const store = interceptStore(world.store, {
      tenant: (inner) => ({
        async readEvents(runId, after, limit) {
          const segments = await inner.readEvents(runId, after, limit);
          held.push(segments.length);
          return segments;
        },
      }),
    });
    const rounds = Array.from({ length: 150 }, (_, index) => [{ call: "add", arguments: { title: `${index}` } }]);
    const agent = { maxRounds: 200 };
    const { tool } = countingTool();
    const { runtime } = await openRuntime({ world, store, agent, tools: [tool], script: [...rounds, "done"] });
    const run = await runtime.start({ agent: "agent", input: "go" });
    const live = await soon(Array.fromAsync(run.eventsWithCursor()));
    expect(live.map(({ event }) => event.seq)).toEqual(live.map((_, index) => index + 1));
    held.length = 0;
    expect(await soon(Array.fromAsync(run.eventsWithCursor()))).toEqual(live);
    expect(held.length).toBeGreaterThan(3);
    expect(Math.max(...held)).toBeLessThanOrEqual(64);
    for (let index = 0; index < live.length; index += 97) {
      const rest = await collect(run, { after: live[index]?.cursor ?? "" });
      expect(rest, `after ${index}`).toEqual(live.slice(index + 1).map(({ event }) => event));
    }
  });

  it("end at once after the last event of a run that is done, and of one that waits", async () => {
    const { tool } = countingTool({ needsApproval: true });
    const { runtime } = await openRuntime({
      script: [[{ call: "add", arguments: { title: "x" } }], "ok"],
      tools: [tool],
    });
    const run = await runtime.start({ agent: "agent", input: "go" });
    await run.outcome();
    const waiting = (await soon(Array.fromAsync(run.eventsWithCursor()))).at(-1)?.cursor ?? "";
    expect(await collect(run, { after: waiting })).toEqual([]);
    const [open] = await runtime.decisions.list();
    await runtime.decisions.decide(open?.id ?? "", { action: "deny" });
    await until(async () => (await run.record()).status === "done", "the run's end");
    const done = (await soon(Array.fromAsync(run.eventsWithCursor({ follow: true })))).at(-1)?.cursor ?? "";
    expect(await collect(run, { after: done })).toEqual([]);
  });

  it("begin with a reset when the cursor's tail was never committed", async () => {
    const { runtime } = await openRuntime({ script: ["ok"] });
    const run = await runtime.start({ agent: "agent", input: "go" });
    await run.outcome();
    const all = await collect(run);
    const { last_seq } = await run.record();
    const resumed = await collect(run, { after: { run_id: run.id, epoch: 1, seq: 999 } });
    expect(resumed).toMatchObject([{ type: "stream_reset", data: { from_seq: last_seq } }]);
    expect(resumed[0]).not.toHaveProperty("seq");
    const older = await collect(run, { after: { run_id: run.id, epoch: 0, seq: 3 } });
    expect(older).toMatchObject([{ type: "stream_reset", data: { from_seq: 0 } }, ...all]);
  });

  it("reach a reader that comes in the middle of a step, without spinning", async () => {
    const world = createWorld();
    let reads = 0;
    const store = interceptStore(world.store, {
      tenant: (inner) => ({
        async readEvents(runId, after) {
          reads += 1;
          // A turn of the event loop, so that a reader that spins cannot stop the world.
          await settle(1);
          return inner.readEvents(runId, after);
        },
      }),
    });
    const middle = gate();
    const model = {
      id: "slow",
      async *stream() {
        yield { type: "text_delta", delta: "one " } as const;
        yield { type: "text_delta", delta: "two " } as const;
        await middle.promise;
        yield { type: "text_delta", delta: "three" } as const;
        await settle(60);
        yield { type: "finish", stop_reason: "end_turn" } as const;
      },
    };
    const { runtime } = await openRuntime({ world, store, model });
    const run = await runtime.start({ agent: "agent", input: "go" });
    await settle();
    const late: AgentEvent[] = [];
    const reading = (async () => {
      for await (const event of run.events()) late.push(event);
    })();
    await settle();
    middle.open();
    await soon(reading, "the late reader");
    expect(late.map(({ seq }) => seq)).toEqual(late.map((_, index) => index + 1));
    expect(typesOf(late).at(-1)).toBe("run_finish");
    expect(reads, "reads of the journal").toBeLessThan(12);
  });

  it("reach a reader that fell behind with the commit that has them, also when it looked before", async () => {
    const middle = gate();
    const model = {
      id: "fast",
      async *stream() {
        for (let index = 0; index < 1_600; index++) {
          if (index === 1_500) await middle.promise;
          yield { type: "text_delta", delta: `${index} ` } as const;
        }
        yield { type: "finish", stop_reason: "end_turn" } as const;
      },
    };
    const { runtime } = await openRuntime({ model });
    const run = await runtime.start({ agent: "agent", input: "go" });
    const events = run.eventsWithCursor();
    const seen = [await soon(events.next())].map(({ value }) => value);
    await settle();
    // More were shown than are kept for one reader: it takes what is there, and finds nothing more in the journal yet.
    for (let item = events.takeNow(); item !== undefined; item = events.takeNow()) seen.push(item);
    const next = events.next();
    await settle();
    middle.open();
    seen.push((await soon(next, "what was missed")).value, ...(await soon(Array.fromAsync(events))));
    expect(seen.map((item) => item?.event.seq)).toEqual(Array.from({ length: 1_607 }, (_, index) => index + 1));
  });

  it("stop when the reader's signal is aborted", async () => {
    const { runtime } = await openRuntime({ script: [[{ text: "one" }, { stall: true }]] });
    const run = await runtime.start({ agent: "agent", input: "go" });
    const stop = new AbortController();
    const reading = Array.fromAsync(run.events({ signal: stop.signal }));
    await settle();
    stop.abort();
    expect(typesOf(await soon(reading))).toEqual(["run_start", "step_start", "text_delta"]);
  });

  it("of a queued run wait for its beginning", async () => {
    const { runtime } = await openRuntime({
      script: (request) => (request.messages.length === 1 ? [{ stall: true }] : "second"),
    });
    const first = await runtime.start({ agent: "agent", threadId: "t1", input: "one" });
    await settle();
    const second = await runtime.start({ agent: "agent", threadId: "t1", input: "two", whenBusy: "enqueue" });
    const reading = collect(second);
    await settle();
    await first.cancel();
    expect(typesOf(await reading)).toContain("run_finish");
  });
});
