import type { AgentEvent } from "@reprise/contracts";
import fc from "fast-check";
import { expect, it } from "vitest";
import { encodeFrame } from "./encode-frame.ts";
import { PlainFrames } from "./plain-frames.ts";

const text = fc.string({ unit: "binary" });
const events = fc.array(
  fc.record({
    type: fc.constantFrom("text_delta", "reasoning_delta"),
    step: fc.constantFrom("s1", 's"2', undefined),
    delta: text,
  }),
);

it("writes every event as it would be written alone", () => {
  fc.assert(
    fc.property(events, text, (list, runId) => {
      const frames = new PlainFrames();
      for (const [index, { type, step, delta }] of list.entries()) {
        const envelope = {
          type,
          run_id: runId,
          thread_id: "t\n1",
          seq: index + 1,
          timestamp_ms: 1_750_000_000_000 + index,
        };
        // Of the two types with one text each; the compiler does not follow the choice.
        const event = { ...envelope, ...(step !== undefined && { step_id: step }), data: { delta } } as AgentEvent;
        const item = { event, cursor: `${index}` };
        expect(frames.encode(item)).toBe(encodeFrame(item));
      }
    }),
  );
});
