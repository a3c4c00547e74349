import fc from "fast-check";
import { expect, it, onTestFinished } from "vitest";
import { openFileStore } from "../src/file/open-file-store.ts";
import { makePlace } from "./file/temporary-file-store.ts";
import { runChild } from "./support/run-child.ts";

/** Lets a child commit, kills it after so many acknowledgements, and returns what was acknowledged. */
async function killAfter(folder: string, round: number, count: number): Promise<readonly (readonly string[])[]> {
  const child = runChild("../file/children/commit-for-ever.ts", folder, String(round));
  const acknowledged: string[][] = [];
  for await (const line of child.lines) {
    acknowledged.push(line.split(" "));
    if (acknowledged.length === count) child.process.kill("SIGKILL");
  }
  await child.exited;
  return acknowledged;
}

it("has everything that was acknowledged when its process is killed in the middle of commits", async () => {
  const { folder, remove } = makePlace();
  onTestFinished(remove);
  const counts = fc.sample(fc.integer({ min: 1, max: 300 }), { numRuns: 4, seed: fc.readConfigureGlobal().seed ?? 0 });
  for (const [round, count] of counts.entries()) {
    const acknowledged = await killAfter(folder, round, count);
    expect(acknowledged.length).toBeGreaterThanOrEqual(count);
    const store = await openFileStore({ folder });
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
});
