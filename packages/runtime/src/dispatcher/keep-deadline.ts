import { type Claim, describeThrown, type RunRecord } from "@reprise/contracts";
import { returnQueued } from "../budget/return-allotments.ts";
import type { Services } from "../loop/services.ts";
import { cancelBelow, requestStop } from "../run/run-tree.ts";

/** The longest time a timer takes. */
const LONGEST_MS = 2 ** 31 - 1;

/**
 * Ends a run whose time is over, in the way of every cancellation: durably, with everything below it, and as an effect that a replay finds. A run that
 * waits is woken by the expiry of its calls. Returns how to stop watching.
 */
export async function keepDeadline(
  services: Services,
  claim: Claim,
  run: RunRecord,
  signal: AbortSignal,
): Promise<() => void> {
  const { deadline_at } = run;
  if (deadline_at === undefined) return () => undefined;
  const { env, time } = services;
  if (deadline_at <= time.now()) {
    await stopRun(services, claim, run);
    // A run that begins does not look for a cancellation by itself. It must not ask a model before it has heard of this one.
    if (claim.kind === "start" && !signal.aborted)
      await new Promise((resolve) => signal.addEventListener("abort", resolve, { once: true }));
    return () => undefined;
  }
  let cancel: () => void = () => undefined;
  const watch = (): void => {
    const left = deadline_at - time.now();
    cancel = env.clock.after(Math.min(Math.max(left, 0), LONGEST_MS), () => {
      if (deadline_at > time.now()) return watch();
      stopRun(services, claim, run).catch((error: unknown) =>
        env.log("error", "a run whose time is over could not be stopped", {
          run_id: run.run_id,
          problem: describeThrown(error),
        }),
      );
    });
  };
  watch();
  return () => cancel();
}

async function stopRun(services: Services, { tenant }: Claim, run: RunRecord): Promise<void> {
  const { store, time } = services;
  const own = store.forTenant(tenant);
  await requestStop(own, run.run_id, "The time of the run is over.");
  await cancelBelow(own, run, `The time of run ${run.run_id}, which started it, is over.`, time.now());
  await returnQueued(services, tenant, run);
}
