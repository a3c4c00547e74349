import { expect } from "vitest";
import { buildPatch } from "../../build/build-records.ts";
import type { Law } from "../law-suite.ts";

/** Patches by version, and the snapshots that shorten reading them. */
export function stateLaws(law: Law): void {
  law("reads the patches after a version, one item a version, up to another", async (bench) => {
    const owner = await bench.start();
    await owner.commit({ patches: [buildPatch("p1", "n", 1), buildPatch("p2", "n", 2)] });
    await owner.commit();
    await owner.commit({ patches: [buildPatch("p3", "n", 3)] });
    const read = async (after: number, upTo?: number) =>
      (await bench.tenant.readPatches("thread-1", after, upTo)).map(({ version, patches }) => [
        version,
        ...patches.map(({ id }) => id),
      ]);
    expect(await read(0)).toEqual([[1], [2, "p1", "p2"], [3], [4, "p3"]]);
    expect(await read(2)).toEqual([[3], [4, "p3"]]);
    expect(await read(1, 3)).toEqual([[2, "p1", "p2"], [3]]);
    expect(await read(4)).toEqual([]);
    expect(await bench.tenant.readPatches("thread-1", 3)).toEqual([
      { version: 4, patches: [buildPatch("p3", "n", 3)] },
    ]);
  });

  law("reads changesets after a version, in pages", async (bench) => {
    const owner = await bench.start();
    for (let turn = 0; turn < 4; turn += 1) await owner.commit();
    const read = async (after: number, limit?: number) =>
      (await bench.tenant.readChangesets("thread-1", after, limit)).map(({ version }) => version);
    expect(await read(0)).toEqual([1, 2, 3, 4, 5]);
    expect(await read(1, 2)).toEqual([2, 3]);
    expect(await read(5)).toEqual([]);
  });

  law("finds the newest snapshot at or before a version", async (bench) => {
    const owner = await bench.start();
    for (let turn = 0; turn < 4; turn += 1) await owner.commit();
    expect(await bench.tenant.loadSnapshot("thread-1")).toBeUndefined();
    for (const version of [4, 2]) await bench.tenant.saveSnapshot("thread-1", { version, state: { version } });
    const found = async (version?: number) => (await bench.tenant.loadSnapshot("thread-1", version))?.version;
    expect([await found(), await found(5), await found(4), await found(3), await found(1)]).toEqual([
      4,
      4,
      4,
      2,
      undefined,
    ]);
    expect(await bench.tenant.loadSnapshot("thread-1", 2)).toEqual({ version: 2, state: { version: 2 } });
  });

  law("silently drops a snapshot of a version or a thread that does not exist", async (bench) => {
    await bench.start();
    await bench.tenant.saveSnapshot("thread-1", { version: 9, state: {} });
    await bench.tenant.saveSnapshot("nowhere", { version: 1, state: {} });
    expect(await bench.tenant.loadSnapshot("thread-1")).toBeUndefined();
    expect(await bench.tenant.loadThread("nowhere")).toBeUndefined();
  });
}
