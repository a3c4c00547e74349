import { join } from "node:path";
import { startProcess } from "../fleet/child-process.ts";
import { chooseSkew } from "../fleet/choose-skew.ts";
import { DEPLOY } from "../fleet/deploy.ts";
import { WorkerHandle } from "../fleet/worker-handle.ts";
import type { LedgerInstruction } from "../ledger/ledger-process.ts";
import type { SeededRandom } from "../random/seeded-random.ts";
import type { StoreAddress } from "../stores/store-address.ts";
import { Traffic } from "../witness/traffic.ts";
import { WitnessLog } from "../witness/witness-log.ts";
import { type ModelArrival, startScriptServer } from "../workload/model-server.ts";
import type { RoundOptions } from "./round-options.ts";

/** What a round plays on: a store, a ledger, workers, and clients that talk to them. */
export interface Stage {
  /** Aborted when the stage is closed. */
  readonly signal: AbortSignal;
  readonly folder: string;
  readonly options: RoundOptions;
  readonly address: StoreAddress;
  readonly workers: readonly WorkerHandle[];
  readonly log: WitnessLog;
  readonly traffic: Traffic;
  /** The requests that models got over HTTP. */
  readonly arrivals: readonly ModelArrival[];
  /** What went wrong with the processes themselves: part of what is checked. */
  readonly problems: string[];
  /** Ends every process of the stage. */
  close(): Promise<void>;
}

/** The file that ends the schedules of a round. */
export function schedulesOver(folder: string): string {
  return join(folder, "schedules-over");
}

export async function openStage(options: RoundOptions, folder: string, random: SeededRandom): Promise<Stage> {
  const { address, addressFor, close: closeStore } = await options.server.freshStore(folder);
  const ledger = join(folder, "ledger.sock");
  const ledgerProcess = startProcess({ script: "ledger/ledger-process.ts", log: join(folder, "ledger.log") });
  const instruction: LedgerInstruction = { socket: ledger, file: join(folder, "ledger.jsonl") };
  await ledgerProcess.tell(JSON.stringify(instruction));
  const models = options.trees || options.workflows ? await startScriptServer() : undefined;
  const { leaseMs, renewEveryMs, keepsInstanceId, plant } = options;
  const maxActiveRuns = Math.max(options.threads - 2, 2);
  const shared = {
    folder,
    isWarm: options.isWarm,
    ledger,
    leaseMs,
    renewEveryMs,
    maxActiveRuns,
    keepsInstanceId,
    ...(models !== undefined && { modelUrl: models.url }),
    ...(options.workflows && { schedulesOver: schedulesOver(folder) }),
  };
  const workers = Array.from({ length: options.workers }, (_, index) => {
    const worker = `worker-${index + 1}`;
    const skewOf = (incarnation: number): number =>
      chooseSkew(options.skewMs, random.branch(`skew/${worker}/${incarnation}`));
    const planted = plant === undefined ? {} : { plant };
    return new WorkerHandle({ ...shared, worker, store: addressFor(worker), skewOf, ...planted });
  });
  const log = new WitnessLog(join(folder, "witness.jsonl"));
  const traffic = new Traffic({
    workers,
    log,
    random: random.branch("traffic"),
    threads: options.threads,
    clients: options.clients,
    decidesEarly: (options.faults[DEPLOY] ?? 0) === 0,
    trees: options.trees,
    workflows: options.workflows,
  });
  const closed = new AbortController();
  let closing: Promise<void> | undefined;
  const end = async (): Promise<void> => {
    closed.abort();
    traffic.abort();
    await Promise.all(workers.map((worker) => worker.close()));
    ledgerProcess.signal("SIGKILL");
    log.close();
    await models?.close();
    await closeStore();
  };
  const close = (): Promise<void> => {
    closing ??= end();
    return closing;
  };
  options.signal?.addEventListener("abort", () => void close(), { once: true });
  try {
    options.signal?.throwIfAborted();
    await Promise.all(workers.map((worker) => worker.start()));
    traffic.begin();
  } catch (error) {
    await close();
    throw error;
  }
  const arrivals = models?.arrivals ?? [];
  return { signal: closed.signal, folder, options, address, workers, log, traffic, arrivals, problems: [], close };
}
