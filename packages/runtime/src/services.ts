import type { BlobStore, Env, Store } from "@reprise/contracts";
import type { BudgetBook } from "./budget/budget-book.ts";
import type { BeforeModelAttempt } from "./budget/run-gate.ts";
import type { TokenEstimator } from "./context/token-estimator.ts";
import type { LiveBus } from "./journal/live-bus.ts";
import type { Signals } from "./journal/signals.ts";
import type { StoppedRuns } from "./journal/stopped-runs.ts";
import type { AgentSource } from "./resolve/agents.ts";
import type { StoreTime } from "./store-time.ts";
import type { ThreadCache } from "./thread/thread-cache.ts";
import type { RunPools } from "./tools/pools/run-pools.ts";
import type { PoolSizes } from "./tools/pools/tool-pools.ts";
import type { OnToolError } from "./tools/report-tool-error.ts";

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
  /** Places for the tool calls of one root run and the agents below it. */
  readonly pools: PoolSizes;
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
  closeTimeoutMs: 10_000,
};

/** What the parts of one runtime share. */
export interface Services {
  readonly env: Env;
  readonly store: Store;
  /** The time of everything that is stored or compared with what is. */
  readonly time: Pick<StoreTime, "now" | "hear" | "ask">;
  readonly blobs: BlobStore;
  readonly agents: AgentSource;
  readonly pools: RunPools;
  readonly budgets: BudgetBook;
  /** The embedder's word before anything is sent to a model. */
  readonly beforeModelAttempt?: BeforeModelAttempt | undefined;
  /** Hears of every failure of a tool that the tool did not mean. */
  readonly onToolError?: OnToolError | undefined;
  readonly limits: Limits;
  readonly bus: LiveBus;
  readonly signals: Signals;
  readonly stopped: StoppedRuns;
  readonly threads: ThreadCache;
  /** Measures requests of agents with a context policy. */
  readonly tokens: TokenEstimator;
  /** Aborted when the runtime is closed: who waits for something then waits in vain. */
  readonly closed: AbortSignal;
  /** Names this process in claims. */
  readonly owner: string;
}
