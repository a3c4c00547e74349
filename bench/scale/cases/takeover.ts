import { setTimeout as pause } from "node:timers/promises";
import type { Limits } from "../../../packages/reprise/src/advanced.ts";
import type { Effort } from "../effort.ts";
import type { Places } from "../places.ts";
import { summarize, type Times } from "../statistics.ts";
import { WorkerProcess } from "../worker-process.ts";

/** How long after the kill of its process a run is at work again. */
export interface TakeoverReport {
  readonly store: string;
  readonly how: string;
  readonly kills: number;
  /** Until the first event of the new activation. */
  readonly toEvent: Times;
  /** Until the tool call that was interrupted executes again. */
  readonly toExecution: Times;
}

interface Scenario {
  readonly store: "Postgres" | "SQLite";
  readonly how: string;
  readonly lease?: Pick<Limits, "leaseMs" | "renewEveryMs" | "pollMs">;
  /** The successor has the name of the process that was killed, and starts when it is gone. */
  readonly isRestart?: true;
}

const RESTART = "the same `instanceId` started again at once; Node's start included";

const SCENARIOS: readonly Scenario[] = [
  { store: "Postgres", how: "another process; lease 12 s, renewed every 3 s, polled every 1 s (defaults)" },
  {
    store: "Postgres",
    how: "another process; lease 3 s, renewed every 0.75 s, polled every 0.25 s",
    lease: { leaseMs: 3_000, renewEveryMs: 750, pollMs: 250 },
  },
  { store: "Postgres", how: RESTART, isRestart: true },
  { store: "SQLite", how: RESTART, isRestart: true },
];

const CONCURRENCY = 20;
/** A lease is renewed at its own rhythm; the kills fall on different parts of it. */
const LONGEST_PAUSE_MS = 3_000;

export async function measureTakeover(places: Places, effort: Effort): Promise<readonly TakeoverReport[]> {
  const reports: TakeoverReport[] = [];
  for (const scenario of SCENARIOS) {
    const killed: Takeover[] = [];
    for (let kill = 0; kill < effort.kills; kill += 1) {
      const waitMs = (LONGEST_PAUSE_MS * (kill + 1)) / (effort.kills + 1);
      killed.push(...(await killOnce(places, scenario, { runs: effort.killedRuns, waitMs })));
    }
    reports.push({
      store: scenario.store,
      how: scenario.how,
      kills: effort.kills,
      toEvent: summarize(killed.map(({ toEventMs }) => toEventMs)),
      toExecution: summarize(killed.map(({ toExecutionMs }) => toExecutionMs)),
    });
  }
  return reports;
}

interface Takeover {
  readonly toEventMs: number;
  readonly toExecutionMs: number;
}

async function killOnce(
  places: Places,
  { store, lease, isRestart }: Scenario,
  { runs, waitMs }: { readonly runs: number; readonly waitMs: number },
): Promise<readonly Takeover[]> {
  const place = places[store]();
  const name = isRestart === true ? { instanceId: "worker-1" } : {};
  const victim = await WorkerProcess.start();
  await victim.ask("open", {
    place,
    options: { holdsCalls: true, limits: { ...lease, maxActiveRuns: runs }, ...name },
  });
  const startSuccessor = async (): Promise<WorkerProcess> => {
    const worker = await WorkerProcess.start();
    await worker.ask("open", { place, options: { limits: { ...lease }, ...name } });
    return worker;
  };
  const standby = isRestart === true ? undefined : await startSuccessor();
  const started = await victim.ask("startLong", { count: runs, concurrency: CONCURRENCY });
  await pause(waitMs);
  const killedAt = performance.timeOrigin + performance.now();
  await victim.kill();
  const successor = standby ?? (await startSuccessor());
  const taken = await successor.ask("awaitTakeover", { runs: started });
  await successor.stop();
  return taken.map(({ firstEventAt, executedAt }) => ({
    toEventMs: firstEventAt - killedAt,
    toExecutionMs: executedAt - killedAt,
  }));
}
