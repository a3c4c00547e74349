import type { BlobStore, Env, Observe, Store } from "@reprise/contracts";
import type { BudgetBook } from "../budget/budget-book.ts";
import type { BeforeModelAttempt } from "../budget/run-gate.ts";
import type { TokenEstimator } from "../context/token-estimator.ts";
import type { LiveBus } from "../journal/live-bus.ts";
import type { Signals } from "../journal/signals.ts";
import type { StoppedRuns } from "../journal/stopped-runs.ts";
import type { PluginInferences } from "../phases/infer-for-plugin.ts";
import type { AgentSource } from "../resolve/agents.ts";
import type { Limits } from "../run/limits.ts";
import type { Delegation } from "../run/ports.ts";
import type { RecordedWorld } from "../run/recorded-world.ts";
import type { StoreTime } from "../thread/store-time.ts";
import type { ThreadCache } from "../thread/thread-cache.ts";
import type { RunPools } from "../tools/pools/run-pools.ts";
import type { OnToolError } from "../tools/report-tool-error.ts";

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
  /** Stands in for models and tools, in an evaluation. */
  readonly recordedWorld?: RecordedWorld | undefined;
  /** Watch every run of this process. */
  readonly observers: Set<Observe>;
  readonly limits: Limits;
  /** What plugins asked of models, until a run counts it. */
  readonly inferences: PluginInferences;
  readonly delegation: Delegation;
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
