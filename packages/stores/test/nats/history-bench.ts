import { RepriseError, type Store } from "@reprise/contracts";
import { buildChangeset, buildEvents, buildMessage } from "@reprise/testkit";
import { expect } from "vitest";
import { startRun } from "../support/thread-work.ts";
import { expectWhole } from "./expect-whole.ts";
import { LEASE_MS } from "./owned-run.ts";
import { readStream } from "./read-stream.ts";
import type { OpenedBuffered, UsedServers } from "./use-buffered.ts";

/** Somebody who was an owner once, through some handle. */
interface Owner {
  readonly store: Store;
  readonly epoch: number;
}

/** A thread, everybody who ever owned it, and what they were told. */
export class HistoryBench {
  readonly #opened: OpenedBuffered;
  readonly #manage: UsedServers["manage"];
  readonly #handles: Store[] = [];
  #owners: Owner[] = [];
  /** The ids of the changesets that were acknowledged, in the order of their versions. */
  #acknowledged: string[] = [];
  /** How much of it the database was told of, by a renewal. */
  #promised = 0;
  #hasForgotten = false;
  #runs = 0;
  #seq = 0;
  #made = 0;

  constructor(opened: OpenedBuffered, manage: UsedServers["manage"]) {
    this.#opened = opened;
    this.#manage = manage;
  }

  async begin(): Promise<void> {
    this.#handles.push(this.#opened.store, await this.#opened.reopen(), await this.#opened.reopen());
    await this.#start(this.#opened.store);
  }

