import { expect } from "vitest";
import { buildEvents } from "../../build/build-records.ts";
import type { Law } from "../law-suite.ts";
import { expectRefusal } from "../refusal.ts";
import { LEASE_MS } from "../store-bench.ts";

/** The journal of a run. */
export function eventLaws(law: Law): void {
  law("reads a run's events after a place, with the epoch that wrote them", async (bench) => {
    const owner = await bench.start();
    const { epoch } = owner.claim;
    await owner.commit({ events: buildEvents(owner.run, 1, 3) });
    await owner.commit();
    await owner.commit({ events: buildEvents(owner.run, 4, 2) });
    const read = (afterSeq: number) => bench.tenant.readEvents(owner.runId, afterSeq);
    expect(await read(0)).toEqual([
      { epoch, events: buildEvents(owner.run, 1, 3) },
      { epoch, events: buildEvents(owner.run, 4, 2) },
    ]);
    expect(await read(2)).toEqual([
      { epoch, events: buildEvents(owner.run, 3, 1) },
      { epoch, events: buildEvents(owner.run, 4, 2) },
    ]);
    expect(await read(4)).toEqual([{ epoch, events: buildEvents(owner.run, 5, 1) }]);
    expect(await read(5)).toEqual([]);
    expect(await bench.tenant.readEvents("nobody", 0)).toEqual([]);
  });

  law("reads a run's events some commits at a time", async (bench) => {
    const owner = await bench.start();
    for (let seq = 1; seq <= 9; seq += 3) await owner.commit({ events: buildEvents(owner.run, seq, 3) });
    const read = async (afterSeq: number, limit: number) =>
      (await bench.tenant.readEvents(owner.runId, afterSeq, limit)).map(({ events }) => events.map(({ seq }) => seq));
    expect(await read(0, 2)).toEqual([
      [1, 2, 3],
      [4, 5, 6],
    ]);
    expect(await read(5, 1)).toEqual([[6]]);
    expect(await read(6, 2)).toEqual([[7, 8, 9]]);
    expect(await read(9, 2)).toEqual([]);
  });

  law("knows the last event an epoch or an earlier one committed", async (bench) => {
    const first = await bench.start();
    await first.commit({ events: buildEvents(first.run, 1, 3) });
    await bench.advance(LEASE_MS + 1);
    const second = await bench.take(await bench.claimOne());
    const last = (epoch: number) => bench.tenant.lastSeqOfEpoch(first.runId, epoch);
    expect(await last(second.claim.epoch)).toBe(3);
    await second.commit({ events: buildEvents(first.run, 4, 2) });
    expect(await last(first.claim.epoch - 1)).toBe(0);
    expect(await last(first.claim.epoch)).toBe(3);
    expect(await last(second.claim.epoch)).toBe(5);
    expect(await last(second.claim.epoch + 5)).toBe(5);
    expect(await bench.tenant.lastSeqOfEpoch("nobody", 1)).toBe(0);
    const epochs = (await bench.tenant.readEvents(first.runId, 0)).map(({ epoch }) => epoch);
    expect(epochs).toEqual([first.claim.epoch, second.claim.epoch]);
  });

  law("has no gap and no repetition in a run's events", async (bench) => {
    const owner = await bench.start();
    await owner.commit({ events: buildEvents(owner.run, 1, 2) });
    await expectRefusal(owner.commit({ events: buildEvents(owner.run, 4, 1) }), "INVALID_REQUEST");
    await expectRefusal(owner.commit({ events: buildEvents(owner.run, 2, 1) }), "INVALID_REQUEST");
    await owner.commit({ events: buildEvents(owner.run, 3, 1) });
  });

  law("files the end of a superseded run under that run", async (bench) => {
    const first = await bench.start();
    await first.commit({ events: buildEvents(first.run, 1, 2) });
    await first.suspend("c1");
    await bench.enqueue({ busy_policy: "continue" });
    const second = await bench.take(await bench.claimOne());
    await second.commit({
      runs: [{ ...first.run, status: "done" }, second.run],
      events: [...buildEvents(first.run, 3, 1), ...buildEvents(second.run, 1, 2)],
    });
    const seqs = async (runId: string) =>
      (await bench.tenant.readEvents(runId, 0)).flatMap(({ events }) => events.map(({ seq }) => seq));
    expect(await seqs(first.runId)).toEqual([1, 2, 3]);
    expect(await seqs(second.runId)).toEqual([1, 2]);
  });
}
