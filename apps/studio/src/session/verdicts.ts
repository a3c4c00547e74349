import { Observable } from "../api/observable.ts";
import { fieldsOf } from "../log/block.ts";
import type { Replay } from "../log/replay.ts";

/** What a verified run was found to be. The recording of a run that is over does not change by itself, so this stays true. */
export type Verdicts = ReadonlyMap<string, Exclude<Replay, "checking">>;

const KEY = "reprise.verdicts";
/** Of more runs, those that were verified first are forgotten. */
const KEPT = 500;

/** The runs that were verified in this browser. */
export const verdicts: Observable<Verdicts> = new Observable<Verdicts>(readStored());

export function rememberVerdict(runId: string, replay: Exclude<Replay, "checking">): void {
  const next = new Map(verdicts.value);
  next.delete(runId);
  next.set(runId, replay);
  const kept = new Map([...next].slice(-KEPT));
  verdicts.set(kept);
  try {
    localStorage.setItem(KEY, JSON.stringify([...kept].map(([id, verdict]) => [id, withoutValues(verdict)])));
  } catch {
    // The storage is full: verdicts live as long as the page.
  }
}

/** The values that differ may be as large as an event; where they differ is enough to find them again. */
function withoutValues(replay: Exclude<Replay, "checking">): Exclude<Replay, "checking"> {
  if (replay.equal) return replay;
  const { version, what, index, expected, actual } = replay.divergence;
  const { seq } = fieldsOf(expected ?? actual);
  const place = typeof seq === "number" ? { expected: { seq } } : {};
  return { equal: false, divergence: { version, what, index, ...place } };
}

function readStored(): Verdicts {
  try {
    const stored: unknown = JSON.parse(localStorage.getItem(KEY) ?? "[]");
    if (!Array.isArray(stored)) return new Map();
    return new Map(
      stored.flatMap((entry): readonly (readonly [string, Exclude<Replay, "checking">])[] => {
        if (!Array.isArray(entry) || typeof entry[0] !== "string") return [];
        const replay = readReplay(entry[1]);
        return replay === undefined ? [] : [[entry[0], replay]];
      }),
    );
  } catch {
    return new Map();
  }
}

function readReplay(value: unknown): Exclude<Replay, "checking"> | undefined {
  const { equal, events, divergence } = fieldsOf(value);
  if (equal === true && typeof events === "number") return { equal, events };
  const { version, what, index, expected } = fieldsOf(divergence);
  if (equal !== false || typeof version !== "number" || typeof what !== "string" || typeof index !== "number")
    return undefined;
  return { equal, divergence: { version, what, index, ...(expected !== undefined && { expected }) } };
}
