import { RepriseError } from "@reprise/contracts";
import type { ThreadAnswers, ThreadRequest } from "../kernel/request.ts";
import { encodeMessage } from "./buffer-message.ts";
import type { BufferPorts } from "./buffer-ports.ts";
import { isUnavailable } from "./is-unavailable.ts";
import { versionToWait } from "./may-wait.ts";
import { PendingCommits } from "./pending-commits.ts";
import { takeOver } from "./take-over.ts";

/** Calls back once after a time, and does not keep the process alive for it. Set while it is set, it changes nothing. */
class Alarm {
  readonly #ms: number;
  readonly #callBack: () => void;
  #timer: NodeJS.Timeout | undefined;

  constructor(ms: number, callBack: () => void) {
    this.#ms = ms;
    this.#callBack = callBack;
  }

  set(): void {
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined;
      this.#callBack();
    }, this.#ms).unref();
  }

  clear(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }
}

type Commit = ThreadRequest<"commit">;
type Committed = ThreadAnswers["commit"];

/** Our right to write to the thread's subject: under which claim, and after which message. */
interface Tenure {
  readonly epoch: number;
  readonly last: number;
}

/**
 * The commits of one thread that are in the stream and not in the database yet. Requests are served one after the other.
 *
 * Every failure of the stream has the same remedy: all commits go to the database at once, and the database knows whether the claim is
 * still ours. So the buffer need not distinguish a lost answer, a dead server, a server that lost its data, and another process that took
 * the thread over.
 */
export class ThreadBuffer {
  readonly tenant: string;
  readonly threadId: string;
  readonly #ports: BufferPorts;
  readonly #subject: string;
  readonly #pending = new PendingCommits();
  readonly #alarm: Alarm;
  #tenure: Tenure | undefined;

  constructor(ports: BufferPorts, tenant: string, threadId: string, onLate: () => void) {
    this.#ports = ports;
    this.tenant = tenant;
    this.threadId = threadId;
    this.#subject = ports.subjectOf(tenant, threadId);
    this.#alarm = new Alarm(ports.bounds.maxWaitMs, onLate);
  }

  get pending(): PendingCommits {
    return this.#pending;
  }

  /** Whether there is nothing to remember. */
  get isEmpty(): boolean {
    return this.#pending.isEmpty && this.#tenure === undefined;
  }

  isOf(tenant: string, threadId: string = this.threadId): boolean {
    return this.tenant === tenant && this.threadId === threadId;
  }

  /** Puts a commit into the stream when it may wait; otherwise into the database, with everything that waited. */
  async commit(request: Commit): Promise<Committed> {
    const { changeset, guard } = request;
    // One that comes again is answered by the database: it knows whether what we remember is still true.
    const isKnown = this.#pending.has(changeset.changeset_id);
    const { stream, bounds } = this.#ports;
    const isTried = !isKnown && guard.epoch !== null && stream.isUp && !this.#pending.isFull(bounds);
    const waiting = isTried ? await this.#tryToWait(request) : undefined;
    return waiting ?? this.#storeWith(request);
  }

