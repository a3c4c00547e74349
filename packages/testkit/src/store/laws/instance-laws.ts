import type { WorkerEntry } from "@reprise/contracts";
import { expect } from "vitest";
import type { Law } from "../law-suite.ts";
import { expectRefusal } from "../refusal.ts";
import { LEASE_MS } from "../store-bench.ts";

/** Processes that have a name, and have it alone. */
export function instanceLaws(law: Law): void {
  law(
    "gives back what an earlier process left under the name one enters with, and nothing of others",
    async (bench) => {
      const left = await bench.start("left");
      await bench.enqueue({ thread_id: "queued", entry_id: "e1" });
      await bench.claim("owner-1");
      await bench.enqueue({ thread_id: "other" });
      const [others] = await bench.claim("owner-2");
      await bench.operator.enter(named("owner-1"));
      const claims = await bench.claim("owner-1");
      expect(claims.map(({ thread_id, kind }) => [thread_id, kind]).toSorted()).toEqual([
        ["left", "recover"],
        ["queued", "start"],
      ]);
      await expectRefusal(left.commit(), "STALE_EPOCH");
      expect(await bench.operator.renew(others === undefined ? [] : [others], LEASE_MS)).toHaveLength(1);
    },
  );

  law("refuses a worker under a name that is taken, until its owner leaves", async (bench) => {
    const first = await bench.operator.enter(named("name"));
    const other = await bench.otherHandle();
    await expectRefusal(other.operator.enter(named("name")), "STORE_OWNED");
    const second = await other.operator.enter(named("other name"));
    await expectRefusal(bench.operator.enter(named("other name")), "STORE_OWNED");
    await first.leave();
    const again = await other.operator.enter(named("name"));
    await expectRefusal(bench.operator.enter(named("name")), "STORE_OWNED");
    await second.leave();
    await again.leave();
  });

  law("takes nothing from a process that is refused, and nothing from the one that is in", async (bench) => {
    const presence = await bench.operator.enter(named("owner-1"));
    const owner = await bench.start();
    const other = await bench.otherHandle();
    await expectRefusal(other.operator.enter(named("owner-1")), "STORE_OWNED");
    expect(await bench.operator.renew([owner.claim], LEASE_MS)).toHaveLength(1);
    await owner.commit();
    await presence.leave();
  });

  law("lets one of many in who come at once", async (bench) => {
    const other = await bench.otherHandle();
    const came = await Promise.allSettled(
      Array.from({ length: 6 }, (_, index) => (index % 2 === 0 ? bench.store : other).operator.enter(named("name"))),
    );
    const entered = came.flatMap((result) => (result.status === "fulfilled" ? [result.value] : []));
    expect(entered).toHaveLength(1);
    for (const presence of entered) await presence.leave();
    await (await other.operator.enter(named("name"))).leave();
  });

  law("takes leaving twice as leaving once", async (bench) => {
    const first = await bench.operator.enter(named("name"));
    await first.leave();
    const again = await bench.operator.enter(named("name"));
    await first.leave();
    await expectRefusal((await bench.otherHandle()).operator.enter(named("name")), "STORE_OWNED");
    await again.leave();
  });

  law("keeps a name for as long as its process says that it is alive", async (bench) => {
    const first = await bench.operator.enter(named("name"));
    const other = await bench.otherHandle();
    for (let turn = 0; turn < 3; turn += 1) {
      await bench.advance(LEASE_MS - 1);
      expect(await first.announce({})).toBe(true);
    }
    await expectRefusal(other.operator.enter(named("name")), "STORE_OWNED");
    await first.leave();
  });

  law("issue 14.35: replaces a process that was silent for longer than its lease, and tells it", async (bench) => {
    const frozen = await bench.operator.enter(named("owner-1"));
    const left = await bench.start();
    await bench.advance(LEASE_MS + 1);
    const other = await bench.otherHandle();
    const next = await other.operator.enter(named("owner-1"));
    expect(await bench.claimOne("owner-1")).toMatchObject({ kind: "recover", thread_id: left.threadId });
    await expectRefusal(left.commit(), "STALE_EPOCH");
    expect(await frozen.announce({})).toBe(false);
    await frozen.leave();
    expect(await next.announce({})).toBe(true);
    expect((await bench.operator.listWorkers()).map(({ owner }) => owner)).toEqual(["owner-1"]);
    await next.leave();
  });
}

function named(owner: string): WorkerEntry {
  return { owner, is_lasting: true, lease_ms: LEASE_MS };
}
