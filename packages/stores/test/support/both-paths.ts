import type {
  Changeset,
  Claim,
  CommitGuard,
  RunRecord,
  RunStatus,
  Store,
  TenantStore,
  ToolCallRecord,
} from "@reprise/contracts";
import { RepriseError } from "@reprise/contracts";
import {
  buildCall,
  buildChangeset,
  buildDecision,
  buildEntry,
  buildEvents,
  buildMessage,
  buildPatch,
  buildRun,
} from "@reprise/testkit";
import fc from "fast-check";
import { expect } from "vitest";
import type { StoreDriver } from "../../src/shell/driver.ts";

/** Two empty stores at the same time: one that plans on held rows where it can, and one that always reads. */
export interface BothPaths {
  readonly held: Store;
  readonly reading: Store;
  /** How many writes the first one made without reading. */
  heldWrites(): number;
  /** Moves the time of both. */
  advance(ms: number): void;
  /** All rows of all tables of a store but for numbers that only the database gives, as text, sorted. */
  dump(store: "held" | "reading"): Promise<readonly string[]>;
  close(): Promise<void>;
}

/** A driver that has to read. */
export function alwaysReading(driver: StoreDriver): StoreDriver {
  const { durability, reader, documents } = driver;
  return {
    ...{ durability, reader, documents },
    now: () => driver.now(),
    execute: (request) => driver.execute(request),
    estimateNow: (thread) => driver.estimateNow(thread),
    seal: (changeset) => driver.seal(changeset),
    claim: (request, limit) => driver.claim(request, limit),
    workers: driver.workers,
    dueNeeds: () => driver.dueNeeds(),
    countDue: (limit) => driver.countDue(limit),
    findClaims: (owner) => driver.findClaims(owner),
    findClaimed: (tenant) => driver.findClaimed(tenant),
    watch: (listener) => driver.watch(listener),
    close: () => driver.close(),
  };
}

/** A driver that counts the writes that were made without reading. */
export function countingHeld(driver: StoreDriver): { readonly driver: StoreDriver; heldWrites(): number } {
  let count = 0;
  const writeHeld: StoreDriver["writeHeld"] = async (write) => {
    const isWritten = (await driver.writeHeld?.(write)) ?? false;
    if (isWritten) count += 1;
    return isWritten;
  };
  return { driver: { ...alwaysReading(driver), writeHeld }, heldWrites: () => count };
}

/** Plays random histories on both stores and compares every answer and every row. */
export async function compareBothPaths(open: () => Promise<BothPaths>, numRuns: number): Promise<void> {
  let written = 0;
  await fc.assert(
    fc.asyncProperty(fc.array(STEP, { maxLength: 40, size: "max" }), async (steps) => {
      const both = await open();
      try {
        const [one, other] = [new History(both.held), new History(both.reading)];
        for (const step of [...OWNED, ...steps]) {
          if (step.kind === "advance") both.advance(step.ms);
          else expect([step, await one.play(step)]).toEqual([step, await other.play(step)]);
        }
        expect(await both.dump("held")).toEqual(await both.dump("reading"));
        written += both.heldWrites();
      } finally {
        await both.close();
      }
    }),
    { numRuns },
  );
  // Otherwise one path was compared with itself.
  expect(written).toBeGreaterThanOrEqual(numRuns);
}

const THREADS = ["thread-1", "thread-2"] as const;

/** What a commit brings besides a message and an event. */
const CONTENTS = [
  "nothing",
  "nothing",
  "call",
  "call",
  "end_call",
  "suspend",
  "inbox",
  "inbox",
  "patch",
  "wake",
  "supersede",
  "known_message",
  "large",
  "done",
  "done",
] as const;

type Content = (typeof CONTENTS)[number];

