import { type Admission, assertId, type ClaimingSubmission, type NewEntry } from "@reprise/contracts";
import { openEntry } from "../codec/columns/entry-columns.ts";
import type { SealedClaiming, SealedEntry } from "../kernel/request.ts";
import type { StoreDriver } from "./driver.ts";
import type { HeldThreads } from "./held-threads.ts";

/** The writes that need no claim: ids are checked and content is sealed here, the rest is the kernel's. */
export function createAdmission(tenant: string, driver: StoreDriver, held: HeldThreads): Admission {
  return {
    async submit(entry, claiming) {
      assertId("thread", entry.thread_id);
      assertId("entry", entry.entry_id);
      assertId("run", entry.run_id);
      const sealed = claiming === undefined ? {} : { claiming: sealClaiming(claiming, driver) };
      const answer = await held.submit({ operation: "submit", tenant, entry: sealEntry(entry), ...sealed });
      if (answer.status !== "claimed") return { status: answer.status, entry: openEntry(answer.entry) };
      const accepted = { ...answer.entry.entry, request: entry.request };
      const claim = { ...answer.claim.claim, entry: accepted };
      return { status: "claimed", entry: accepted, claim, version: answer.version };
    },
    decide: (decision, options) =>
      driver.execute({ operation: "decide", tenant, decision, is_early: options?.early ?? false }),
    async requestCancel(run_id, reason) {
      await driver.execute({ operation: "cancel", tenant, run_id, reason });
    },
    async interruptThread(thread_id, reason, options) {
      const generation = options?.generation ?? null;
      const answer = await driver.execute({ operation: "interrupt_thread", tenant, thread_id, reason, generation });
      const superseded = answer.superseded.map(openEntry);
      const { run_id } = answer;
      return { generation: answer.generation, superseded, ...(run_id === undefined ? {} : { run_id }) };
    },
    requeueEntry: async (thread_id, entry_id) =>
      openEntry(await driver.execute({ operation: "requeue_entry", tenant, thread_id, entry_id })),
    async createThread(thread) {
      assertId("thread", thread.thread_id);
      return driver.execute({ operation: "create_thread", tenant, thread });
    },
    updateThread: (thread_id, metadata) => driver.execute({ operation: "update_thread", tenant, thread_id, metadata }),
    async forkThread(thread_id, version, new_thread_id) {
      assertId("thread", new_thread_id);
      return driver.execute({ operation: "fork_thread", tenant, thread_id, version, new_thread_id });
    },
    async deleteThread(thread_id) {
      await driver.execute({ operation: "delete_thread", tenant, thread_id });
    },
  };
}

function sealEntry({ request, ...entry }: NewEntry): SealedEntry {
  const { agent_id, resource_id, parent_thread_id } = request;
  return {
    ...entry,
    agent_id,
    request: JSON.stringify(request),
    ...(resource_id === undefined ? {} : { resource_id }),
    ...(parent_thread_id === undefined ? {} : { parent_thread_id }),
  };
}

function sealClaiming(claiming: ClaimingSubmission, driver: StoreDriver): SealedClaiming {
  const { owner, lease_ms, changeset, expected } = claiming;
  assertId("changeset", changeset.changeset_id);
  return { owner, lease_ms, expected, changeset: driver.seal(changeset) };
}
