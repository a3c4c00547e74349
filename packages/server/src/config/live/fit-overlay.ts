import { type CheckedConfig, checkConfig } from "../check-config.ts";
import type { Config } from "../config.ts";
import { formatPath, isWithin } from "../config-path.ts";
import type { ConfigPorts } from "../config-ports.ts";
import { attempt, type ConfigProblem, problemAt } from "../config-problem.ts";
import { checkOverlay } from "./check-overlay.ts";
import { overlay, pathOf } from "./overlay.ts";
import type { StoredEntry } from "./stored-entries.ts";

/** An entry that is stored and does not fit, any more. */
export interface LeftOut {
  readonly entry: StoredEntry;
  readonly problems: readonly ConfigProblem[];
}

export interface FittedOverlay extends CheckedConfig {
  /** The entries that count. */
  readonly entries: readonly StoredEntry[];
  readonly leftOut: readonly LeftOut[];
}

/**
 * Lays as many of the stored entries over the file as fit together. What was valid when it was stored need not be when the file
 * has changed: that must not keep a server from starting. Throws only when the file is wrong by itself.
 */
export function fitOverlay(base: Config, stored: readonly StoredEntry[], ports: ConfigPorts): FittedOverlay {
  const leftOut: LeftOut[] = stored.flatMap((entry) => {
    const { kind, id, unreadable } = entry;
    return unreadable === undefined ? [] : [{ entry, problems: [problemAt([kind, id], ` ${unreadable}`)] }];
  });
  let entries = stored.filter(({ unreadable }) => unreadable === undefined);
  for (;;) {
    const whole = overlay(base, entries);
    const { result, problems } = attempt(() => checkOverlay(base, whole, ports));
    if (result !== undefined) return { ...result, entries, leftOut };
    const guilty = entries.flatMap((entry) => {
      const own = problems.filter(({ path }) => isWithin(path, formatPath(pathOf(whole, entry))));
      return own.length === 0 ? [] : [{ entry, problems: own }];
    });
    // Each change is valid by itself: their combinations have to be tried.
    if (guilty.length === 0) return fitOneByOne(base, entries, ports, leftOut);
    leftOut.push(...guilty);
    entries = entries.filter((entry) => !guilty.some((other) => other.entry === entry));
  }
}

function fitOneByOne(
  base: Config,
  entries: readonly StoredEntry[],
  ports: ConfigPorts,
  leftOut: readonly LeftOut[],
): FittedOverlay {
  let fitted = checkConfig(base, ports);
  let kept: readonly StoredEntry[] = [];
  const refused: LeftOut[] = [];
  for (const entry of entries) {
    const { result, problems } = attempt(() => checkOverlay(base, overlay(base, [...kept, entry]), ports));
    if (result === undefined) refused.push({ entry, problems });
    else [fitted, kept] = [result, [...kept, entry]];
  }
  return { ...fitted, entries: kept, leftOut: [...leftOut, ...refused] };
}
