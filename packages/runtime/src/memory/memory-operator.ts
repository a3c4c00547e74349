import {
  type Claim,
  type Lease,
  type PrunedStore,
  type PrunedThreads,
  pruneThreads,
  RepriseError,
  type Store,
  type StoreOperator,
  type TenantThread,
  type ThreadPlace,
  type ThreadPruning,
} from "@reprise/contracts";
import { describeClaim, giveBackClaim, grantClaim, takeBackRecovery } from "./claims.ts";
import type { MemoryPorts } from "./memory-ports.ts";
import { announce } from "./memory-writer.ts";
import { pruneCell } from "./prune-cell.ts";
import type { TenantWorld } from "./tenant-world.ts";
import type { ThreadCell } from "./thread-cell.ts";

function toLease(cell: ThreadCell, now: number): readonly Lease[] {
  if (cell.claim === undefined) return [];
  const { tenant: _, ...held } = describeClaim(cell, cell.claim);
  const run = cell.openRunId === undefined ? {} : { run_id: cell.openRunId };
  return [{ ...held, ...run, is_expired: held.lease_until <= now }];
}

/** The dispatcher's side of the store, over all tenants. */
export function createMemoryOperator(
  worlds: ReadonlyMap<string, TenantWorld>,
  ports: MemoryPorts,
  forTenant: Store["forTenant"],
): StoreOperator {
  const { clock, work, signals } = ports;
  const names = new Map<string, object>();
  const releaseOwner = (owner: string): void => {
    const held = [...work.claimed].filter(({ claim }) => claim?.owner === owner);
    for (const cell of held) {
      loseClaim(cell, "the owner is gone", ports);
      announce(cell, ports, "work");
    }
  };
  return {
    async claim(request) {
      const now = clock.now();
      for (const cell of expiredClaims(ports, now)) loseClaim(cell, "the lease ended", ports);
      const claims: Claim[] = [];
      for (const cell of work.ready(now)) {
        if (claims.length >= request.limit) break;
        const claim = grantClaim(cell, request, now);
        work.refresh(cell, now);
        if (claim !== undefined) claims.push(claim);
      }
      return claims;
    },
    async renew(claims, leaseMs) {
      const leaseUntil = clock.now() + leaseMs;
      return claims.flatMap((claim) => {
        const cell = findHeld(worlds, claim);
        if (cell?.claim === undefined) return [];
        cell.claim = { ...cell.claim, leaseUntil };
        return [{ ...claim, lease_until: leaseUntil }];
      });
    },
    async release(claim, problem) {
      const cell = findHeld(worlds, claim);
      if (cell === undefined) {
        takeBackRecovery(worlds.get(claim.tenant)?.threads.get(claim.thread_id), claim);
        return;
      }
      giveBackClaim(cell, problem, clock.now());
      cell.isGivenBack = true;
      announce(cell, ports, "work");
    },
    async listLeases(tenant) {
      const held = [...work.claimed].filter(({ world }) => world === worlds.get(tenant));
      return held.flatMap((cell) => toLease(cell, clock.now()));
    },
    releaseOwner: async (owner) => releaseOwner(owner),
    async enter(owner) {
      if (names.has(owner)) throw new RepriseError("STORE_OWNED", `Somebody claims as ${owner} already.`);
      const holder = {};
      names.set(owner, holder);
      releaseOwner(owner);
      return async () => {
        if (names.get(owner) === holder) names.delete(owner);
      };
    },
    async prune(retention, signal) {
      const pruned: PrunedStore = {
        now: async () => clock.now(),
        pageThreads: async (after, limit) => pageThreads(worlds, after, limit),
        forTenant,
        pruneThread: async (pruning) => pruneThread(worlds, pruning, ports),
      };
      const threads = await pruneThreads(pruned, retention, signal);
      let documents = 0;
      for (const world of worlds.values()) documents += world.documents.prune(clock.now());
      return { ...threads, documents };
    },
    watch: (listener) => signals.watch(listener),
  };
}

const NOTHING: PrunedThreads = { versions: 0, entries: 0, threads: 0 };

function pruneThread(
  worlds: ReadonlyMap<string, TenantWorld>,
  pruning: ThreadPruning,
  ports: MemoryPorts,
): PrunedThreads {
  const cell = worlds.get(pruning.tenant)?.threads.get(pruning.thread_id);
  if (cell === undefined) return NOTHING;
  const pruned = pruneCell(cell, pruning, ports.clock.now());
  if (pruned.threads > 0) ports.work.remove(cell);
  return pruned;
}

function pageThreads(
  worlds: ReadonlyMap<string, TenantWorld>,
  after: ThreadPlace | undefined,
  limit: number,
): readonly TenantThread[] {
  const threads = [...worlds].flatMap(([tenant, world]) =>
    Array.from(world.threads.values(), ({ thread, base }) => ({ tenant, thread, pruned_version: base?.version ?? 0 })),
  );
  threads.sort((one, other) => compare(placeOf(one), placeOf(other)));
  const rest = after === undefined ? threads : threads.filter((thread) => compare(placeOf(thread), after) > 0);
  return rest.slice(0, limit);
}

function placeOf({ tenant, thread }: TenantThread): ThreadPlace {
  return { tenant, thread_id: thread.thread_id };
}

function compare(place: ThreadPlace, other: ThreadPlace): number {
  if (place.tenant !== other.tenant) return place.tenant < other.tenant ? -1 : 1;
  return place.thread_id === other.thread_id ? 0 : place.thread_id < other.thread_id ? -1 : 1;
}

function expiredClaims({ work }: MemoryPorts, now: number): readonly ThreadCell[] {
  return [...work.claimed].filter(({ claim }) => claim !== undefined && claim.leaseUntil <= now);
}

function loseClaim(cell: ThreadCell, error: string, { clock, work }: MemoryPorts): void {
  const now = clock.now();
  giveBackClaim(cell, { error, retry_at: now }, now);
  cell.isGivenBack = false;
  work.refresh(cell, now);
}

/** The thread of a claim that is still its holder's. */
function findHeld(worlds: ReadonlyMap<string, TenantWorld>, claim: Claim): ThreadCell | undefined {
  const cell = worlds.get(claim.tenant)?.threads.get(claim.thread_id);
  return cell?.claim?.epoch === claim.epoch ? cell : undefined;
}
