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
      await bench.operator.enter("owner-1");
      const claims = await bench.claim("owner-1");
      expect(claims.map(({ thread_id, kind }) => [thread_id, kind]).toSorted()).toEqual([
        ["left", "recover"],
        ["queued", "start"],
      ]);
      await expectRefusal(left.commit(), "STALE_EPOCH");
      expect(await bench.operator.renew(others === undefined ? [] : [others], LEASE_MS)).toHaveLength(1);
    },
  );

  law("lets nobody in under a name that is taken, until it is left", async (bench) => {
    const leave = await bench.operator.enter("name");
    const other = await bench.otherHandle();
    await expectRefusal(other.operator.enter("name"), "STORE_OWNED");
    const leaveOther = await other.operator.enter("other name");
    await expectRefusal(bench.operator.enter("other name"), "STORE_OWNED");
    await leave();
    const leaveAgain = await other.operator.enter("name");
    await expectRefusal(bench.operator.enter("name"), "STORE_OWNED");
    await leaveOther();
    await leaveAgain();
  });

  law("takes nothing from a process that is refused, and nothing from the one that is in", async (bench) => {
    const leave = await bench.operator.enter("owner-1");
    const owner = await bench.start();
    const other = await bench.otherHandle();
    await expectRefusal(other.operator.enter("owner-1"), "STORE_OWNED");
    expect(await bench.operator.renew([owner.claim], LEASE_MS)).toHaveLength(1);
    await owner.commit();
    await leave();
  });

  law("lets one of many in who come at once", async (bench) => {
    const other = await bench.otherHandle();
    const came = await Promise.allSettled(
      Array.from({ length: 6 }, (_, index) => (index % 2 === 0 ? bench.store : other).operator.enter("name")),
    );
    const entered = came.flatMap((result) => (result.status === "fulfilled" ? [result.value] : []));
    expect(entered).toHaveLength(1);
    for (const leave of entered) await leave();
    await (await other.operator.enter("name"))();
  });

  law("takes leaving twice as leaving once", async (bench) => {
    const leave = await bench.operator.enter("name");
    await leave();
    const leaveAgain = await bench.operator.enter("name");
    await leave();
    await expectRefusal((await bench.otherHandle()).operator.enter("name"), "STORE_OWNED");
    await leaveAgain();
  });
}
