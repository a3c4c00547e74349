import { createHash, randomFillSync } from "node:crypto";
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
    ids: { uuid: () => v7({ random: nextRandomBytes() }) },
    random: () => Math.random(),
    hash: (content) => createHash("sha256").update(content).digest("hex"),
    yield: () => nextTurn(),
    log,
    point: () => undefined,
  };
}

const logToStandardError: Log = (level, message, details = {}) => {
  if (level === "warn" || level === "error") console.error(JSON.stringify({ level, message, ...details }));
};

const UUID_BYTES = 16;
const pool = new Uint8Array(256 * UUID_BYTES);
let used = pool.length;

/** Random bytes for one id, out of a pool: asking the system for each would cost three times as much as the id itself. */
function nextRandomBytes(): Uint8Array {
  if (used === pool.length) {
    randomFillSync(pool);
    used = 0;
  }
  used += UUID_BYTES;
  return pool.subarray(used - UUID_BYTES, used);
}
