import type { Changeset, Claim, CommitGuard, RunRecord, RunStatus, ToolCallRecord } from "@reprise/contracts";
import { buildChangeset } from "../build/build-changeset.ts";
import { buildCall } from "../build/build-records.ts";
import type { StoreBench } from "./store-bench.ts";

/** An owner of a run as a store sees one: it knows its epoch and the version it is at, and commits. */
export class RunDriver {
  readonly claim: Claim;
  readonly threadId: string;
  readonly runId: string;
  readonly #bench: StoreBench;
  run: RunRecord;
  version: number;

  constructor(bench: StoreBench, claim: Claim, run: RunRecord, version: number) {
    this.#bench = bench;
    this.claim = claim;
    this.threadId = claim.thread_id;
    this.runId = run.run_id;
    this.run = run;
    this.version = version;
  }

  get guard(): CommitGuard {
    return { expected: this.version, epoch: this.claim.epoch };
  }

  /** A changeset of this run under a new id. */
  changeset(parts: Partial<Changeset> = {}): Changeset {
    return buildChangeset({
      changeset_id: this.#bench.name("changeset"),
      thread_id: this.threadId,
      run_id: this.runId,
      reasons: ["assistant_turn"],
      ...parts,
    });
  }

  async commit(parts: Partial<Changeset> = {}): Promise<Changeset> {
    const changeset = this.changeset(parts);
    const { version } = await this.#bench.tenant.commit(changeset, this.guard);
    this.version = version;
    return changeset;
  }

  /** Commits the run's row with another status. */
  async become(status: RunStatus, parts: Partial<Changeset> = {}): Promise<Changeset> {
    this.run = { ...this.run, status };
    return this.commit({ runs: [this.run], ...parts });
  }

  call(callId: string, overrides: Partial<ToolCallRecord> = {}): ToolCallRecord {
    return buildCall({ call_id: callId, run_id: this.runId, thread_id: this.threadId, ...overrides });
  }

  /** Suspends calls for the first time and leaves the run waiting for them. */
  async suspend(...callIds: readonly string[]): Promise<readonly ToolCallRecord[]> {
    const calls = callIds.map((id) =>
      this.call(id, { status: "suspended", suspension: 1, binding_hash: `hash-${id}` }),
    );
    await this.become("waiting", { calls, reasons: ["tool_results"] });
    return calls;
  }
}
