import { RepriseError } from "@reprise/contracts";

/** How many calls of each class run at once in one tree of agents. */
export interface PoolSizes {
  readonly read: number;
  readonly serial: number;
  /** Per level of the tree. */
  readonly concurrent: number;
}

/** How far agents may have other agents work for them. */
export interface DelegationLimits {
  /** How many runs may start each other, one below the other; null for no limit. */
  readonly depth: number | null;
  /** How many runs the tool calls of one run may start. */
  readonly children: number;
  /** How many runs one tree may have in all, without the run at its top. */
  readonly tree: number;
}

/** Times and sizes. Every one has a default; see `DEFAULT_LIMITS`. */
export interface Limits {
  /** Runs this process works on at once. */
  readonly maxActiveRuns: number;
  readonly leaseMs: number;
  readonly renewEveryMs: number;
  /** How often to look for work when no signal came. */
  readonly pollMs: number;
  /** How long a run is left alone after the store was full. */
  readonly storageFullPauseMs: number;
  /** How often who waits for a run looks again, in case a signal got lost. */
  readonly recheckMs: number;
  /** A model that says nothing for this long has stalled; null to wait for ever. */
  readonly modelIdleTimeoutMs: number | null;
  readonly streamRetries: number;
  readonly truncationRetries: number;
  /** Larger tool outputs become a preview and a blob. */
  readonly maxOutputBytes: number;
  /** How many bytes of blobs a tenant may have: uploads, files that models made, large outputs. What recordings hold is not limited. */
  readonly tenantBlobBytes: number;
  /** Threads kept in memory between turns. */
  readonly cachedThreads: number;
  /** And as much of their messages, in characters, whichever comes first. */
  readonly cachedCharacters: number;
  /** How long a plugin's hook may take. */
  readonly hookTimeoutMs: number;
  /** Slots for the tool calls of one root run and the agents below it. */
  readonly pools: PoolSizes;
  readonly delegation: DelegationLimits;
  /** How long `close` waits for runs to come to a commit before it leaves them to others. */
  readonly closeTimeoutMs: number;
}

export const DEFAULT_LIMITS: Limits = {
  maxActiveRuns: 100,
  leaseMs: 12_000,
  renewEveryMs: 3_000,
  pollMs: 1_000,
  storageFullPauseMs: 15_000,
  recheckMs: 5_000,
  modelIdleTimeoutMs: 120_000,
  streamRetries: 2,
  truncationRetries: 3,
  maxOutputBytes: 256 * 1024,
  tenantBlobBytes: 10 * 1024 ** 3,
  cachedThreads: 1_000,
  cachedCharacters: 32_000_000,
  hookTimeoutMs: 30_000,
  pools: { read: 20, serial: 1, concurrent: 10 },
  delegation: { depth: 5, children: 20, tree: 100 },
  closeTimeoutMs: 10_000,
};

/** Refuses limits nothing could run under, before anything does. */
export function assertLimits(limits: Limits): void {
  const { maxActiveRuns, leaseMs, renewEveryMs, pools } = limits;
  // None at all is a process that takes no work: it may still read, enqueue and decide.
  assertCount("limits.maxActiveRuns", maxActiveRuns, 0);
  for (const [pool, slots] of Object.entries(pools)) assertCount(`limits.pools.${pool}`, slots, 1);
  for (const [what, most] of Object.entries(limits.delegation))
    if (most !== null) assertCount(`limits.delegation.${what}`, most, 0);
  // A claim is given up one renewal before it runs out: there must be time for one before that.
  if (!(renewEveryMs > 0) || !(leaseMs > 2 * renewEveryMs)) {
    throw invalid(`limits.leaseMs (${leaseMs}) must be more than twice limits.renewEveryMs (${renewEveryMs}).`);
  }
}

function assertCount(name: string, count: number, least: number): void {
  if (Number.isSafeInteger(count) && count >= least) return;
  throw invalid(`${name} must be a whole number from ${least} (got ${count}).`);
}

function invalid(message: string): RepriseError {
  return new RepriseError("INVALID_DEFINITION", message);
}