type Step =
  | { readonly kind: "start"; readonly thread: string; readonly isStale: boolean; readonly key: string | null }
  | {
      readonly kind: "submit";
      readonly thread: string;
      readonly policy: "enqueue" | "continue" | "interrupt" | "steer";
    }
  | {
      readonly kind: "commit";
      readonly pick: number;
      readonly content: Content;
      readonly expected: "right" | "any" | "stale";
    }
  | { readonly kind: "repeat" | "release" | "renew" | "cancel"; readonly pick: number }
  | { readonly kind: "decide"; readonly pick: number; readonly isEarly: boolean }
  | { readonly kind: "claim" }
  | { readonly kind: "update" | "prune" | "delete"; readonly thread: string }
  | { readonly kind: "advance"; readonly ms: number };

const thread = fc.constantFrom(...THREADS);
/** Mostly the newest holder, who is the one with a right to write. */
const pick = fc.oneof({ weight: 5, arbitrary: fc.constant(0) }, { weight: 1, arbitrary: fc.nat({ max: 4 }) });
const key = fc.option(fc.constantFrom("key-1", "key-2"), { freq: 4 });
const expected = fc.constantFrom("right", "right", "right", "right", "any", "stale");

const STEP: fc.Arbitrary<Step> = fc.oneof(
  { weight: 4, arbitrary: fc.record({ kind: fc.constant("start"), thread, isStale: fc.constant(false), key }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant("start"), thread, isStale: fc.boolean(), key }) },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant("submit"),
      thread,
      policy: fc.constantFrom("enqueue", "continue", "interrupt", "steer"),
    }),
  },
  {
    weight: 14,
    arbitrary: fc.record({ kind: fc.constant("commit"), pick, content: fc.constantFrom(...CONTENTS), expected }),
  },
  { weight: 2, arbitrary: fc.record({ kind: fc.constantFrom("repeat", "release", "renew", "cancel"), pick }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant("decide"), pick, isEarly: fc.boolean() }) },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant("claim") }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constantFrom("update", "prune", "delete"), thread }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant("advance"), ms: fc.constantFrom(1, 400, 2_000) }) },
);

/** How each history begins: an owner commits, which is written without reading. */
const OWNED: readonly Step[] = [
  { kind: "start", thread: THREADS[0], isStale: false, key: null },
  { kind: "commit", pick: 0, content: "nothing", expected: "right" },
];

const LEASE_MS = 1_000;

/** Somebody who was given a claim once, and may believe to have it still. */
interface Holder {
  readonly claim: Claim;
  readonly run: RunRecord;
  readonly calls: ToolCallRecord[];
  seq: number;
}

/** A history as it is played on one store. Names and numbers come from what was asked before, so two stores get the same. */
class History {
  readonly #store: Store;
  readonly #tenant: TenantStore;
  readonly #holders: Holder[] = [];
  readonly #versions = new Map<string, number>();
  readonly #messages = new Map<string, string[]>();
  #last: { readonly changeset: Changeset; readonly guard: CommitGuard } | undefined;
  #made = 0;

  constructor(store: Store) {
    this.#store = store;
    this.#tenant = store.forTenant("tenant-1");
  }

  /** What came of a step: its answer, or the code of its refusal. */
  async play(step: Exclude<Step, { readonly kind: "advance" }>): Promise<unknown> {
    try {
      return await this.#play(step);
    } catch (error) {
      if (RepriseError.is(error)) return { refused: error.code };
      throw error;
    }
  }

