import type { AgentEvent, Message } from "@reprise/contracts";
import fc from "fast-check";
import { expect, it } from "vitest";
import { textsOf } from "./message-texts.ts";
import { openSegment, sealSegment } from "./segment-codec.ts";

const frame = { run_id: "run-1", thread_id: "thread-1", first_seq: 5 };
const envelope = { run_id: "run-1", thread_id: "thread-1" };

const text = fc.oneof(
  fc.string({ unit: "binary" }),
  fc.constantFrom("", "~", "~r", "~0", "~~x", "run-1", "run-1-s1", "\ud83d"),
);
const json = fc.jsonValue().map((value): unknown => JSON.parse(JSON.stringify(value)));
const step = fc.constantFrom({}, { step_id: "run-1-s1" }, { step_id: "" });
const time = fc.oneof(
  fc.integer({ min: 1_750_000_000_000, max: 1_750_000_100_000 }),
  fc.constantFrom(0, -5, 0.5, 2 ** 52),
);

/** Events as they are made, cut into pieces anyhow, and events that are odd. */
const event = fc.oneof(
  { weight: 4, arbitrary: fc.record({ type: fc.constantFrom("text_delta", "reasoning_delta"), delta: text }) },
  { weight: 2, arbitrary: fc.record({ type: fc.constant("tool_call_delta"), id: text, args_delta: text }) },
  { weight: 1, arbitrary: fc.record({ type: fc.constant("run_finish"), result: json, more: text }) },
  { weight: 1, arbitrary: fc.record({ type: fc.constant("text_delta"), delta: json, odd: json }) },
);

const events = fc
  .array(fc.tuple(event, step, time, fc.constantFrom({}, { thread_id: "other" }, { more: 1 })), { maxLength: 30 })
  .map((items) =>
    items.map(([{ type, ...data }, place, timestamp_ms, odd], index) => {
      return { type, ...envelope, seq: 5 + index, timestamp_ms, ...place, data, ...odd } as unknown as AgentEvent;
    }),
  );

/** Messages that say what some of the deltas said, or half of it, or something else. */
function messagesFor(all: readonly AgentEvent[], salt: number): readonly Message[] {
  const said = (type: string) =>
    all.flatMap((one) =>
      one.type === type && "delta" in (one.data ?? {}) ? [String((one.data as { delta?: unknown }).delta)] : [],
    );
  const spoken = said("text_delta").join("");
  return [
    { id: "m1", role: "assistant", content: salt % 3 === 0 ? spoken.slice(0, spoken.length / 2) : spoken },
    { id: "m2", role: "assistant", content: [{ type: "reasoning", text: said("reasoning_delta").join("") }] },
  ];
}

it("gives back exactly the events it was given, whatever the messages say", () => {
  fc.assert(
    fc.property(events, fc.nat(), (all, salt) => {
      const texts = textsOf(messagesFor(all, salt));
      const opened = openSegment(sealSegment(all, { ...frame, texts }), { ...frame, texts });
      expect(opened).toEqual(all);
    }),
  );
});

it("keeps only lengths and times of what the message says", () => {
  const said = "The quick brown fox jumps over the lazy dog. ".repeat(25);
  const pieces = said.match(/.{1,4}/gs) ?? [];
  const deltas = pieces.map((delta, index): AgentEvent => {
    const timestamp_ms = 1_750_000_000_000 + index * 12;
    return { type: "text_delta", ...envelope, seq: 5 + index, timestamp_ms, step_id: "run-1-s1", data: { delta } };
  });
  const texts = [said];
  const body = sealSegment(deltas, { ...frame, texts });
  expect(body.length).toBeLessThan(pieces.length * 2 + 60);
  const opened = openSegment(body, { ...frame, texts });
  expect(JSON.stringify(opened)).toBe(JSON.stringify(deltas));
});
