import { type BusyPolicy, type EntryKind, type EntryStatus, MAX_ATTEMPTS } from "@reprise/contracts";

export interface EntryModel {
  readonly kind: EntryKind;
  readonly runId: string;
  readonly policy: BusyPolicy;
  readonly generation: number;
  status: EntryStatus;
  attempts: number;
}

export interface RunModel {
  readonly id: string;
  status: "running" | "waiting";
  /** The call it waits for. */
  call: string | undefined;
}

interface ClaimModel {
  readonly epoch: number;
  readonly until: number;
  readonly entry: EntryModel | undefined;
}

/** What a claimer would get of a thread. */
export interface WorkModel {
  readonly kind: "recover" | "resume" | "start";
  readonly runId: string;
  readonly entry: EntryModel | undefined;
}

/** A thread as one would explain it on a blackboard: plain lists, searched from the front. */
export class ThreadModel {
  version = 0;
  generation = 0;
  lastEpoch = 0;
  run: RunModel | undefined;
  claim: ClaimModel | undefined;
  readonly entries: EntryModel[] = [];

  submit(runId: string, policy: BusyPolicy): void {
    if (policy === "interrupt") this.#interrupt();
    this.#add("run", runId, policy);
  }

  /** A decision for the call the run waits for; the run is woken. */
  decide(run: RunModel): void {
    this.#add("resume", run.id, "enqueue");
  }

  cancel(runId: string): void {
    const asked = this.entries.some((entry) => entry.kind === "cancel" && entry.runId === runId && isPending(entry));
    if (!asked) this.#add("cancel", runId, "enqueue");
  }

  /** What a claimer gets now. A claim whose lease is over is lost first. */
  findWork(now: number): WorkModel | undefined {
    if (this.claim !== undefined && this.claim.until > now) return undefined;
    this.giveBack(true);
    if (this.run?.status === "running") return { kind: "recover", runId: this.run.id, entry: undefined };
    const wake = this.entries.find(({ kind, runId, status }) => {
      return kind !== "run" && runId === this.run?.id && status === "queued";
    });
    if (wake !== undefined) return { kind: "resume", runId: wake.runId, entry: wake };
    const next = this.entries.find(({ kind, status, policy }) => {
      return kind === "run" && status === "queued" && (this.run === undefined || policy === "continue");
    });
    return next && { kind: "start", runId: next.runId, entry: next };
  }

  hold(work: WorkModel, epoch: number, until: number): void {
    if (work.entry !== undefined) work.entry.status = "claimed";
    this.claim = { epoch, until, entry: work.entry };
    this.lastEpoch = epoch;
  }

  /** Ends the claim; an entry that was not accepted goes back, with an attempt more when something went wrong. */
  giveBack(hasProblem: boolean): void {
    const entry = this.claim?.entry;
    this.claim = undefined;
    if (entry?.status !== "claimed") return;
    entry.attempts += hasProblem ? 1 : 0;
    if (entry.kind === "run" && entry.generation < this.generation) entry.status = "superseded";
    else entry.status = entry.kind === "run" && entry.attempts >= MAX_ATTEMPTS ? "dead_letter" : "queued";
    if (entry.kind === "run" && entry.status !== "queued") this.#closeWakes(entry.runId, "cancelled");
  }

  /** A commit of the owner: everything in the run's inbox is used, an older run is over, the run has a new status. */
  commit(runId: string, status: "running" | "waiting" | "done", call: string): void {
    this.version += 1;
    if (this.run !== undefined && this.run.id !== runId) this.#closeWakes(this.run.id, "cancelled");
    this.#closeWakes(runId, "accepted");
    const own = this.entries.find((entry) => entry.kind === "run" && entry.runId === runId);
    if (own !== undefined && isPending(own)) own.status = "accepted";
    this.run = status === "done" ? undefined : { id: runId, status, call: status === "waiting" ? call : undefined };
    if (status !== "running") this.giveBack(false);
  }

  #interrupt(): void {
    this.generation += 1;
    for (const entry of this.entries) {
      if (entry.kind === "run" && entry.status === "queued") entry.status = "superseded";
    }
    const starting = this.entries.find((entry) => entry.kind === "run" && entry.status === "claimed")?.runId;
    if (this.run !== undefined) this.cancel(this.run.id);
    if (starting !== undefined) this.cancel(starting);
  }

  #add(kind: EntryKind, runId: string, policy: BusyPolicy): void {
    this.entries.push({ kind, runId, policy, generation: this.generation, status: "queued", attempts: 0 });
  }

  #closeWakes(runId: string, status: "accepted" | "cancelled"): void {
    for (const entry of this.entries) {
      if (entry.kind !== "run" && entry.runId === runId && isPending(entry)) entry.status = status;
    }
  }
}

function isPending({ status }: EntryModel): boolean {
  return status === "queued" || status === "claimed";
}
