import { type Changeset, chainDigest, contentDigest, FIRST_DIGEST, type StoredChangeset } from "@reprise/contracts";
import { expect } from "vitest";
import { buildChangeset } from "../../build/build-changeset.ts";
import { buildEvents, buildMessage, buildPatch } from "../../build/build-records.ts";
import { createFakeEnv } from "../../env/create-fake-env.ts";
import type { Law } from "../law-suite.ts";
import type { StoreBench } from "../store-bench.ts";

/** The digests that changesets must have behind a version with this digest. */
function chainOf(stored: readonly StoredChangeset[], before: string): readonly string[] {
  const { hash } = createFakeEnv();
  let digest = before;
  return stored.map(({ version: _, digest: _digest, ...changeset }) => {
    digest = chainDigest(digest, contentDigest(changeset, hash), hash);
    return digest;
  });
}

/** Two whole runs of two versions each, and a version from outside a run. */
async function fill(bench: StoreBench): Promise<void> {
  for (const number of [1, 2]) {
    const messages = [buildMessage(`m${number}`, { content: "ünï\u0000 🦊" })];
    const owner = await bench.start("thread-1", { messages });
    const base_version = owner.version - 1;
    owner.run = { ...owner.run, base_version, last_seq: 2 };
    const parts: Partial<Changeset> = {
      events: buildEvents(owner.run, 1, 2),
      patches: [buildPatch(`p${number}`, "n", number)],
      calls: [owner.call(`c${number}`, { status: "succeeded" })],
    };
    await owner.become("done", parts);
  }
  const outside = buildChangeset({ changeset_id: "outside", supersedes: ["m1"] });
  await bench.tenant.commit(outside, { expected: "any", epoch: null });
}

/** Each version's digest covers everything up to it. */
export function digestLaws(law: Law): void {
  law("gives every version the digest of its content and of the version before it", async (bench) => {
    await fill(bench);
    const stored = await bench.tenant.readChangesets("thread-1", 0);
    expect(stored).toHaveLength(5);
    expect(stored.map(({ digest }) => digest)).toEqual(chainOf(stored, FIRST_DIGEST));
    const other = (await bench.otherHandle()).forTenant("tenant-1");
    expect(await other.readChangesets("thread-1", 0)).toEqual(stored);
  });

  law("starts a fork's digests anew", async (bench) => {
    await fill(bench);
    await bench.tenant.forkThread("thread-1", 3, "fork");
    const stored = await bench.tenant.readChangesets("fork", 0);
    expect(stored.map(({ digest }) => digest)).toEqual(chainOf(stored, FIRST_DIGEST));
  });

  law("keeps the digests of a thread whose history was cut, and continues them", async (bench) => {
    await fill(bench);
    const before = await bench.tenant.readChangesets("thread-1", 0);
    expect(await bench.operator.prune({ historyVersions: 3 })).toMatchObject({ versions: 2 });
    const owner = await bench.start("thread-1");
    await owner.become("done");
    const stored = await bench.tenant.readChangesets("thread-1", 2);
    expect(stored.slice(0, 3)).toEqual(before.slice(2));
    expect(stored.map(({ digest }) => digest)).toEqual(chainOf(stored, before[1]?.digest ?? ""));
    await bench.operator.prune({ historyVersions: 0 });
    await bench.start("thread-1");
    const last = await bench.tenant.readChangesets("thread-1", 7);
    expect(last.map(({ digest }) => digest)).toEqual(chainOf(last, stored.at(-1)?.digest ?? ""));
  });
}
