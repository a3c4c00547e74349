import { fieldsOf } from "./block.ts";

/** The answer of a replay, or that it is under way. */
export type Replay =
  | "checking"
  | { readonly equal: true; readonly events: number }
  | {
      readonly equal: false;
      readonly divergence: {
        readonly version: number;
        readonly what: string;
        readonly index: number;
        readonly expected?: unknown;
        readonly actual?: unknown;
      };
    };

export interface Verdict {
  readonly isEqual: boolean;
  readonly text: string;
  /** The first event that differs. */
  readonly seq?: number;
  readonly version?: number;
  readonly what?: string;
  readonly expected?: unknown;
  readonly actual?: unknown;
}

/** A replay in words: `Verified`, or where it differs first. */
export function describeReplay(replay: Replay | undefined): Verdict | undefined {
  if (replay === undefined || replay === "checking") return undefined;
  if (replay.equal) return { isEqual: true, text: `Verified · ${replay.events} events` };
  const { version, what, expected, actual } = replay.divergence;
  const { seq } = fieldsOf(expected ?? actual);
  const place = typeof seq === "number" ? `event ${seq}` : `version ${version}`;
  return {
    isEqual: false,
    text: `Diverged at ${place}`,
    version,
    what,
    expected,
    actual,
    ...(typeof seq === "number" && { seq }),
  };
}
