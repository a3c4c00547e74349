import { type DecisionVerb, RepriseError, type TenantStore } from "@reprise/contracts";
import { type Driver, REFUSALS } from "./drive.ts";
import type { Instance } from "./world.ts";

const ROUNDS = 200;
/** From this round on a process that stood still continues, long after another one took over. */
const THAW_ROUND = 10;
/** Long rounds after this one: what is left waits for slow tools. */
const SHORT_ROUNDS = 30;

/** Brings up a healthy process, decides what is open, and lets time pass until nothing is left to do. */
export async function drain(driver: Driver): Promise<void> {
  const { world } = driver;
  for (const { process } of world.instances) {
    process.traps.length = 0;
    process.flaky = { method: "any", count: 0, isLate: false };
  }
  const fresh = await world.boot();
  for (let round = 0; round < ROUNDS; round += 1) {
    await world.env.advance(round < SHORT_ROUNDS ? 2_000 : 10_000);
    await world.turns(20);
    if (round === THAW_ROUND) for (const { process } of world.instances) process.thaw();
    await decideOpen(driver, fresh, round);
    if (round > THAW_ROUND + 5 && (await isQuiet(world.tenant))) break;
  }
  await world.env.advance(20_000);
  for (let round = 0; round < 30; round += 1) await bringReadersHome(driver, fresh);
}

export async function isQuiet(store: TenantStore): Promise<boolean> {
  for (const status of ["running", "waiting"] as const) {
    if ((await store.listRuns({ status })).total > 0) return false;
  }
  for (const status of ["queued", "claimed"] as const) {
    if ((await store.listEntries({ status })).total > 0) return false;
  }
  return true;
}

async function decideOpen({ world, scenario }: Driver, { runtime }: Instance, round: number): Promise<void> {
  const { verdicts } = scenario;
  const { items } = await world.tenant.listCalls({ status: "suspended", limit: 200 });
  for (const [index, { call_id }] of items.entries()) {
    const verb = verdicts[(round + index) % verdicts.length] ?? { action: "approve" };
    const attempt = (said: DecisionVerb): Promise<unknown> =>
      runtime.decisions.decide(call_id, said).then(
        () => undefined,
        (error: unknown) => error,
      );
    const first = await attempt(verb);
    // The question is still open: it is answered in another way.
    const refused = RepriseError.is(first, "INVALID_ARGUMENTS") ? await attempt({ action: "approve" }) : first;
    if (refused !== undefined && !(RepriseError.is(refused) && REFUSALS.has(refused.code))) throw refused;
  }
}

/** Readers whose process is gone continue elsewhere, and so do those that were sent away while the run waited. */
async function bringReadersHome(driver: Driver, fresh: Instance): Promise<void> {
  for (const reader of driver.readers) {
    const isLeft = reader.process?.status !== "alive" || (!reader.isReading && !reader.isDone);
    if (isLeft) driver.hop(fresh, reader, 0);
  }
  await driver.world.turns(10);
}
