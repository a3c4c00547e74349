import type { AgentEvent, Changeset, EventData } from "@reprise/contracts";
import type { Json, TrackedPatch } from "@reprise/state";
import { canonicalJson } from "../tools/binding-hash.ts";

/** The parts of a commit, in the order in which they are compared. */
export type DivergentPart = "call" | "message" | "patch" | "event" | "run" | "commit";

/** Where two commits differ first. */
export interface Difference {
  readonly what: DivergentPart;
  readonly index: number;
  /** Null for what is not there. */
  readonly expected: Json;
  readonly actual: Json;
}

export interface ComparisonOptions {
  /** Definitions of today are the question of a replay that asks them: then their hash is no answer. */
  readonly ignoresDefinition: boolean;
}

type Parts = readonly [DivergentPart, readonly string[]][];

/** A commit as texts that can be compared and hashed: everything but `timestamp_ms` and what the replay is made from. */
export class CommitTexts {
  readonly #parts: Parts;

  constructor(changeset: Changeset, { ignoresDefinition }: ComparisonOptions) {
    const { calls, messages, patches, events, runs, changeset_id, thread_id, run_id, reasons, supersedes } = changeset;
    const { actions, consumed_decisions, mailbox_effects, blob_refs, wakes = [] } = changeset;
    const rows = ignoresDefinition ? runs.map(({ definition: _, ...row }) => row) : runs;
    const rest = { changeset_id, thread_id, run_id, reasons, supersedes, actions };
    const effects = { consumed_decisions, mailbox_effects, blob_refs, wakes };
    this.#parts = [
      ["call", calls.map(textOf)],
      ["message", messages.map(textOf)],
      ["patch", patches.map((patch) => textOf(timeless(patch)))],
      ["event", events.map((event) => textOf(timelessEvent(event)))],
      ["run", rows.map(textOf)],
      ["commit", [textOf({ ...rest, ...effects })]],
    ];
  }

  /** All of it as one text. */
  get whole(): string {
    return this.#parts.map(([, texts]) => texts.join("\n")).join("\n\n");
  }

  /** The first place at which a replayed commit differs from this recorded one. */
  findDifference(actual: CommitTexts): Difference | undefined {
    for (const [part, [what, expected]] of this.#parts.entries()) {
      const other = actual.#parts[part]?.[1] ?? [];
      const index = expected.length < other.length ? other.findIndex(differs(expected)) : expected.findIndex(differs(other));
      if (index >= 0) return { what, index, expected: read(expected[index]), actual: read(other[index]) };
    }
    return undefined;
  }
}

function differs(others: readonly string[]): (text: string, index: number) => boolean {
  return (text, index) => text !== others[index];
}

function read(text: string | undefined): Json {
  // Written by `textOf`.
  return text === undefined ? null : (JSON.parse(text) as Json);
}

/** Stored values are JSON, which their interfaces hide; keys without a value are not stored. */
function textOf(value: object): string {
  return canonicalJson(withoutUndefined(value as Json));
}

function withoutUndefined(value: Json): Json {
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.some(hasUndefined) ? value.map(withoutUndefined) : value;
  if (!hasUndefined(value)) return value;
  const entries = Object.entries(value).filter(([, item]) => item !== undefined);
  return Object.fromEntries(entries.map(([key, item]) => [key, withoutUndefined(item)]));
}

function hasUndefined(value: Json): boolean {
  if (typeof value !== "object" || value === null) return false;
  for (const item of Object.values(value)) if (item === undefined || hasUndefined(item)) return true;
  return false;
}

function timeless({ timestamp_ms: _, ...patch }: TrackedPatch): object {
  return patch;
}

function timelessEvent({ timestamp_ms: _, ...event }: AgentEvent): object {
  if (event.type !== "tool_call_done") return event;
  // Of this type, as was just looked at; taking the time out made the compiler forget it.
  const { patch, ...data } = event.data as EventData["tool_call_done"];
  return patch === undefined ? event : { ...event, data: { ...data, patch: timeless(patch) } };
}
