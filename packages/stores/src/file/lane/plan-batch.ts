import { demandOf, planOf } from "../../kernel/operations.ts";
import type { Plan } from "../../kernel/plan.ts";
import { readDemand } from "../../tables/read/read-demand.ts";
import { type Step, undo } from "../../tables/step.ts";
import type { ThreadTables } from "../../tables/thread-tables.ts";
import type { ThreadLog } from "../log/thread-log.ts";
import type { Job, Outcome } from "./job.ts";
import { idsOf, type TakenIds } from "./taken-ids.ts";
import { writeDown } from "./write-down.ts";

/** More than this is not written at once: the first of many should not wait for the last. */
const MOST_BYTES = 8_388_608;
const MOST_JOBS = 256;

/** Operations that share one write, in order. */
export interface Batch {
  readonly outcomes: { readonly job: Job; readonly outcome: Outcome }[];
  readonly lines: Buffer[];
  /** What they do to the tables once they are durable. */
  readonly steps: Step[];
  /** Ids that they take. */
  readonly ids: string[];
  /** How many bytes the lines have, and how many of them only change what is there. */
  bytes: number;
  spare: number;
  isPruning: boolean;
  /** The last epoch of the thread, when it is taken away, which is done alone. */
  retires: number | undefined;
}

interface PlanPorts {
  readonly taken: TakenIds;
  /** For an operation that needs an id which another operation is taking: it is retried when that is decided. */
  defer(job: Job, until: Promise<void>): void;
}

/**
 * Plans as many operations as may share a write and takes them from the queue. Each sees what those before it do: the tables
 * are changed as they are planned, and then, because nothing of it is durable yet, put back before anybody else can look.
 */
export function planBatch(thread: ThreadTables, log: ThreadLog, jobs: Job[], { taken, defer }: PlanPorts): Batch {
  const batch = newBatch();
  try {
    while (batch.bytes < MOST_BYTES && batch.outcomes.length < MOST_JOBS && batch.retires === undefined) {
      const [job] = jobs;
      if (job === undefined) break;
      const plan = planJob(thread, job);
      if (isDeletion(plan) && batch.outcomes.length > 0) break;
      jobs.shift();
      const taker = "error" in plan ? undefined : taken.findTaker(idsOf(job.request.tenant, plan.writes));
      if (taker !== undefined) defer(job, taker);
      else batch.outcomes.push({ job, outcome: addPlan(thread, log, batch, plan) });
    }
  } finally {
    undo(batch.steps);
  }
  return batch;
}

function newBatch(): Batch {
  return { outcomes: [], lines: [], steps: [], ids: [], bytes: 0, spare: 0, isPruning: false, retires: undefined };
}

type Planned = Plan<unknown> | { readonly error: unknown };

function planJob(thread: ThreadTables, { request, now: clock, history }: Job): Planned {
  try {
    const now = clock();
    const rows = readDemand(thread, demandOf(request), now);
    return planOf(request, history === undefined ? rows : { ...rows, history }, now);
  } catch (error) {
    return { error };
  }
}

function isDeletion(plan: Planned): boolean {
  return "writes" in plan && plan.writes.some(({ write }) => write === "delete_thread");
}

/** Adds a plan to a batch, and does to the tables what it says. */
function addPlan(thread: ThreadTables, log: ThreadLog, batch: Batch, plan: Planned): Outcome {
  if ("error" in plan) return plan;
  const { writes, answer, signals } = plan;
  const [first] = writes;
  if (first === undefined) return { answer, signals };
  if (first.write === "delete_thread") {
    batch.retires = first.epoch;
    return { answer, signals };
  }
  try {
    const { line, steps, isSpare } = writeDown(thread, log, writes, batch.bytes);
    batch.lines.push(line);
    batch.steps.push(...steps);
    batch.ids.push(...idsOf(thread.tenant.tenant, writes));
    batch.bytes += line.length;
    batch.spare += isSpare ? line.length : 0;
    batch.isPruning ||= writes.some(({ write }) => write === "prune" || write === "forget_entries");
    return { answer, signals };
  } catch (error) {
    return { error };
  }
}
