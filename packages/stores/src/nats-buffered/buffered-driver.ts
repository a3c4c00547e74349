import { type Changeset, type Durability, type StoreSignal, type ThreadKey, toRepriseError } from "@reprise/contracts";
import { isFor, type NeedText, needOfRun } from "../kernel/need.ts";
import type { ClaimAnswer, Claimer, ThreadAnswers, ThreadOperation, ThreadRequest } from "../kernel/request.ts";
import type { SealedChangeset } from "../kernel/sealed-changeset.ts";
import type { DocumentRows } from "../shell/document-rows.ts";
import type { StoreDriver } from "../shell/driver.ts";
import type { RowReader } from "../shell/row-reader.ts";
import type { NameHold, WorkerRows } from "../shell/worker-rows.ts";
import type { BufferPorts } from "./buffer-ports.ts";
import { createBufferedReader } from "./buffered-reader.ts";
import { BufferedThreads } from "./buffered-threads.ts";

/** How long a run that could not be taken over is left alone. */
const RETRY_MS = 1_000;

/** A database under the shell, with a buffer in front of it for the commits of running runs. */
export class BufferedDriver implements StoreDriver {
  readonly durability: Durability;
  readonly reader: RowReader;
  /** The database's own: nothing of them ever waits. */
  readonly documents: DocumentRows;
  readonly workers: WorkerRows;
  readonly #ports: BufferPorts;
  readonly #threads: BufferedThreads;
  #closed: Promise<void> | undefined;

  constructor(ports: BufferPorts, durability: Durability) {
    this.durability = durability;
    this.#ports = ports;
    this.#threads = new BufferedThreads(ports);
    this.reader = createBufferedReader(ports.inner.reader, this.#threads);
    this.documents = ports.inner.documents;
    this.workers = ports.inner.workers;
  }

  now(): Promise<number> {
    return this.#ports.inner.now();
  }

  estimateNow(thread: ThreadKey): number {
    return this.#ports.inner.estimateNow(thread);
  }

  seal(changeset: Changeset): SealedChangeset {
    return this.#ports.inner.seal(changeset);
  }

  async execute<Name extends ThreadOperation>(request: ThreadRequest<Name>): Promise<ThreadAnswers[Name]> {
    // A request of one name is one of all of them, and is answered as its name says, which TypeScript does not see.
    return this.#execute(request as ThreadRequest) as Promise<ThreadAnswers[Name]>;
  }

  async #execute(request: ThreadRequest): Promise<ThreadAnswers[ThreadOperation]> {
    const { inner } = this.#ports;
    switch (request.operation) {
      case "commit": {
        if (this.#closed !== undefined) return inner.execute(request);
        return this.#threads.use(request.tenant, request.changeset.thread_id, (buffer) => buffer.commit(request));
      }
      case "renew":
        return inner.execute(this.#withPromise(request));
      case "release":
      case "release_owner":
        await this.#threads.use(request.tenant, request.thread_id, (buffer) => buffer.leave());
        return inner.execute(request);
      case "decide":
        await this.#threads.settle(
          (buffer) => buffer.isOf(request.tenant) && buffer.pending.hasRun(request.decision.run_id),
        );
        return inner.execute(request);
      case "update_thread":
      case "fork_thread":
      case "delete_thread":
      case "save_snapshot":
        await this.#threads.settle((buffer) => buffer.isOf(request.tenant, request.thread_id));
        return inner.execute(request);
      default:
        return inner.execute(request);
    }
  }

  /** A renewal costs a transaction anyway: it also keeps in the database how much was acknowledged that is not there yet. */
  #withPromise(request: ThreadRequest<"renew">): ThreadRequest<"renew"> {
    const promised = this.#threads.promised(request.tenant, request.thread_id, request.epoch);
    return promised === undefined ? request : { ...request, promised };
  }

  async claim(request: Claimer, limit: number): Promise<readonly ClaimAnswer[]> {
    const answers = await this.#ports.inner.claim(request, limit);
    const taken = await Promise.allSettled(answers.map((answer) => this.takeOver(answer, request)));
    const granted = taken.flatMap((result) => (result.status === "fulfilled" ? (result.value ?? []) : []));
    const failure = taken.find((result) => result.status === "rejected");
    // What was granted was granted; the rest is claimed another time.
    if (granted.length === 0 && failure !== undefined) throw failure.reason;
    return granted;
  }

  /**
   * Stores what the last owner of a run left in the stream, so that the run continues from there. Only a run that is running can
   * have left anything. A claim for which that cannot be done is given back: acknowledged commits would be lost otherwise. So is one
   * whose run turns out to work with a definition that others have; then there is no answer.
   */
  async takeOver(answer: ClaimAnswer, request: Claimer): Promise<ClaimAnswer | undefined> {
    const { claim, run, lost: _, held, ...rest } = answer;
    if (claim.kind !== "recover" || run === undefined) return answer;
    const { tenant, thread_id, epoch } = claim;
    const { inner } = this.#ports;
    try {
      const flushed = await this.#threads.use(tenant, thread_id, (buffer) => buffer.takeOver(run.run_id, epoch));
      if (flushed === undefined) return answer;
      const stored = await inner.reader.loadRun(tenant, run.run_id);
      if (stored !== undefined && !isFor(request, needOfRun(stored, false))) {
        await this.execute({ operation: "release", tenant, thread_id, epoch });
        return undefined;
      }
      // What waited in the stream was committed after the claim before this one had been lost.
      const isFurther = held !== undefined && flushed.version > held.thread.thread.version;
      return {
        ...rest,
        claim: isFurther ? { ...claim, lost_claims: 1 } : claim,
        run: stored?.record ?? run,
        ...(flushed.lost === undefined ? {} : { lost: flushed.lost }),
      };
    } catch (error) {
      const problem = { error: toRepriseError(error).message, retry_after_ms: RETRY_MS };
      await inner.execute({ operation: "release", tenant, thread_id, epoch, problem }).catch(() => undefined);
      throw error;
    }
  }

  dueNeeds(): Promise<readonly NeedText[]> {
    return this.#ports.inner.dueNeeds();
  }

  countDue(limit: number): Promise<number> {
    return this.#ports.inner.countDue(limit);
  }

  async holdName(owner: string): Promise<NameHold> {
    return (await this.#ports.inner.holdName?.(owner)) ?? { isOurs: false, leave: async () => undefined };
  }

  findClaimed(tenant: string): Promise<readonly string[]> {
    return this.#ports.inner.findClaimed(tenant);
  }

  findClaims(owner: string): Promise<readonly ThreadKey[]> {
    return this.#ports.inner.findClaims(owner);
  }

  /** Watchers are told of a commit when everybody can read it. */
  watch(listener: (signal: StoreSignal) => void): () => void {
    return this.#ports.inner.watch(listener);
  }

  close(): Promise<void> {
    this.#closed ??= this.#close();
    return this.#closed;
  }

  async #close(): Promise<void> {
    await this.#threads.close();
    await this.#ports.stream.close();
    await this.#ports.inner.close();
  }
}
