import type { AgentEvent, Changeset } from "@reprise/contracts";
import type { Json } from "@reprise/state";
import { sameJson } from "./same-json.ts";

/** The parts of a commit, in the order in which they are compared; `digest` covers all of them, `effect` what came before them. */
export type DivergentPart = "digest" | "effect" | "call" | "message" | "patch" | "event" | "run" | "commit";

/** Where two commits differ first. */
export interface Difference {
  readonly what: DivergentPart;
  readonly index: number;
  /** Null for what is not there. */
  readonly expected: Json;
  readonly actual: Json;
}

/** Where a replay parted from what was recorded. */
export interface Divergence extends Difference {
  readonly version: number;
}

export interface ComparisonOptions {
  /** Definitions of today are the question of a replay that asks them: then their hash is no answer. */
  readonly ignoresDefinition: boolean;
}

/**
 * The clock readings that are not compared: events are shown by the clock of the showing process. Every other time in a commit follows
 * from the recorded times of its effects.
 */
const CLOCK_READINGS: ReadonlySet<keyof AgentEvent> = new Set<keyof AgentEvent>(["timestamp_ms"]);

const NOTHING: ReadonlySet<string> = new Set();
const DEFINITION: ReadonlySet<string> = new Set(["definition"]);

/** Finds where a replayed commit differs from the recorded one. The effects are compared where they enter the loop. */
export function findDifference(
  expected: Changeset,
  actual: Changeset,
  { ignoresDefinition }: ComparisonOptions,
): Difference | undefined {
  return (
    findFirst("call", expected.calls, actual.calls, NOTHING) ??
    findFirst("message", expected.messages, actual.messages, NOTHING) ??
    findFirst("patch", expected.patches, actual.patches, NOTHING) ??
    findFirst("event", expected.events, actual.events, CLOCK_READINGS) ??
    findFirst("run", expected.runs, actual.runs, ignoresDefinition ? DEFINITION : NOTHING) ??
    findFirst("commit", [restOf(expected)], [restOf(actual)], NOTHING)
  );
}

function findFirst(
  what: DivergentPart,
  expected: readonly object[],
  actual: readonly object[],
  ignored: ReadonlySet<string>,
): Difference | undefined {
  const length = Math.max(expected.length, actual.length);
  for (let index = 0; index < length; index += 1) {
    if (index < expected.length && index < actual.length && sameJson(expected[index], actual[index], ignored)) continue;
    return { what, index, expected: plain(expected[index]), actual: plain(actual[index]) };
  }
  return undefined;
}

/** What commits hold is JSON, which their interfaces hide; keys without a value go. */
export function plain(value: object | undefined): Json {
  return value === undefined || value === null ? null : (JSON.parse(JSON.stringify(value)) as Json);
}

/** Blobs of long texts are the recording's own. */
function restOf(changeset: Changeset): object {
  const { calls: _calls, messages: _messages, patches: _patches, events: _events, runs: _runs, ...rest } = changeset;
  const { effects = [], ...more } = rest;
  const {
    version: _version,
    digest: _digest,
    ...content
  } = more as typeof more & { version?: number; digest?: string };
  const texts = new Set(effects.flatMap((effect) => (effect.texts ?? []).map(({ ref }) => ref)));
  return { ...content, blob_refs: content.blob_refs.filter((ref) => !texts.has(ref)) };
}
