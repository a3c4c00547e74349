import type { History } from "../checker/history.ts";
import { readThreads } from "../checker/read-history.ts";
import { readLedger } from "../ledger/read-ledger.ts";
import { openStore } from "../stores/open-store.ts";
import { awaitRest } from "./await-rest.ts";
import type { Stage } from "./open-stage.ts";
import { replayStreams } from "./replay-streams.ts";
import { verifyRuns } from "./verify-runs.ts";

/** Waits until everything has come to rest, and gathers what is known. The store is opened anew, by nobody who was under test. */
export async function collectHistory(stage: Stage, ledgerFile: string): Promise<History> {
  const { server } = stage.options;
  await server.heal();
  const unfinished = await awaitRest(stage);
  const replays = unfinished.length > 0 ? [] : await replayStreams(stage);
  const verifications = stage.options.verifies ? await verifyRuns(stage) : [];
  await Promise.all(stage.workers.map((worker) => worker.close()));
  const ledger = readLedger(ledgerFile);
  const store = await openStore(stage.address);
  try {
    return {
      threads: await readThreads(store, stage.log.records),
      effects: ledger.filter((line) => line.kind === "effect"),
      models: ledger.filter((line) => line.kind === "model"),
      losses: ledger.filter((line) => line.kind === "loss"),
      claims: ledger.filter((line) => line.kind === "claim"),
      arrivals: stage.arrivals,
      witness: stage.log.records,
      replays,
      verifications,
      unfinished: [...unfinished, ...stage.problems],
    };
  } finally {
    await store.close();
  }
}
