import {
  type Abilities,
  type Claim,
  claimedRun,
  type Lease,
  MAX_COUNTED_THREADS,
  type PrunedStore,
  type PrunedThreads,
  pruneDocuments,
  pruneThreads,
  RepriseError,
  type Store,
  type StoreOperator,
} from "@reprise/contracts";
import { openEntry } from "../codec/columns/entry-columns.ts";
import { ENTRIES_AT_ONCE } from "../kernel/prune.ts";
import type { ClaimAnswer } from "../kernel/request.ts";
import type { StoreDriver } from "./driver.ts";
import { type HeldThreads, keyOf } from "./held-threads.ts";
import type { RowReader } from "./row-reader.ts";
import { Workers } from "./workers-shell.ts";

type ThreadHead = NonNullable<Awaited<ReturnType<RowReader["loadThread"]>>>;

/** The dispatcher's side of a store. */
export function createOperator(driver: StoreDriver, held: HeldThreads, forTenant: Store["forTenant"]): StoreOperator {
  const releaseOwner = async (owner: string): Promise<void> => {
    const keys = await driver.findClaims(owner);
    const released = keys.map((key) => driver.execute({ operation: "release_owner", ...key, owner }));
    await Promise.all(released.map(unlessDamaged));
  };
  const workers = new Workers(driver, releaseOwner);
  return {
    now: () => driver.now(),
    async claim({ limit, abilities, ...asked }) {
      const needs = limit < 1 ? [] : await workers.chooseNeeds(asked.owner, abilities);
      if (needs.length === 0) return [];
      const request = {
        ...asked,
        needs,
        ...(abilities !== undefined && { abilities: withoutTools(abilities) }),
      };
      const answers = await driver.claim(request, limit);
      for (const { claim, held: thread } of answers) held.keep(keyOf(claim.tenant, claim.thread_id), thread);
      return answers.map(openClaim);
    },
    async renew(claims, lease_ms) {
      const renewed = claims.map(async (claim) => {
        const { tenant, thread_id, epoch } = claim;
        const answer = await unlessDamaged(driver.execute({ operation: "renew", tenant, thread_id, epoch, lease_ms }));
        return answer === null ? [] : [{ ...claim, lease_until: answer.lease_until }];
      });
      return (await Promise.all(renewed)).flat();
    },
    async release(claim, problem) {
      const { tenant, thread_id, epoch } = claim;
      const run_id = claimedRun(claim);
      const given = { ...(run_id !== undefined && { run_id }), ...(problem !== undefined && { problem }) };
      await driver.execute({ operation: "release", tenant, thread_id, epoch, ...given });
    },
    releaseOwner,
    async listLeases(tenant) {
      const [now, claimed] = await Promise.all([driver.now(), driver.findClaimed(tenant)]);
      const heads = await Promise.all(claimed.map((id) => unlessDamaged(driver.reader.loadThread(tenant, id))));
      return heads.flatMap((head) => (head == null ? [] : toLease(head, now)));
    },
    enter: (entry) => workers.enter(entry),
    listWorkers: () => workers.listWorkers(),
    listMissingAgents: () => workers.listMissingAgents(),
    countDueThreads: () => driver.countDue(MAX_COUNTED_THREADS),
    async prune(retention, signal) {
      const threads = await pruneThreads(createPrunedStore(driver, forTenant), retention, signal);
      return {
        ...threads,
        documents: await pruneDocuments((limit) => driver.documents.prune(limit), signal),
        blobs: 0,
      };
    },
    watch: (listener) => driver.watch(listener),
  };
}

/** As much as is looked at while work is claimed. */
function withoutTools(abilities: Abilities): Abilities {
  const definitions = Object.entries(abilities).map(([agent, ability]) => [agent, { ...ability, tools: {} }] as const);
  return Object.fromEntries(definitions);
}

/** A claim with what it is for. */
function openClaim({ claim, entry, run, lost }: ClaimAnswer): Claim {
  const opened = entry === undefined ? {} : { entry: openEntry(entry) };
  return { ...claim, ...opened, ...(run === undefined ? {} : { run }), ...(lost && { lost }) };
}

/** A claim may have been given back since it was found. */
function toLease({ thread: { thread, claim }, open_run }: ThreadHead, now: number): readonly Lease[] {
  if (claim === null) return [];
  const { entry_id: _, ...held } = claim;
  const run = open_run === undefined ? {} : { run_id: open_run.run_id };
  return [{ thread_id: thread.thread_id, ...held, ...run, is_expired: claim.lease_until <= now }];
}

/** Of many threads, one that cannot be read must not cost the others their leases. */
async function unlessDamaged<Answer>(attempt: Promise<Answer>): Promise<Answer | null> {
  try {
    return await attempt;
  } catch (error) {
    if (RepriseError.is(error, "CORRUPT_DATA")) return null;
    throw error;
  }
}

/** A database as it is pruned. */
function createPrunedStore(driver: StoreDriver, forTenant: Store["forTenant"]): PrunedStore {
  return {
    now: () => driver.now(),
    pageThreads: (after, limit) => driver.reader.pageThreads(after, limit),
    forTenant,
    async pruneThread({ history, ...pruning }): Promise<PrunedThreads> {
      const sealed = history === null ? null : { up_to: history.up_to, state: JSON.stringify(history.state) };
      const first = await driver.execute({ operation: "prune_thread", ...pruning, history: sealed });
      let entries = first.entries;
      for (let more = entries; more === ENTRIES_AT_ONCE; entries += more) {
        more = (await driver.execute({ operation: "prune_thread", ...pruning, history: null })).entries;
      }
      return { ...first, entries };
    },
  };
}
