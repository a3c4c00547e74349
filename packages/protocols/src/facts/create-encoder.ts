import type { AgentEvent } from "@reprise/contracts";
import { encodeSseFrame } from "../sse/sse-frame.ts";
import { encodeFactEvent, type Fact } from "./encode-fact.ts";
import { type FactState, INITIAL_FACT_STATE } from "./encoder-state.ts";

/** Writes the facts of one run as a response. */
export interface FactEncoder {
  /** The frames of an event, joined; empty when it is no fact. The cursor is the id of the last one. */
  encode(event: AgentEvent, cursor?: string): string;
  /** Takes an event in that the client already has. */
  skip(event: AgentEvent): void;
  /** Nothing: the last fact of a run says that it is over. */
  end(): string;
  readonly state: FactState;
}

export function createFactEncoder(state: FactState = INITIAL_FACT_STATE): FactEncoder {
  let current = state;
  return {
    encode(event, cursor) {
      const [next, facts] = encodeFactEvent(current, event);
      current = next;
      return frames(facts, cursor);
    },
    skip(event) {
      [current] = encodeFactEvent(current, event);
    },
    end: () => "",
    get state() {
      return current;
    },
  };
}

/** Only the last fact of an event has its cursor: a client that comes back in between gets all of them again. */
function frames(facts: readonly Fact[], cursor?: string): string {
  const last = facts.length - 1;
  return facts.map((fact, index) => encodeSseFrame(JSON.stringify(fact), index === last ? cursor : undefined)).join("");
}
