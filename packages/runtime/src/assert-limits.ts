import { RepriseError } from "@reprise/contracts";
import type { Limits } from "./services.ts";

/** Refuses limits nothing could run under, before anything does. */
export function assertLimits(limits: Limits): void {
  const { maxActiveRuns, leaseMs, renewEveryMs, pools } = limits;
  // None at all is a process that takes no work: it may still read, enqueue and decide.
  assertCount("limits.maxActiveRuns", maxActiveRuns, 0);
  for (const [pool, places] of Object.entries(pools)) assertCount(`limits.pools.${pool}`, places, 1);
  // A claim is given up one renewal before it runs out: there must be time for one before that.
  if (!(renewEveryMs > 0) || !(leaseMs > 2 * renewEveryMs)) {
    throw invalid(`limits.leaseMs (${leaseMs}) must be more than twice limits.renewEveryMs (${renewEveryMs}).`);
  }
}

function assertCount(name: string, count: number, least: number): void {
  if (Number.isSafeInteger(count) && count >= least) return;
  throw invalid(`${name} is a whole number from ${least} on, not ${count}.`);
}

function invalid(message: string): RepriseError {
  return new RepriseError("INVALID_DEFINITION", message);
}
