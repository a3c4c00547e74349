import { createHash, randomUUID } from "node:crypto";
import { setImmediate as nextTurn, setTimeout as sleep } from "node:timers/promises";
import type { Env, Log } from "@reprise/contracts";
import { createEgress } from "./egress/create-egress.ts";
import { LoopWatchdog } from "./loop-watchdog.ts";

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
    ids: { uuid: timedUuid },
    random: () => Math.random(),
    hash: (content) => createHash("sha256").update(content).digest("hex"),
    yield: () => nextTurn(),
    log,
    point: () => undefined,
    watchdog: new LoopWatchdog(log),
    egress: createEgress(),
  };
}

const logToStandardError: Log = (level, message, details = {}) => {
  if (level === "warn" || level === "error") console.error(JSON.stringify({ level, message, ...details }));
};

/** A UUID of version 7: the time comes first, so that ids sort by when they were made; the rest is that of a random one. */
function timedUuid(): string {
  const time = Date.now().toString(16).padStart(12, "0");
  return `${time.slice(0, 8)}-${time.slice(8)}-7${randomUUID().slice(15)}`;
}
