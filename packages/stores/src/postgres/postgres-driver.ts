import type { Changeset, Durability, StoreSignal, ThreadKey } from "@reprise/contracts";
import { escapeText } from "../codec/escape-text.ts";
import { sealChangeset } from "../codec/seal-changeset.ts";
import type { ThreadDemand } from "../kernel/demand.ts";
import type { HeldWrite } from "../kernel/held-write.ts";
import type { NeedText } from "../kernel/need.ts";
import { demandOf } from "../kernel/operations.ts";
import type { ClaimAnswer, Claimer, ThreadAnswers, ThreadOperation, ThreadRequest } from "../kernel/request.ts";
import type { WorkRank } from "../kernel/rows.ts";
import type { SealedChangeset } from "../kernel/sealed-changeset.ts";
import type { DocumentRows } from "../shell/document-rows.ts";
import type { StoreDriver } from "../shell/driver.ts";
import type { RowReader } from "../shell/row-reader.ts";
import type { SignalBoard } from "../shell/signal-board.ts";
import type { NameHold, WorkerRows } from "../shell/worker-rows.ts";
import type { Batcher } from "./batcher.ts";
import { claimDue, countDueThreads, findDueRanks, lookForNeeds } from "./claim-due.ts";
import type { Database } from "./database.ts";
import { FIND_THREAD } from "./demand-statements.ts";
import type { HeldNames } from "./held-names.ts";
import type { HeldWriter } from "./held-writer.ts";
import { pauseBefore } from "./pause.ts";
import { fromPostgresError, isConnectionLost, isRace } from "./postgres-errors.ts";
import { ReadLanes } from "./read-lanes.ts";
import { createRunReads } from "./read-runs.ts";
import { createThreadReads } from "./read-threads.ts";
import { type Operation, openSource } from "./run-batch.ts";
import type { Ask } from "./select-commits.ts";
import type { ServerClock } from "./server-clock.ts";
import { rowsOf } from "./session.ts";
import type { SignalReceiver } from "./signal-receiver.ts";
import type { SignalSender } from "./signal-sender.ts";
import { prepared } from "./statement.ts";
import { NOW } from "./table.ts";

/** The parts of an open store. */
export interface PostgresParts {
  readonly durability: Durability;
  readonly database: Database;
  readonly batcher: Batcher;
  readonly heldWriter: HeldWriter;
  readonly board: SignalBoard;
  readonly sender: SignalSender;
  readonly receiver: SignalReceiver;
  readonly names: HeldNames;
  readonly documents: DocumentRows;
  readonly workers: WorkerRows;
  readonly clock: ServerClock;
  /** Tells everybody, here and elsewhere. */
  tell(signals: readonly StoreSignal[]): void;
}

const BEGIN_SNAPSHOT = prepared("begin isolation level repeatable read read only");
const SELECT_NOW = prepared(`select ${NOW} as now`);
const SELECT_THREAD_OF_RUN = prepared(FIND_THREAD);
const SELECT_CLAIMS = prepared(
  "select tenant, thread_id from threads where md5(claim_owner) = md5($1) and claim_owner = $1",
);

const SELECT_CLAIMED = prepared("select thread_id from threads where claim_owner is not null and tenant = $1");

/** How many round trips of reads may be under way at the same time. */
const READ_LANES = 3;

/** How often claiming is tried when others are in the way. */
const MAX_ATTEMPTS = 5;

/** Postgres under the shell. */
export class PostgresDriver implements StoreDriver {
  readonly durability: Durability;
  readonly reader: RowReader;
  readonly documents: DocumentRows;
  readonly workers: WorkerRows;
  readonly #parts: PostgresParts;
  readonly #read: Ask;
  #closed: Promise<void> | undefined;

