import type { StoreSignal, ThreadKey } from "@reprise/contracts";
import type { NeedText } from "../../kernel/need.ts";
import { demandOf } from "../../kernel/operations.ts";
import type { ClaimAnswer, Claimer, ThreadAnswers, ThreadOperation, ThreadRequest } from "../../kernel/request.ts";
import { WORK_RANKS, type WorkRank } from "../../kernel/rows.ts";
import type { StoreDriver } from "../../shell/driver.ts";
import type { PostgresDriver } from "../postgres-driver.ts";
import type { Partitions } from "./partition.ts";
import { createPartitionedDocuments } from "./partitioned-documents.ts";
import { createPartitionedReader } from "./partitioned-reader.ts";
import type { RunPlaces } from "./run-places.ts";

/** The most urgent first. */
const RANKS: readonly WorkRank[] = Object.values(WORK_RANKS).sort((one, other) => one - other);

/**
 * Several Postgres databases under the shell as one. Each operation is of one thread and happens in its database, in a transaction there,
 * at the time of its clock. What is of no thread has a database of its own: workers are in the first one.
 */
export function createPartitionedDriver(partitions: Partitions, places: RunPlaces): StoreDriver {
  const drivers = partitions.all.map(({ driver }) => driver);
  const { driver: first } = partitions.first;
  const driverOf = ({ tenant, thread_id }: ThreadKey): PostgresDriver =>
    partitions.at(places.placeOfThread(tenant, thread_id)).driver;
  /** With whom claiming begins: no database is always the last one. */
  let turn = 0;
  return {
    durability: drivers.find(({ durability }) => durability !== "power-loss")?.durability ?? first.durability,
    reader: createPartitionedReader(partitions, places),
    documents: createPartitionedDocuments(partitions),
    workers: first.workers,
    now: () => first.now(),
    estimateNow: (thread) => driverOf(thread).estimateNow(),
    seal: (changeset) => first.seal(changeset),
    async execute(request) {
      const { tenant, thread } = demandOf(request);
      if ("run_id" in thread) return executeOfRun(request, thread.run_id);
      const driver = driverOf({ tenant, thread_id: thread.thread_id });
      const answer = await executeIn(driver, request);
      if (endsThread(request.operation, answer)) await places.forget(tenant, thread.thread_id);
      return answer;
    },
    writeHeld: (write) => driverOf(write).writeHeld(write),
    async dueNeeds() {
      const found = await ofThoseThere(drivers.map((driver) => driver.dueNeeds()));
      return [...new Set<NeedText>(found.flat())];
    },
    async countDue(limit) {
      const counts = await Promise.all(drivers.map((driver) => driver.countDue(limit)));
      return Math.min(
        counts.reduce((sum, count) => sum + count, 0),
        limit,
      );
    },
    claim,
    holdName: (owner) => first.holdName(owner),
    async findClaims(owner) {
      return (await Promise.all(drivers.map((driver) => driver.findClaims(owner)))).flat();
    },
    async findClaimed(tenant) {
      return (await Promise.all(drivers.map((driver) => driver.findClaimed(tenant)))).flat();
    },
    watch(listener: (signal: StoreSignal) => void) {
      const stops = drivers.map((driver) => driver.watch(listener));
      return () => {
        for (const stop of stops) stop();
      };
    },
    async close() {
      await Promise.all(drivers.map((driver) => driver.close()));
    },
  };

  async function executeOfRun<Name extends ThreadOperation>(
    request: ThreadRequest<Name>,
    runId: string,
  ): Promise<ThreadAnswers[Name]> {
    const { tenant } = request;
    // An operation that has no answer says so with null.
    const done = await places.ofRun(tenant, runId, async ({ driver }) => ({ answer: await driver.execute(request) }));
    return (done ?? { answer: await first.execute(request) }).answer;
  }

  /** A thread that is forked into another database is read in its own first. What a version holds does not change any more. */
  async function executeIn<Name extends ThreadOperation>(
    driver: PostgresDriver,
    request: ThreadRequest<Name>,
  ): Promise<ThreadAnswers[Name]> {
    const { tenant, history } = demandOf(request);
    if (history === undefined) return driver.execute(request);
    const source = driverOf({ tenant, thread_id: history.thread_id });
    if (source === driver) return driver.execute(request);
    return driver.execute(request, await source.readSource(tenant, history));
  }

  /** By rank over all databases, so that a run that was lost goes before one that is new wherever they are. */
  async function claim(request: Claimer, limit: number): Promise<readonly ClaimAnswer[]> {
    turn = (turn + 1) % drivers.length;
    const inTurn = [...drivers.slice(turn), ...drivers.slice(0, turn)];
    const looked = inTurn.map(async (driver) => ({ driver, ranks: await driver.dueRanks(request) }));
    const due = await ofThoseThere(looked);
    const granted: ClaimAnswer[] = [];
    for (const rank of RANKS) {
      for (const { driver, ranks } of due) {
        if (granted.length >= limit) return granted;
        if (!ranks.includes(rank)) continue;
        try {
          granted.push(...(await driver.claim(request, limit - granted.length, rank)));
        } catch (error) {
          // What was granted elsewhere was granted; the rest is claimed another time.
          if (granted.length === 0) throw error;
        }
      }
    }
    return granted;
  }
}

/** Work of a database that is away waits, and that of the others does not. When all are away, the caller hears it. */
async function ofThoseThere<Answer>(attempts: readonly Promise<Answer>[]): Promise<readonly Answer[]> {
  const tried = await Promise.allSettled(attempts);
  const found = tried.flatMap((outcome) => (outcome.status === "fulfilled" ? [outcome.value] : []));
  if (found.length === 0) await Promise.all(attempts);
  return found;
}

/** Whether a thread was deleted with this. */
function endsThread(operation: ThreadOperation, answer: ThreadAnswers[ThreadOperation]): boolean {
  if (operation === "delete_thread") return true;
  return operation === "prune_thread" && answer !== null && "threads" in answer && answer.threads > 0;
}
