import type { Changeset, Claim, Store, StoreOperator, TenantStore } from "@reprise/contracts";
import { buildChangeset } from "../build/build-changeset.ts";
import { buildEntry, buildRun } from "../build/build-records.ts";
import type { OpenedStore } from "./open-store.ts";
import { RunDriver } from "./run-driver.ts";

export const LEASE_MS = 12_000;

/** What a law works with: the store, one tenant of it, and short ways to common situations. */
export class StoreBench {
  readonly store: Store;
  readonly tenant: TenantStore;
  readonly operator: StoreOperator;
  readonly reopen: (() => Promise<Store>) | undefined;
  readonly advance: (ms: number) => Promise<void>;
  #made = 0;

  constructor(opened: OpenedStore) {
    this.store = opened.store;
    this.tenant = opened.store.forTenant("tenant-1");
    this.operator = opened.store.operator;
    this.reopen = opened.reopen?.bind(opened);
    this.advance = async (ms) => opened.advance(ms);
  }

  /** A name that is unique in this store. */
  name(kind: string): string {
    this.#made += 1;
    return `${kind}-${this.#made}`;
  }

  /** Another way into the same tenant, through a second handle where the store can have one. */
  async otherHandle(): Promise<Store> {
    return this.reopen === undefined ? this.store : this.reopen();
  }

  /** Starts a run on an idle thread the quick way: entry, first changeset and claim in one step. */
  async start(threadId = "thread-1", parts: Partial<Changeset> = {}): Promise<RunDriver> {
    const head = await this.tenant.loadThread(threadId);
    const expected = head?.thread.version ?? 0;
    const entry = buildEntry({ entry_id: this.name("entry"), thread_id: threadId, run_id: this.name("run") });
    const run = buildRun({
      run_id: entry.run_id,
      thread_id: threadId,
      source_mailbox_entry_id: entry.entry_id,
      created_at: 1_750_000_000_000 + this.#made,
    });
    const changeset = buildChangeset({
      changeset_id: this.name("changeset"),
      thread_id: threadId,
      run_id: run.run_id,
      reasons: ["user_message"],
      runs: [run],
      mailbox_effects: [{ entry_id: entry.entry_id, status: "accepted" }],
      ...parts,
    });
    const submitted = await this.tenant.submit(entry, { owner: "owner-1", lease_ms: LEASE_MS, changeset, expected });
    if (submitted.status !== "claimed") throw new Error(`Thread ${threadId} was not idle: ${submitted.status}.`);
    return new RunDriver(this, submitted.claim, run, submitted.version);
  }

  /** Enqueues a run and nothing more; returns the ids. */
  async enqueue(overrides: Parameters<typeof buildEntry>[0] = {}): Promise<ReturnType<typeof buildEntry>> {
    const entry = buildEntry({ entry_id: this.name("entry"), ...overrides });
    await this.tenant.submit(entry);
    return entry;
  }

  async claim(owner = "owner-2", limit = 10): Promise<readonly Claim[]> {
    return this.operator.claim({ owner, lease_ms: LEASE_MS, limit });
  }

  /** Claims, and expects exactly one thread to have work. */
  async claimOne(owner = "owner-2"): Promise<Claim> {
    const claims = await this.claim(owner);
    const [claim] = claims;
    if (claim === undefined || claims.length > 1) throw new Error(`There were ${claims.length} claims, not one.`);
    return claim;
  }

  /** Continues with a run that was claimed. */
  async take(claim: Claim): Promise<RunDriver> {
    const head = await this.tenant.loadThread(claim.thread_id);
    const runId = claim.kind === "start" ? (claim.entry?.run_id ?? "") : (claim.run?.run_id ?? "");
    const run = claim.kind === "start" ? buildRun({ run_id: runId, thread_id: claim.thread_id }) : claim.run;
    if (run === undefined) throw new Error(`The claim on ${claim.thread_id} has no run.`);
    return new RunDriver(this, claim, run, head?.thread.version ?? 0);
  }
}
