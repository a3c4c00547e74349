import type { Claim, StoreOperator } from "@reprise/contracts";
import { giveBackClaim, grantClaim } from "./claims.ts";
import type { MemoryPorts } from "./memory-ports.ts";
import { announce } from "./memory-writer.ts";
import type { TenantWorld } from "./tenant-world.ts";
import type { ThreadCell } from "./thread-cell.ts";

/** The dispatcher's side of the store, over all tenants. */
export function createMemoryOperator(worlds: ReadonlyMap<string, TenantWorld>, ports: MemoryPorts): StoreOperator {
  const { clock, work, signals } = ports;
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
      if (cell === undefined) return;
      giveBackClaim(cell, problem, clock.now());
      cell.isGivenBack = true;
      announce(cell, ports, "work");
    },
    async releaseOwner(owner) {
      const held = [...work.claimed].filter(({ claim }) => claim?.owner === owner);
      for (const cell of held) {
        loseClaim(cell, "the owner is gone", ports);
        announce(cell, ports, "work");
      }
    },
    watch: (listener) => signals.watch(listener),
  };
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
