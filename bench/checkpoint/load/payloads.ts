import type { AgentEvent, Changeset } from "../../../packages/contracts/src/index.ts";
import type { RunScript } from "./record-run.ts";

/** What minimal raw keeps of each commit of a run, as JSON. */
export interface Payloads {
  /** The least: the commit's messages. No events, state, calls or run records. */
  readonly messages: readonly string[];
  /** Its messages and its events. Pieces of a text are one event with their lengths, since the message has the text. */
  readonly withEvents: readonly string[];
}

export function payloadsOf({ claiming, commits }: RunScript): Payloads {
  const changesets: readonly Changeset[] = [claiming.changeset, ...commits];
  return {
    messages: changesets.map(({ messages }) => JSON.stringify(messages)),
    withEvents: changesets.map(({ messages, events }) => JSON.stringify({ messages, events: packDeltas(events) })),
  };
}

function packDeltas(events: readonly AgentEvent[]): readonly unknown[] {
  const packed: unknown[] = [];
  let lengths: number[] | undefined;
  for (const event of events) {
    if (event.type !== "text_delta") {
      lengths = undefined;
      packed.push(event);
    } else if (lengths === undefined) {
      lengths = [event.data.delta.length];
      packed.push({ ...event, data: { lengths } });
    } else {
      lengths.push(event.data.delta.length);
    }
  }
  return packed;
}