  get #owner(): Owner {
    return this.#owners.at(-1) ?? failWithoutOwner();
  }

  get #run() {
    return { run_id: `thread-1-run-${this.#runs}`, thread_id: "thread-1" };
  }

  async #start(store: Store): Promise<void> {
    this.#runs += 1;
    const { claim } = await startRun(store.forTenant("default"), "thread-1", this.#runs);
    this.#owners.push({ store, epoch: claim.epoch });
    this.#acknowledged.push(`${this.#run.run_id}-start`);
    this.#seq = 0;
    this.#promised = 0;
  }

  async commit(): Promise<void> {
    this.#acknowledged.push(await this.#commitAs(this.#owner));
    this.#seq += 1;
    // Whatever was forgotten, its owner knew it: with this commit it is in the stream or in the database again.
    this.#hasForgotten = false;
  }

  async #commitAs({ store, epoch }: Owner, isEnd = false): Promise<string> {
    this.#made += 1;
    const id = `changeset-${this.#made}`;
    const tenant = store.forTenant("default");
    const run = isEnd ? await tenant.loadRun(this.#run.run_id) : undefined;
    const changeset = buildChangeset({
      ...this.#run,
      changeset_id: id,
      messages: [buildMessage(`message-${this.#made}`)],
      events: buildEvents(this.#run, this.#seq + 1, 1),
      runs: run === undefined ? [] : [{ ...run, status: "done" }],
    });
    const expected = this.#acknowledged.length;
    expect(await tenant.commit(changeset, { expected, epoch })).toEqual({ version: expected + 1 });
    return id;
  }

  /** Somebody who was replaced writes all the same. */
  async commit_as_before(who: number): Promise<void> {
    const before = this.#owners.slice(0, -1);
    const owner = before[before.length - 1 - who];
    if (owner === undefined || owner.epoch === this.#owner.epoch) return;
    await expect(this.#commitAs(owner)).rejects.toMatchObject({ code: "STALE_EPOCH" });
  }

  async renew(): Promise<void> {
    const { store, epoch } = this.#owner;
    const claim = {
      tenant: "default",
      thread_id: "thread-1",
      owner: "o",
      epoch,
      lease_until: 0,
      kind: "start",
    } as const;
    expect(await store.operator.renew([claim], LEASE_MS)).toHaveLength(1);
    this.#promised = this.#acknowledged.length;
  }

  /** A read of the owner sees everything; one of another handle sees a beginning of it. */
  async read(who: number): Promise<void> {
    const tenant = (this.#handles[who % this.#handles.length] ?? this.#opened.store).forTenant("default");
    const ids = await expectWhole(tenant, "thread-1", this.#run.run_id);
    expect(this.#acknowledged.slice(0, ids.length)).toEqual(ids);
    const own = await expectWhole(this.#owner.store.forTenant("default"), "thread-1", this.#run.run_id);
    expect(own).toEqual(this.#acknowledged);
    this.#hasForgotten = false;
  }

  async take_over(who: number): Promise<void> {
    this.#opened.advance(LEASE_MS);
    const store = this.#handles[who % this.#handles.length] ?? this.#opened.store;
    await this.#claim(store);
  }

  async #claim(store: Store): Promise<void> {
    const remembers = store === this.#owner.store;
    const [claim] = await store.operator.claim({ owner: "next", lease_ms: LEASE_MS, limit: 1 });
    if (claim === undefined) throw new Error("The run was not claimed.");
    this.#owners.push({ store, epoch: claim.epoch });
    const ids = await expectWhole(store.forTenant("default"), "thread-1", this.#run.run_id);
    expect(this.#acknowledged.slice(0, ids.length)).toEqual(ids);
    const missing = this.#acknowledged.length - ids.length;
    if (missing > 0) expect([this.#hasForgotten, remembers]).toEqual([true, false]);
    // What is older than a renewal is never lost without a word.
    if (ids.length < this.#promised) expect(claim.lost).toMatchObject({ from: ids.length + 1 });
    if (claim.lost !== undefined) {
      expect(missing).toBeGreaterThan(0);
      expect(claim.lost.to).toBeLessThanOrEqual(this.#acknowledged.length);
      expect(claim.lost.to).toBeGreaterThanOrEqual(this.#promised);
    }
    await this.#forget(missing);
    if (claim.lost !== undefined) await this.end();
  }

  /** Continues from what is there. */
  async #forget(missing: number): Promise<void> {
    this.#acknowledged = this.#acknowledged.slice(0, this.#acknowledged.length - missing);
    const segments = await this.#owner.store.forTenant("default").readEvents(this.#run.run_id, 0);
    this.#seq = segments.at(-1)?.events.at(-1)?.seq ?? 0;
    this.#hasForgotten = false;
    this.#promised = Math.min(this.#promised, this.#acknowledged.length);
  }

  /** Everything is stored by the process that starts up; no worker has the run then. */
  async recover(who: number): Promise<void> {
    this.#opened.advance(LEASE_MS);
    const other = await this.#opened.reopen();
    await other.recover();
    await other.close();
    await this.take_over(who);
  }

  async release(who: number): Promise<void> {
    const { store, epoch } = this.#owner;
    const claim = {
      tenant: "default",
      thread_id: "thread-1",
      owner: "o",
      epoch,
      lease_until: 0,
      kind: "start",
    } as const;
    await store.operator.release(claim);
    this.#hasForgotten = false;
    await this.#claim(this.#handles[who % this.#handles.length] ?? store);
  }

  /** The run ends, and another begins. */
  async end(): Promise<void> {
    this.#acknowledged.push(await this.#commitAs(this.#owner, true));
    this.#hasForgotten = false;
    await this.#start(this.#owner.store);
  }

  async lose_all(): Promise<void> {
    await this.#manage(({ streams }) => streams.purge(this.#opened.stream));
    this.#hasForgotten = true;
  }

  async lose_last(): Promise<void> {
    await this.#manage(async (manager) => {
      const last = (await readStream(manager, this.#opened.stream)).at(-1);
      if (last !== undefined) await manager.streams.deleteMessage(this.#opened.stream, last.seq);
    });
    this.#hasForgotten = true;
  }

  async finish(): Promise<void> {
    const { store } = this.#owner;
    await this.end();
    const ids = await expectWhole(store.forTenant("default"), "thread-1", this.#run.run_id);
    expect(ids).toEqual(this.#acknowledged);
  }
}

function failWithoutOwner(): never {
  throw new RepriseError("INTERNAL", "Nobody owns the thread.");
}
