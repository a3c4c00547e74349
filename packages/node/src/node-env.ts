import { createHash } from "node:crypto";
import { setImmediate as nextTurn, setTimeout as sleep } from "node:timers/promises";
import type { Env, Log } from "@reprise/contracts";
import { v7 } from "uuid";

export interface NodeEnvOptions {
  /** Where log lines go; warnings and errors to standard error unless said otherwise. */
  readonly log?: Log;
}

/** The real world: Node's clock, timers, randomness and hashes. */
export function createNodeEnv({ log = logToStandardError }: NodeEnvOptions = {}): Env {
  return {
    clock: {
      now: () => Date.now(),
      mono: () => performance.now(),
      sleep: (ms, signal, { background = false } = {}) =>
        sleep(ms, undefined, { ref: !background, ...(signal !== undefined && { signal }) }),
      after: (ms, callback) => {
        const timer = setTimeout(callback, ms);
        return () => clearTimeout(timer);
      },
    },
    ids: { uuid: () => v7() },
    random: () => Math.random(),
    hash: (text) => createHash("sha256").update(text).digest("hex"),
    yield: () => nextTurn(),
    log,
    point: () => undefined,
  };
}

const logToStandardError: Log = (level, message, details = {}) => {
  if (level === "warn" || level === "error") console.error(JSON.stringify({ level, message, ...details }));
};