  constructor(parts: PostgresParts) {
    const { database } = parts;
    this.#parts = parts;
    this.durability = parts.durability;
    this.documents = parts.documents;
    this.workers = parts.workers;
    const lanes = new ReadLanes((queries) => database.read(queries), READ_LANES);
    this.#read = (queries) => lanes.read(queries);
    this.reader = { ...createThreadReads(this.#read), ...createRunReads(this.#read) };
  }

  async now(): Promise<number> {
    const results = await this.#parts.database.read([SELECT_NOW()]);
    return this.#parts.clock.hear(rowsOf<{ readonly now: number }>(results)[0]?.now ?? 0);
  }

  estimateNow(): number {
    return this.#parts.clock.estimate();
  }

  seal(changeset: Changeset): SealedChangeset {
    return sealChangeset(changeset);
  }

  writeHeld(write: HeldWrite): Promise<boolean> {
    return this.#parts.heldWriter.write(write);
  }

  /** `source` is for a fork of a thread that is in another database. */
  async execute<Name extends ThreadOperation>(
    request: ThreadRequest<Name>,
    source?: Operation["source"],
  ): Promise<ThreadAnswers[Name]> {
    const demand = demandOf(request);
    const { thread } = demand;
    const thread_id = "thread_id" in thread ? thread.thread_id : await this.#findThread(demand.tenant, thread.run_id);
    // A request of one name is one of all of them, which TypeScript does not see through the parameter.
    const operation = { request: request as ThreadRequest, demand, thread_id };
    return this.#parts.batcher.do(source === undefined ? operation : { ...operation, source });
  }

  /** The thread of a run never changes. Of a run that is not there it is one that is not there either. */
  async #findThread(tenant: string, runId: string): Promise<string> {
    const results = await this.#read([SELECT_THREAD_OF_RUN(tenant, escapeText(runId))]);
    return rowsOf<{ readonly thread_id: string | null }>(results)[0]?.thread_id ?? "";
  }

  dueNeeds(): Promise<readonly NeedText[]> {
    return lookForNeeds(this.#parts.database, this.#parts.clock);
  }

  countDue(limit: number): Promise<number> {
    return countDueThreads(this.#parts.database, this.#parts.clock, limit);
  }

  /** The ranks of the due work that a claimer may do. */
  dueRanks({ needs }: Claimer): Promise<readonly WorkRank[]> {
    return findDueRanks(this.#parts.database, needs, this.#parts.clock.estimate());
  }

  /** Reads what a fork takes over, as it is at one moment. */
  readSource(tenant: string, history: NonNullable<ThreadDemand["history"]>): ReturnType<typeof openSource> {
    return this.#parts.database.use(async (session) => {
      await session.run([BEGIN_SNAPSHOT()]);
      return openSource(session, tenant, history).finally(() => session.rollBack());
    });
  }

  async claim(request: Claimer, limit: number, rank?: WorkRank): Promise<readonly ClaimAnswer[]> {
    const granted: ClaimAnswer[] = [];
    let attempts = 0;
    while (granted.length < limit) {
      await pauseBefore(attempts);
      try {
        const { clock } = this.#parts;
        const round = await this.#parts.database.use((session) =>
          claimDue(session, request, { limit: limit - granted.length, clock, rank }),
        );
        granted.push(...round.granted);
        this.#parts.tell(round.signals);
        if (round.isLast) break;
      } catch (error) {
        attempts += 1;
        if ((isRace(error) || isConnectionLost(error)) && attempts < MAX_ATTEMPTS) continue;
        // What was granted was granted; the rest is claimed another time.
        if (granted.length > 0) break;
        throw fromPostgresError(error);
      }
    }
    return granted;
  }

  async findClaims(owner: string): Promise<readonly ThreadKey[]> {
    return rowsOf<ThreadKey>(await this.#parts.database.read([SELECT_CLAIMS(escapeText(owner))]));
  }

  async findClaimed(tenant: string): Promise<readonly string[]> {
    const rows = rowsOf<{ readonly thread_id: string }>(await this.#parts.database.read([SELECT_CLAIMED(tenant)]));
    return rows.map(({ thread_id }) => thread_id);
  }

  holdName(owner: string): Promise<NameHold> {
    return this.#parts.names.hold(owner);
  }

  watch(listener: (signal: StoreSignal) => void): () => void {
    return this.#parts.board.watch(listener);
  }

  close(): Promise<void> {
    this.#closed ??= this.#close();
    return this.#closed;
  }

  async #close(): Promise<void> {
    const { batcher, heldWriter, sender, receiver, names, database } = this.#parts;
    await Promise.all([batcher.close(), heldWriter.close()]);
    await names.close();
    await sender.flush();
    await receiver.stop();
    await database.close();
  }
}
