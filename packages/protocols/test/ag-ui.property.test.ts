import type { AgentEvent } from "@reprise/contracts";
import { type AgUiEvent, type AgUiState, encodeAgUiEvent, INITIAL_AG_UI_STATE } from "@reprise/protocols/ag-ui";
import fc from "fast-check";
import { expect, it } from "vitest";
import { readByClient } from "./support/ag-ui-clients.ts";
import { legalRun } from "./support/legal-run.ts";

const rolls = fc.array(fc.nat(1_000), { minLength: 10, maxLength: 300, size: "max" });

/** The events of each event, going on from a state. */
function encodeAll(events: readonly AgentEvent[], from: AgUiState = INITIAL_AG_UI_STATE) {
  let state = from;
  const told = events.map((event) => {
    const [next, shown] = encodeAgUiEvent(state, event);
    state = next;
    return shown;
  });
  return { told, state };
}

const framesOf = (events: readonly AgUiEvent[]): string =>
  events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join("");

it("is taken by the official client, whatever a run does", async () => {
  await fc.assert(
    fc.asyncProperty(rolls, async (numbers) => {
      const { told, state } = encodeAll(legalRun(numbers));
      await readByClient("1.0", framesOf(told.flat()));
      expect(state.phase).toBe("finished");
      expect(state.calls).toEqual({});
    }),
    { numRuns: 40 },
  );
});

it("says every word that was said, once and in order", () => {
  fc.assert(
    fc.property(rolls, (numbers) => {
      const events = legalRun(numbers);
      const told = encodeAll(events).told.flat();
      const wordsOf = (type: AgUiEvent["type"]): string =>
        told.map((event) => (event.type === type && "delta" in event ? event.delta : "")).join("");
      const said = events.map((event) => (event.type === "text_delta" ? event.data.delta : "")).join("");
      const thought = events.map((event) => (event.type === "reasoning_delta" ? event.data.delta : "")).join("");
      expect(wordsOf("TEXT_MESSAGE_CONTENT")).toBe(said);
      expect(wordsOf("REASONING_MESSAGE_CONTENT")).toBe(thought);
    }),
  );
});

it("continues from what was remembered, also when that was stored, as if it had not been left", () => {
  fc.assert(
    fc.property(rolls, fc.nat(200), (numbers, place) => {
      const events = legalRun(numbers);
      const at = place % events.length;
      const stored: AgUiState = JSON.parse(JSON.stringify(encodeAll(events.slice(0, at)).state));
      expect(encodeAll(events.slice(at), stored).told).toEqual(encodeAll(events).told.slice(at));
    }),
  );
});
