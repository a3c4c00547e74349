import type { Claim, Inbox, RunRecord, RunStatus, TenantStore } from "@reprise/contracts";
import { expect } from "vitest";
import { buildChangeset } from "../build/build-changeset.ts";
import { buildCall, buildEvents, buildMessage, buildRun } from "../build/build-records.ts";
import type { OpenedStore } from "../store/open-store.ts";
import { ThreadModel } from "./thread-model.ts";

export const THREADS = ["thread-1", "thread-2"] as const;
export type ThreadName = (typeof THREADS)[number];

/** A worker that once had a claim, and may believe to have it still. */
export interface Holder {
  readonly threadId: ThreadName;
  readonly claim: Claim;
  readonly runId: string;
}

/** The model of the whole store, and the holders of claims past and present. */
export interface StoreModel {
  readonly threads: Readonly<Record<ThreadName, ThreadModel>>;
  readonly holders: Holder[];
  now: number;
  made: number;
}

export function createStoreModel(): StoreModel {
  return { threads: { "thread-1": new ThreadModel(), "thread-2": new ThreadModel() }, holders: [], now: 0, made: 0 };
}

/** The real store, and what has to be remembered in order to write to it. */
export class ModelBench {
  readonly opened: OpenedStore;
  readonly tenant: TenantStore;

  constructor(opened: OpenedStore) {
    this.opened = opened;
    this.tenant = opened.store.forTenant("tenant-1");
  }

  /** Commits as an owner would: uses the inbox, ends a run it supersedes, writes an event, a message and its row. */
  async commit(holder: Holder, status: RunStatus, id: string): Promise<void> {
    const { threadId, runId, claim } = holder;
    const inbox = await this.tenant.readInbox(threadId, runId);
    const stored = await this.tenant.loadRun(runId);
    const run = { ...(stored ?? buildRun({ run_id: runId, thread_id: threadId })), status };
    const older = stored === undefined && claim.kind === "start" ? await this.#openRun(threadId, runId) : undefined;
    const seq = (stored?.last_seq ?? 0) + 1;
    const changeset = buildChangeset({
      changeset_id: `changeset-${id}`,
      thread_id: threadId,
      run_id: runId,
      reasons: ["assistant_turn"],
      messages: [buildMessage(`message-${id}`)],
      runs: [...(older === undefined ? [] : [{ ...older, status: "done" as const }]), { ...run, last_seq: seq }],
      calls: status === "waiting" ? [suspendedCall(run, `call-${id}`)] : [],
      events: buildEvents(run, seq, 1),
      ...useInbox(inbox),
    });
    await this.tenant.commit(changeset, { expected: "any", epoch: claim.epoch });
  }

  async #openRun(threadId: string, otherThan: string): Promise<RunRecord | undefined> {
    const run = (await this.tenant.loadThread(threadId))?.open_run;
    return run?.run_id === otherThan ? undefined : run;
  }

  /** Everything readers see agrees with the model. */
  async check(model: StoreModel): Promise<void> {
    for (const threadId of THREADS) await this.#checkThread(threadId, model.threads[threadId]);
  }

  async #checkThread(threadId: ThreadName, model: ThreadModel): Promise<void> {
    const head = await this.tenant.loadThread(threadId);
    const run = head?.open_run && { id: head.open_run.run_id, status: head.open_run.status };
    expect({ version: head?.thread.version ?? 0, generation: head?.generation ?? 0, run }).toEqual({
      version: model.version,
      generation: model.generation,
      run: model.run && { id: model.run.id, status: model.run.status },
    });
    const { items: runs } = await this.tenant.listRuns({ thread_id: threadId, limit: 200 });
    expect(runs.filter(({ status }) => status !== "done").length).toBeLessThanOrEqual(1);
    const entries = (await this.tenant.listEntries({ thread_id: threadId, limit: 200 })).items;
    expect(entries.map(({ kind, run_id, status, attempts }) => [kind, run_id, status, attempts])).toEqual(
      model.entries.map(({ kind, runId, status, attempts }) => [kind, runId, status, attempts]),
    );
    const changesets = await this.tenant.readChangesets(threadId, 0, 200);
    expect(changesets.map(({ version }) => version)).toEqual(changesets.map((_, index) => index + 1));
    expect(changesets).toHaveLength(model.version);
    for (const { run_id, last_seq } of runs) {
      const seqs = (await this.tenant.readEvents(run_id, 0)).flatMap(({ events }) => events.map(({ seq }) => seq));
      expect(seqs).toEqual(Array.from({ length: last_seq }, (_, index) => index + 1));
    }
  }
}

function suspendedCall({ run_id, thread_id }: RunRecord, callId: string) {
  return buildCall({ call_id: callId, run_id, thread_id, status: "suspended", suspension: 1 });
}

function useInbox({ decisions, cancel }: Inbox) {
  return {
    consumed_decisions: decisions.map(({ run_id, call_id, suspension }) => ({ run_id, call_id, suspension })),
    mailbox_effects: cancel === undefined ? [] : [{ entry_id: cancel.entry_id, status: "accepted" as const }],
  };
}
