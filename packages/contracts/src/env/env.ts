import type { Egress } from "./egress.ts";

/**
 * Everything impure, in one place. The runtime reads no clock, starts no timer and makes no random number but through it, so
 * that a run can be simulated, replayed and tested without waiting. Authors of tools and plugins never see it.
 */
export interface Env {
  readonly clock: Clock;
  readonly ids: Ids;
  /** A number in [0, 1). */
  random(): number;
  /** SHA-256 of bytes or of UTF-8 text, as lower case hex. Synchronous: hashes are part of commits. */
  hash(content: string | Uint8Array): string;
  /** Lets other work go first. */
  yield(): Promise<void>;
  readonly log: Log;
  /**
   * A named moment at which tests may stop, delay or kill. Awaited only when it returns a promise; in production it does
   * nothing and returns nothing.
   */
  point(name: string): Promise<void> | undefined;
  /** Absent where nothing can block an event loop, as in a simulation. */
  readonly watchdog?: Watchdog;
  /** The way to addresses that others gave; without it, none is fetched. */
  readonly egress?: Egress;
}

/** A piece of a run's work: one question to the outside, such as a tool call or a model's turn. */
export interface Work {
  readonly run_id: string;
  readonly kind: string;
  /** The id of the step or call it belongs to. */
  readonly of: string;
}

/** Notices that the event loop stood still, and logs whose work it was. The run tells it when its own code has run. */
export interface Watchdog {
  /** Work begins; to be ended. */
  begin(work: Work): void;
  /** Code of this work has just run without giving way. */
  passed(work: Work): void;
  end(work: Work): void;
}

export interface Clock {
  /** Milliseconds since 1970; may jump. */
  now(): number;
  /** Milliseconds since some moment; never goes back. */
  mono(): number;
  /**
   * Resolves after a time; rejects when the signal is aborted. A background sleep does not keep the process alive: it is
   * for housekeeping nobody waits for.
   */
  sleep(ms: number, signal?: AbortSignal, options?: { readonly background?: boolean }): Promise<void>;
  /** Calls back once after a time, unless cancelled first. For time limits that mostly are not reached: cancelling is cheap. */
  after(ms: number, callback: () => void): () => void;
}

export interface Ids {
  /** A new UUIDv7, for what is made at admission. Ids made inside a run are derived from the run's id. */
  uuid(): string;
}

export type LogLevel = "debug" | "info" | "warn" | "error";

/** Structured log lines. No secrets, no message text. */
export type Log = (level: LogLevel, message: string, details?: Readonly<Record<string, unknown>>) => void;
