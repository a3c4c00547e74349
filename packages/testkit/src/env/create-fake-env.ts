import { createHash } from "node:crypto";
import type { Env, LogLevel } from "@reprise/contracts";
import { FakeClock, settle } from "./fake-clock.ts";
import { FakeFaults } from "./fake-faults.ts";
import { createSeededRandom, createSeededUuids } from "./seeded-random.ts";

export interface FakeEnvOptions {
  /** The same seed gives the same ids and random numbers. */
  readonly seed?: number;
  /** What the clock shows at the start, in milliseconds since 1970. */
  readonly now?: number;
}

/** A line that would have been logged. */
export interface LogLine {
  readonly level: LogLevel;
  readonly message: string;
  readonly details?: Readonly<Record<string, unknown>>;
}

/** An `Env` in the hands of a test: time moves when told, chance is chosen, logs are kept. */
export interface FakeEnv extends Env {
  readonly clock: FakeClock;
  readonly faults: FakeFaults;
  readonly lines: readonly LogLine[];
  /** Moves the clock and wakes who slept until then. */
  advance(ms: number): Promise<void>;
}

export function createFakeEnv({ seed = 1, now }: FakeEnvOptions = {}): FakeEnv {
  const clock = new FakeClock(now);
  const faults = new FakeFaults();
  const lines: LogLine[] = [];
  return {
    clock,
    faults,
    lines,
    ids: { uuid: createSeededUuids(clock.now, createSeededRandom(seed)) },
    random: createSeededRandom(seed + 1),
    hash: (content) => createHash("sha256").update(content).digest("hex"),
    yield: settle,
    log: (level, message, details) => {
      lines.push({ level, message, ...(details === undefined ? {} : { details }) });
    },
    point: faults.pass,
    advance: (ms) => clock.advance(ms),
  };
}
