import type { EventType } from "@reprise/contracts";
import { DEPLOY, deployLast, deployNext } from "../fleet/deploy.ts";
import type { WorkerHandle } from "../fleet/worker-handle.ts";
import type { SeededRandom } from "../random/seeded-random.ts";
import type { Stage } from "../round/open-stage.ts";
import type { RoundOptions } from "../round/round-options.ts";
import { UsageError } from "../session/usage-error.ts";
import { pauseFor } from "../workload/pause-for.ts";

/** The longest time between a sign of life and the next fault. */
const LONGEST_PAUSE_MS = 700;
/** How long to wait for a sign of life. */
const SIGN_WITHIN_MS = 5_000;
/** How many faults wait for one: the others fall into whatever recovery is under way. */
const WAITING_SHARE = 0.8;

/** What clients see when something was done. */
const SIGNS: readonly EventType[] = ["tool_call_done", "node_end"];

/** How many faults of each kind a round has: those of workers, and those of its store. */
export type FaultPlan = Readonly<Record<string, number>>;

const WORKER_FAULTS: readonly string[] = ["kill", "retire", "hold", "freeze", DEPLOY];

/** Refuses a round with a fault that cannot be played on its store. */
export function assertFaults({ faults: plan, server, skewMs, keepsInstanceId }: RoundOptions): void {
  const { name, faults, hasOwnClock } = server;
  const known = [...WORKER_FAULTS, ...Object.keys(faults)];
  const unknown = Object.keys(plan).find((fault) => !known.includes(fault));
  if (unknown !== undefined) throw new UsageError(`There is no fault "${unknown}" on ${name}: ${known.join(", ")}.`);
  if (skewMs > 0 && !hasOwnClock) {
    throw new UsageError(
      `${name} has no clock of its own: processes on one machine share one. Use --skew with postgres.`,
    );
  }
  if ((plan.freeze ?? 0) > 0 && !keepsInstanceId) {
    throw new UsageError(`"freeze" replaces a process under its own name: it cannot be combined with --new-instance.`);
  }
}

/** Does to workers and their store what the plan says, one after the other, in an order and at moments of the seed's. */
export async function playFaults(stage: Stage, plan: FaultPlan, random: SeededRandom): Promise<void> {
  const left = new Map(Object.entries(plan).filter(([, count]) => count > 0));
  const total = [...left.values()].reduce((sum, count) => sum + count, 0);
  for (let done = 1; left.size > 0; done++) {
    if (random.chance(WAITING_SHARE)) await awaitSignOfLife(stage);
    await pauseFor(random.between(0, LONGEST_PAUSE_MS), stage.signal);
    const fault = random.pickWeighted(Object.fromEntries(left));
    const rest = (left.get(fault) ?? 1) - 1;
    if (rest > 0) left.set(fault, rest);
    else left.delete(fault);
    await playFault(stage, fault, random);
    stage.options.progress?.(`fault ${done} of ${total}: ${fault}`);
  }
  if ((plan[DEPLOY] ?? 0) > 0) await deployLast(stage);
}

/** Waits until clients see something happen: what is killed again and again before it does anything gets nowhere. */
async function awaitSignOfLife({ log, signal }: Stage): Promise<void> {
  const from = log.records.length;
  const deadline = Date.now() + SIGN_WITHIN_MS;
  const isSign = (): boolean =>
    log.records.slice(from).some((record) => record.type === "event" && SIGNS.includes(record.event.type));
  while (!isSign() && Date.now() < deadline) await pauseFor(20, signal);
}

async function playFault(stage: Stage, fault: string, random: SeededRandom): Promise<void> {
  const { log, options } = stage;
  const ofStore = options.server.faults[fault];
  if (ofStore !== undefined) {
    log.note({ type: "fault", fault });
    const detail = await ofStore(random);
    log.note({ type: "healed", fault });
    if (detail !== undefined) log.note({ type: "fault", fault: `(${fault}: ${detail})` });
    return;
  }
  if (fault === DEPLOY) return deployNext(stage, random);
  const [first, ...others] = stage.workers;
  if (first === undefined) throw new Error("A round has at least one worker.");
  const worker = random.pick([first, ...others]);
  log.note({ type: "fault", fault, worker: worker.name });
  await playWorkerFault(stage, fault, worker, random);
}

async function playWorkerFault(stage: Stage, fault: string, worker: WorkerHandle, random: SeededRandom): Promise<void> {
  switch (fault) {
    case "kill":
      await worker.kill();
      return worker.start();
    case "retire":
      await worker.retire();
      return worker.start();
    case "hold": {
      // Sometimes shorter than its lease, mostly longer: then it wakes up as somebody who was replaced.
      worker.hold();
      await pauseFor(random.between(stage.options.leaseMs / 2, stage.options.leaseMs * 2.5), stage.signal);
      return worker.letGo();
    }
    case "freeze": {
      // Longer than its lease, and its replacement has the same name: the frozen one has to be fenced.
      const isReplaced = await worker.replaceFrozen();
      if (!isReplaced) stage.problems.push(`${worker.name} was frozen and could not be replaced under its name`);
      return worker.thaw(random.between(100, stage.options.leaseMs));
    }
    default:
      throw new Error(`There is no fault ${fault} on ${stage.options.server.name}.`);
  }
}
