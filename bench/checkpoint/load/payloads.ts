import type { RunScript } from "./record-run.ts";

/** The least that must be kept of each commit of a run: its messages, as JSON. No events, state, calls or run records. */
export function payloadsOf({ claiming, commits }: RunScript): readonly string[] {
  return [claiming.changeset, ...commits].map(({ messages }) => JSON.stringify(messages));
}
