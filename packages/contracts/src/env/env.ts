import type { Egress } from "./egress.ts";

/**
 * All impure operations. The runtime reads no clock, starts no timer and generates no random number without it, so that a run can
 * be simulated, replayed and tested without waiting. Authors of tools and plugins never see it.
 */
export interface Env {
  readonly clock: Clock;
  readonly ids: Ids;
  /** A number in [0, 1). */
  random(): number;
  /** SHA-256 of bytes or of UTF-8 text, as lower case hex. Synchronous: hashes are part of commits. */
  hash(content: string | Uint8Array): string;
  /** Yields to other work. */
  yield(): Promise<void>;
  readonly log: Log;
  /**
   * A named point at which tests may stop, delay or kill. Awaited only when it returns a promise; in production it does nothing.
   */
  point(name: string): Promise<void> | undefined;
  /** Absent where the event loop cannot be blocked, as in a simulation. */
  readonly watchdog?: Watchdog;
  /** Fetches foreign addresses. Without it no address is fetched. */
  readonly egress?: Egress;
}

/** A piece of a run's work: one effect, such as a tool call or a model turn. */
export interface Work {
  readonly run_id: string;
  readonly kind: string;
  /** The id of the step or call it belongs to. */
  readonly of: string;
}

/** Detects a blocked event loop and logs which run blocked it. Each run reports when its own code has run. */
export interface Watchdog {
  /** Marks the beginning of work; `end` marks its end. */
  begin(work: Work): void;
  /** Reports that code of this work has just run without yielding. */
  passed(work: Work): void;
  end(work: Work): void;
}

export interface Clock {
  /** Milliseconds since 1970; may jump. */
  now(): number;
  /** Milliseconds since some moment; never goes back. */
  mono(): number;
  /**
   * Resolves after a time; rejects when the signal is aborted. A background sleep does not keep the process alive; use it for
   * housekeeping.
   */
  sleep(ms: number, signal?: AbortSignal, options?: { readonly background?: boolean }): Promise<void>;
  /** Calls back once after a time, unless cancelled first. Cancelling is cheap, for time limits that are rarely reached. */
  after(ms: number, callback: () => void): () => void;
}

export interface Ids {
  /** A new UUIDv7, for ids made at admission. Ids made inside a run are derived from the run's id. */
  uuid(): string;
}

export type LogLevel = "debug" | "info" | "warn" | "error";

/** Structured log lines. No secrets, no message text. */
export type Log = (level: LogLevel, message: string, details?: Readonly<Record<string, unknown>>) => void;
