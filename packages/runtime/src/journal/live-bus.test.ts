import type { AgentEvent, LiveEvent, RunRecord } from "@reprise/contracts";
import { expect, it } from "vitest";
import { LiveBus } from "./live-bus.ts";

function live(seq: number, type: "text_delta" | "run_finish" = "text_delta"): LiveEvent {
  const data = type === "run_finish" ? { termination: { type: "natural_end" } } : { delta: String(seq) };
  // Only the fields that the bus looks at.
  return {
    epoch: 1,
    event: { type, run_id: "r", thread_id: "t", seq, timestamp_ms: 0, data } as unknown as AgentEvent,
  };
}

/** The numbers that a reader who comes now hears at once, and whether it needs the journal. */
function readFrom(bus: LiveBus, afterSeq: number): { readonly seqs: readonly unknown[]; readonly isWhole: boolean } {
  const seqs: unknown[] = [];
  const { isWhole, stop } = bus.listen("t", "r", afterSeq, ({ event }) => seqs.push(event.seq));
  stop();
  return { seqs, isWhole };
}

it("gives a reader everything since the run began, committed or not, without the journal", () => {
  const bus = new LiveBus();
  bus.start("t", "r", [live(1)]);
  const channel = bus.open("t", "r");
  channel.show(live(2));
  channel.keepTail();
  channel.show(live(3));
  expect(readFrom(bus, 0)).toEqual({ seqs: [1, 2, 3], isWhole: true });
  expect(readFrom(bus, 2)).toEqual({ seqs: [3], isWhole: true });
});

it("sends a reader to the journal for events from before the activation", () => {
  const bus = new LiveBus();
  bus.open("t", "r").show(live(8));
  expect(readFrom(bus, 3)).toEqual({ seqs: [8], isWhole: false });
  expect(readFrom(bus, 7).isWhole).toBe(true);
});

it("sends a reader to the journal once so many events were committed that the first are forgotten", () => {
  const bus = new LiveBus();
  const channel = bus.open("t", "r");
  for (let seq = 1; seq <= 2_500; seq += 1) channel.publish(live(seq));
  expect(readFrom(bus, 0).isWhole).toBe(false);
  expect(readFrom(bus, 2_400)).toMatchObject({ isWhole: true });
});

it("releases waiters when the claim is lost, also while the owner has not stopped", async () => {
  const bus = new LiveBus();
  const channel = bus.open("t", "r");
  const left = bus.whenLeft("t", "r");
  expect(bus.isOwned("t", "r")).toBe(true);
  bus.disown("t", "r");
  await left;
  expect(bus.isOwned("t", "r")).toBe(false);
  expect(readFrom(bus, 0).isWhole).toBe(false);
  channel.close();
});

it("remembers how the last runs ended, and no more than it may", () => {
  const bus = new LiveBus();
  for (let index = 0; index < 300; index += 1) {
    const channel = bus.open("t", `r${index}`);
    channel.publish(live(1, "run_finish"));
    // Only that it is handed on.
    channel.end({ run_id: `r${index}` } as RunRecord);
    channel.close();
  }
  expect(bus.ending("t", "r0")).toBeUndefined();
  expect(bus.ending("t", "r299")).toMatchObject({ run: { run_id: "r299" }, finish: { type: "run_finish" } });
});

it("tells every listener of an event, also when one of them leaves because of it", () => {
  const bus = new LiveBus();
  const channel = bus.open("t", "r");
  const heard: string[] = [];
  const listen = (name: string): void => {
    const { stop } = bus.listen("t", "r", 0, ({ event }) => {
      heard.push(name);
      if (event.type === "run_finish") stop();
    });
  };
  for (const name of ["first", "second", "third"]) listen(name);
  channel.publish(live(1, "run_finish"));
  expect(heard).toEqual(["first", "second", "third"]);
});
