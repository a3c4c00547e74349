import type { AgentEvent, EventType, RunRecord } from "@reprise/contracts";
import type { Json, TrackedPatch } from "@reprise/state";
import { NOTE } from "./notes.ts";
import type { CommittedChangeset } from "./read-changesets.ts";

/** Events that are held back until their commit; all others are shown at once, and stand before these in a changeset. */
const HELD: ReadonlySet<EventType> = new Set<EventType>([
  "inference_complete",
  "step_end",
  "tool_call_done",
  "tool_call_resumed",
  "tool_call_cancelled",
  "state_delta",
  "run_finish",
  "error",
  "definition_changed",
]);

/** Whether an event says that a question ran out. */
export function isExpiry(event: AgentEvent): event is Extract<AgentEvent, { type: "tool_call_cancelled" }> {
  return event.type === "tool_call_cancelled" && event.data.reason === "expired";
}

/** A recorded commit that a replay has not come to yet, with what was noted for it. */
export class ExpectedCommit {
  readonly changeset: CommittedChangeset;
  readonly shown: readonly AgentEvent[];
  readonly held: readonly AgentEvent[];
  /** The first of those held back that follows from a decision, or from there being none in time; -1 when none does. */
  readonly firstDecided: number;
  readonly #notes = new Map<string, Json[]>();
  readonly #times: readonly number[];
  #time = 0;
  #readings = 0;
  readonly #patches: TrackedPatch[];

  constructor(changeset: CommittedChangeset, runId: string) {
    this.changeset = changeset;
    const events = changeset.events.filter(({ run_id }) => run_id === runId);
    const firstHeld = events.findIndex(({ type }) => HELD.has(type));
    this.shown = firstHeld < 0 ? events : events.slice(0, firstHeld);
    this.held = firstHeld < 0 ? [] : events.slice(firstHeld);
    this.firstDecided = findDecided(changeset, this.held);
    for (const { place, name, value } of changeset.recordings ?? []) {
      const key = keyOf(place, name);
      const known = this.#notes.get(key);
      if (known === undefined) this.#notes.set(key, [value]);
      else known.push(value);
    }
    const times = this.peek(NOTE.clock, "now");
    // Noted as numbers by the live witness.
    this.#times = Array.isArray(times) ? (times as readonly number[]) : [committedAt(changeset, runId), Infinity];
    this.#patches = [...changeset.patches];
  }

  /** The next time that was read. */
  now(): number {
    if (this.#readings >= (this.#times[this.#time + 1] ?? Infinity) && this.#time + 2 < this.#times.length) {
      this.#time += 2;
      this.#readings = 0;
    }
    this.#readings += 1;
    return this.#times[this.#time] ?? 0;
  }

  /** What was noted at a place, without using it up. */
  peek(place: string, name: string): Json | undefined {
    return this.#notes.get(keyOf(place, name))?.[0];
  }

  /** What was noted at a place; the next one when there are several. */
  take(place: string, name: string): Json | undefined {
    return this.#notes.get(keyOf(place, name))?.shift();
  }

  /** Whether a commit was tried before this one, and refused, that was not tried again yet. */
  get hasRefusal(): boolean {
    const prefix = keyOf(NOTE.commit, "");
    return [...this.#notes].some(([key, values]) => key.startsWith(prefix) && values.length > 0);
  }

  /** The next patch that fits and is not used up. */
  takePatch(fits: (patch: TrackedPatch) => boolean): TrackedPatch | undefined {
    const index = this.#patches.findIndex(fits);
    return index < 0 ? undefined : this.#patches.splice(index, 1)[0];
  }
}

function findDecided({ consumed_decisions }: CommittedChangeset, held: readonly AgentEvent[]): number {
  const first = held.findIndex((event) => event.type === "tool_call_resumed" || isExpiry(event));
  if (first >= 0 || consumed_decisions.length === 0) return first;
  // A decision about something else only has its call asked about again.
  const decided = new Set(consumed_decisions.map(({ call_id }) => call_id));
  return held.findIndex((event) => event.type === "tool_call_done" && decided.has(event.data.id));
}

function keyOf(place: string, name: string): string {
  return `${place}\u0000${name}`;
}

function committedAt({ runs }: CommittedChangeset, runId: string): number {
  return runs.find(({ run_id }: RunRecord) => run_id === runId)?.updated_at ?? 0;
}
