import fc from "fast-check";
import { expect, it } from "vitest";
import { openSqliteStore } from "../src/sqlite/open-sqlite-store.ts";
import { runChild } from "./support/run-child.ts";
import { makeStoreFolder } from "./support/temporary-store.ts";

/** Lets a child commit, kills it after so many acknowledgements, and returns what was acknowledged. */
async function killAfter(file: string, round: number, count: number): Promise<readonly (readonly string[])[]> {
  const child = runChild("commit-for-ever.ts", file, String(round));
  const acknowledged: string[][] = [];
  for await (const line of child.lines) {
    acknowledged.push(line.split(" "));
    if (acknowledged.length === count) child.process.kill("SIGKILL");
  }
  await child.exited;
  return acknowledged;
}

it("has everything that was acknowledged when its process is killed in the middle of commits", async () => {
  const { file, remove } = makeStoreFolder();
  const counts = fc.sample(fc.integer({ min: 1, max: 300 }), { numRuns: 4, seed: fc.readConfigureGlobal().seed ?? 0 });
  for (const [round, count] of counts.entries()) {
    const acknowledged = await killAfter(file, round, count);
    expect(acknowledged.length).toBeGreaterThanOrEqual(count);
    const store = await openSqliteStore({ file });
    const tenant = store.forTenant("default");
    for (const [threadId = "", lastId = ""] of new Map(acknowledged.map(([id, last]) => [id, last]))) {
      const changesets = [];
      for (;;) {
        const page = await tenant.readChangesets(threadId, changesets.length, 200);
        changesets.push(...page);
        if (page.length < 200) break;
      }
      expect(changesets.map(({ version }) => version)).toEqual(changesets.map((_, index) => index + 1));
      expect(changesets.map(({ changeset_id }) => changeset_id)).toContain(lastId);
      const events = (await tenant.readEvents(`${threadId}-run-1`, 0)).flatMap((segment) => segment.events);
      expect(events.map(({ seq }) => seq)).toEqual(events.map((_, index) => index + 1));
      expect(events.length).toBe((changesets.length - 1) * 2);
      expect((await tenant.readMessages(threadId, 0)).messages.length).toBe(changesets.length);
    }
    await store.close();
  }
  remove();
});