  /**
   * Makes the thread's subject ours under a claim, and stores what others left in it. `version` is one that the database is
   * known to have.
   */
  async takeOver(runId: string, epoch: number, version = 0): Promise<ThreadAnswers["flush"] | undefined> {
    const thread = { tenant: this.tenant, thread_id: this.threadId, run_id: runId, epoch, version };
    const { last, flushed } = await takeOver(this.#ports, thread, this.#pending.list);
    this.#forget();
    this.#hold({ epoch, last });
    return flushed;
  }

  /**
   * Stores what waits. When the database refuses it, it is not ours any more: it stays in the stream, for the holder of the claim.
   * Rejects only when the database cannot be asked; then everything keeps waiting.
   */
  async flush(): Promise<void> {
    if (this.#pending.isEmpty) return;
    const { tenant, threadId: thread_id } = this;
    try {
      const commits = this.#pending.toCommits();
      await this.#ports.inner.execute({ operation: "flush", tenant, thread_id, commits });
      this.#settle();
    } catch (error) {
      if (isUnavailable(error) || !RepriseError.is(error)) throw error;
      this.#forget();
    }
  }

  /** Stores what waits and gives the subject up; tries again later when the database cannot be asked. */
  async expire(): Promise<void> {
    await this.leave().catch(() => this.#alarm.set());
  }

  /** Stores what waits and leaves the subject to the next owner. */
  async leave(): Promise<void> {
    await this.flush();
    if (this.#tenure !== undefined) this.#ports.stream.trim(this.#subject, this.#tenure.last + 1);
    this.#forget();
  }

  /** Undefined when the commit has to go to the database, be it only to hear from there why it is refused. */
  async #tryToWait(request: Commit): Promise<Committed | undefined> {
    try {
      if (this.#tenure?.epoch !== request.guard.epoch && !(await this.#begin(request))) return undefined;
      // Read after the subject became ours: a process that claims the thread from now on finds our writes.
      const version = versionToWait(request, await this.#ports.look(request), this.#pending.list);
      return version === undefined ? undefined : await this.#append(request.changeset, version);
    } catch (error) {
      if (RepriseError.is(error)) return undefined;
      throw error;
    }
  }

  /** Makes the subject ours if this commit could wait in it. */
  async #begin(request: Commit): Promise<boolean> {
    const { changeset, guard } = request;
    if (!this.#pending.isEmpty || changeset.run_id === null || guard.epoch === null) return false;
    const glimpse = await this.#ports.look(request);
    if (versionToWait(request, glimpse, []) === undefined) return false;
    await this.takeOver(changeset.run_id, guard.epoch, glimpse.rows.thread?.thread.version);
    return true;
  }

  async #append(changeset: Commit["changeset"], version: number): Promise<Committed | undefined> {
    const { stream } = this.#ports;
    const tenure = this.#tenure;
    if (tenure === undefined) return undefined;
    const { epoch } = tenure;
    const origin = { tenant: this.tenant, thread_id: this.threadId, epoch };
    const payload = encodeMessage({ kind: "commit", ...origin, version, changeset });
    if (payload.length > stream.maxBytes) return undefined;
    // Not ours any more unless we hear that it is.
    this.#tenure = undefined;
    const last = await stream.appendAfter(this.#subject, payload, tenure.last);
    if (last === "moved") return undefined;
    this.#pending.add({ changeset, version, epoch, bytes: payload.length });
    this.#hold({ epoch, last });
    return { version };
  }

  /** Stores a commit together with what waits: all of it in one transaction, or nothing. */
  async #storeWith(request: Commit): Promise<Committed> {
    const { inner } = this.#ports;
    const { tenant, threadId: thread_id } = this;
    if (this.#pending.isEmpty) return this.#finish(request, await inner.execute(request));
    try {
      const commits = [...this.#pending.toCommits(), request];
      return this.#finish(request, await inner.execute({ operation: "flush", tenant, thread_id, commits }));
    } catch (error) {
      if (isUnavailable(error) || !RepriseError.is(error)) throw error;
      // One of them is refused. What was acknowledged goes first; then the new one is answered for itself.
      await this.flush();
      return this.#finish(request, await inner.execute(request));
    }
  }

  /** After a commit was stored: when it ended the run, or let it wait, the subject is left to the next owner. */
  #finish({ changeset }: Commit, { version }: Committed): Committed {
    this.#settle();
    const isRunning = changeset.runs.every(({ status }) => status === "running");
    if (!isRunning && this.#tenure !== undefined) {
      this.#ports.stream.trim(this.#subject, this.#tenure.last + 1);
      this.#forget();
    }
    return { version };
  }

  /** What waited is stored. The last message stays while the subject is ours: it is what the next one has to follow. */
  #settle(): void {
    if (this.#pending.isEmpty) return;
    if (this.#tenure !== undefined) this.#ports.stream.trim(this.#subject, this.#tenure.last);
    this.#pending.clear();
  }

  #hold(tenure: Tenure): void {
    this.#tenure = tenure;
    this.#alarm.set();
  }

  #forget(): void {
    this.#alarm.clear();
    this.#tenure = undefined;
    this.#pending.clear();
  }
}