  async #play(step: Exclude<Step, { readonly kind: "advance" }>): Promise<unknown> {
    switch (step.kind) {
      case "start":
        return this.#start(step);
      case "submit": {
        const id = this.#name();
        const ids = { entry_id: `entry-${id}`, run_id: `run-${id}`, thread_id: step.thread };
        return this.#tenant.submit(buildEntry({ ...ids, busy_policy: step.policy }));
      }
      case "commit":
        return this.#commit(step);
      case "repeat":
        return this.#last && this.#tenant.commit(this.#last.changeset, this.#last.guard);
      case "claim": {
        const claims = await this.#store.operator.claim({ owner: "owner", lease_ms: LEASE_MS, limit: 10 });
        for (const claim of claims) await this.#hold(claim);
        return claims.toSorted((one, other) => (one.thread_id < other.thread_id ? -1 : 1));
      }
      case "update":
        return this.#tenant.updateThread(step.thread, { title: this.#name() });
      case "prune":
        return this.#store.operator.prune({ historyVersions: 2, entryAgeMs: 1_000 });
      case "delete":
        await this.#tenant.deleteThread(step.thread);
        this.#versions.delete(step.thread);
        this.#messages.delete(step.thread);
        return null;
      default:
        return this.#playOnRun(step);
    }
  }

  async #playOnRun(
    step: Extract<Step, { readonly kind: "release" | "renew" | "cancel" | "decide" | "repeat" }>,
  ): Promise<unknown> {
    const holder = this.#pick(step.pick);
    if (holder === undefined) return null;
    const { claim, run } = holder;
    if (step.kind === "release") return this.#store.operator.release(claim);
    if (step.kind === "renew") return this.#store.operator.renew([claim], LEASE_MS);
    if (step.kind === "cancel") return this.#tenant.requestCancel(run.run_id, "enough");
    if (step.kind !== "decide") return null;
    const call = holder.calls.at(-1);
    if (call === undefined) return null;
    const suspension = call.status === "suspended" ? call.suspension : call.suspension + 1;
    const decision = buildDecision({ run_id: run.run_id, call_id: call.call_id, suspension });
    return this.#tenant.decide(decision, { early: step.isEarly });
  }

  async #start({ thread: thread_id, isStale, key }: Extract<Step, { readonly kind: "start" }>): Promise<unknown> {
    const id = this.#name();
    const run = buildRun({ run_id: `run-${id}`, thread_id });
    const changeset = buildChangeset({
      changeset_id: `changeset-${id}`,
      thread_id,
      run_id: run.run_id,
      messages: [this.#say(thread_id, id)],
      runs: [run],
    });
    const ids = { entry_id: `entry-${id}`, run_id: run.run_id, thread_id };
    const entry = buildEntry({ ...ids, ...(key === null ? {} : { dedupe_key: key }) });
    const version = (this.#versions.get(thread_id) ?? 0) - (isStale ? 1 : 0);
    const claiming = { owner: "owner", lease_ms: LEASE_MS, changeset, expected: version };
    const answer = await this.#tenant.submit(entry, claiming);
    if (answer.status === "claimed") {
      this.#versions.set(thread_id, answer.version);
      this.#holders.push({ claim: answer.claim, run, calls: [], seq: 0 });
    }
    return answer;
  }

  async #commit(step: Extract<Step, { readonly kind: "commit" }>): Promise<unknown> {
    const holder = this.#pick(step.pick);
    if (holder === undefined) return null;
    const { claim, run } = holder;
    const { thread_id } = claim;
    const id = this.#name();
    const changeset = buildChangeset({
      changeset_id: `changeset-${id}`,
      thread_id,
      run_id: run.run_id,
      messages: [this.#say(thread_id, id)],
      events: buildEvents(run, holder.seq + 1, 1),
      runs: [{ ...run, last_seq: holder.seq + 1 }],
      ...(await this.#contentOf(step.content, holder, id)),
    });
    const version = this.#versions.get(thread_id) ?? 0;
    const expected = step.expected === "any" ? "any" : step.expected === "stale" ? version - 1 : version;
    const guard = { expected, epoch: claim.epoch } as const;
    this.#last = { changeset, guard };
    const answer = await this.#tenant.commit(changeset, guard);
    this.#versions.set(thread_id, answer.version);
    holder.seq += 1;
    for (const call of changeset.calls) {
      holder.calls.splice(
        0,
        Number.POSITIVE_INFINITY,
        ...holder.calls.filter(({ call_id }) => call_id !== call.call_id),
      );
      holder.calls.push(call);
    }
    return answer;
  }

  async #contentOf(content: Content, { claim, run, calls, seq }: Holder, id: string): Promise<Partial<Changeset>> {
    const { thread_id } = claim;
    const place = { run_id: run.run_id, thread_id };
    const become = (status: RunStatus): Pick<Changeset, "runs"> => ({ runs: [{ ...run, status, last_seq: seq + 1 }] });
    const open = calls.findLast(({ status }) => status === "running" || status === "resuming");
    const known = this.#messages.get(thread_id)?.[0] ?? "m-unknown";
    switch (content) {
      case "call":
        return { calls: [buildCall({ ...place, call_id: `call-${id}` })] };
      case "end_call":
        return open === undefined ? {} : { calls: [{ ...open, status: "succeeded" }] };
      case "suspend": {
        const call = open ?? buildCall({ ...place, call_id: `call-${id}` });
        return { ...become("waiting"), calls: [{ ...call, status: "suspended", suspension: call.suspension + 1 }] };
      }
      case "inbox":
        return this.#useInbox(thread_id, run.run_id, calls);
      case "patch":
        return { patches: [buildPatch(`patch-${id}`, "n", seq)], runs: [] };
      case "wake":
        return { ...become("waiting"), calls: [buildCall({ ...place, call_id: `call-${id}`, ...limited(seq) })] };
      case "supersede":
        return { supersedes: [known] };
      case "known_message":
        return { messages: [buildMessage(known)] };
      case "large":
        return { messages: [this.#say(thread_id, `${id}-a`, 150_000), this.#say(thread_id, `${id}-b`, 150_000)] };
      case "done":
        return become("done");
      case "nothing":
        return {};
      default:
        return content satisfies never;
    }
  }

  async #useInbox(threadId: string, runId: string, calls: readonly ToolCallRecord[]): Promise<Partial<Changeset>> {
    const { decisions, cancel } = await this.#tenant.readInbox(threadId, runId);
    const decided = new Set(decisions.map(({ call_id }) => call_id));
    return {
      consumed_decisions: decisions.map(({ run_id, call_id, suspension }) => ({ run_id, call_id, suspension })),
      mailbox_effects: cancel === undefined ? [] : [{ entry_id: cancel.entry_id, status: "accepted" }],
      calls: calls
        .filter(({ call_id, status }) => decided.has(call_id) && status === "suspended")
        .map((call) => ({ ...call, status: "resuming" })),
    };
  }

  /** An owner that takes a run over knows what is stored of it. */
  async #hold(claim: Claim): Promise<void> {
    const runId = claim.run?.run_id ?? claim.entry?.run_id ?? "";
    const stored = claim.kind === "start" ? undefined : await this.#tenant.loadRun(runId);
    const calls = stored === undefined ? [] : (await this.#tenant.listCalls({ run_id: runId, limit: 200 })).items;
    const run = { ...(stored ?? buildRun({ run_id: runId, thread_id: claim.thread_id })), status: "running" } as const;
    this.#holders.push({ claim, run, calls: [...calls], seq: stored?.last_seq ?? 0 });
  }

  #say(threadId: string, id: string, length = 20) {
    const messages = this.#messages.get(threadId) ?? [];
    this.#messages.set(threadId, [...messages, `message-${id}`]);
    // Every third message names a blob, of which there are a few.
    const blob = messages.length % 3 === 0 ? ` blob:${String(messages.length % 4).repeat(64)}` : "";
    return buildMessage(`message-${id}`, { content: "x".repeat(length) + blob });
  }

  #pick(back: number): Holder | undefined {
    return this.#holders[this.#holders.length - 1 - (back % Math.max(this.#holders.length, 1))];
  }

  #name(): string {
    this.#made += 1;
    return String(this.#made);
  }
}

/** A question that runs out soon, or did so already. */
function limited(seq: number): Pick<ToolCallRecord, "status" | "suspension" | "expires_at"> {
  return { status: "suspended", suspension: 1, expires_at: 1_750_000_000_000 + seq * 100 };
}
