import type { AgentEvent } from "@reprise/contracts";
import { type AiSdkState, encodeAiSdkEvent, INITIAL_STATE, type UiChunk } from "@reprise/protocols/ai-sdk";
import fc from "fast-check";
import { expect, it } from "vitest";
import { assertClientAccepts } from "./support/client-rules.ts";
import { legalRun } from "./support/legal-run.ts";

const rolls = fc.array(fc.nat(1_000), { minLength: 10, maxLength: 300, size: "max" });

/** Many runs, without a liking for small numbers: few get as far as a decision about a call of an earlier step. */
const MANY = { noBias: true, numRuns: Math.max(fc.readConfigureGlobal().numRuns ?? 100, 400) };

/** The chunks of each event, going on from a state. */
function encodeAll(events: readonly AgentEvent[], from: AiSdkState = INITIAL_STATE) {
  let state = from;
  const chunks = events.map((event) => {
    const [next, shown] = encodeAiSdkEvent(state, event);
    state = next;
    return shown;
  });
  return { chunks, state };
}

const deltasOf = (chunks: readonly UiChunk[], type: "text-delta" | "reasoning-delta"): string =>
  chunks.map((chunk) => (chunk.type === type && !chunk.id.includes("activity") ? chunk.delta : "")).join("");

it("is taken by clients, whatever a run does", () => {
  fc.assert(
    fc.property(rolls, (numbers) => {
      const { chunks, state } = encodeAll(legalRun(numbers));
      assertClientAccepts(chunks.flat());
      expect(state.phase).toBe("finished");
      expect(state.calls).toEqual({});
    }),
    MANY,
  );
});

it("says every word that was said, once and in order", () => {
  fc.assert(
    fc.property(rolls, (numbers) => {
      const events = legalRun(numbers);
      const chunks = encodeAll(events).chunks.flat();
      const said = events.map((event) => (event.type === "text_delta" ? event.data.delta : "")).join("");
      const thought = events.map((event) => (event.type === "reasoning_delta" ? event.data.delta : "")).join("");
      expect(deltasOf(chunks, "text-delta")).toBe(said);
      expect(deltasOf(chunks, "reasoning-delta")).toBe(thought);
    }),
  );
});

it("continues from what was remembered, also when that was stored, as if it had not been left", () => {
  fc.assert(
    fc.property(rolls, fc.nat(200), (numbers, place) => {
      const events = legalRun(numbers);
      const at = place % events.length;
      const stored: AiSdkState = JSON.parse(JSON.stringify(encodeAll(events.slice(0, at)).state));
      expect(encodeAll(events.slice(at), stored).chunks).toEqual(encodeAll(events).chunks.slice(at));
    }),
  );
});

it("ends where the stream is withdrawn, and says nothing more", () => {
  fc.assert(
    fc.property(rolls, fc.nat(200), (numbers, place) => {
      const events = legalRun(numbers);
      const at = 1 + (place % (events.length - 1));
      const reset: AgentEvent = {
        type: "stream_reset",
        run_id: "r",
        thread_id: "t",
        timestamp_ms: 0,
        data: { from_seq: 1 },
      };
      const { chunks, state } = encodeAll([...events.slice(0, at), reset, ...events]);
      expect(state.phase).toBe("withdrawn");
      expect(chunks.slice(at + 1).flat()).toEqual([]);
      const whole = encodeAll(events).chunks.slice(0, at).flat();
      expect(chunks.slice(0, at).flat()).toEqual(whole);
    }),
  );
});
