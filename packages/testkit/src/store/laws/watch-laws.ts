import type { StoreSignal } from "@reprise/contracts";
import { expect } from "vitest";
import { buildDecision } from "../../build/build-records.ts";
import { eventually } from "../../eventually.ts";
import type { Law } from "../law-suite.ts";
import type { StoreBench } from "../store-bench.ts";

function listen(bench: StoreBench): { readonly signals: StoreSignal[]; readonly stop: () => void } {
  const signals: StoreSignal[] = [];
  return { signals, stop: bench.operator.watch((signal) => signals.push(signal)) };
}

/** The signals that watchers get. */
export function watchLaws(law: Law): void {
  law("tells of work, inboxes and commits", async (bench) => {
    const { signals, stop } = listen(bench);
    const place = { tenant: "tenant-1", thread_id: "thread-1" };
    const owner = await bench.start();
    await eventually(() => expect(signals).toContainEqual({ ...place, kind: "commit", run_id: owner.runId }));
    await bench.enqueue();
    await eventually(() => expect(signals).toContainEqual(expect.objectContaining({ ...place, kind: "work" })));
    await owner.suspend("c1");
    await bench.tenant.decide(buildDecision({ run_id: owner.runId, call_id: "c1" }));
    await eventually(() => expect(signals).toContainEqual({ ...place, kind: "inbox", run_id: owner.runId }));
    stop();
  });

  law("tells of work when a thread becomes free for what is queued on it", async (bench) => {
    const owner = await bench.start();
    await bench.enqueue();
    const { signals, stop } = listen(bench);
    await owner.become("done");
    await eventually(() => expect(signals).toContainEqual(expect.objectContaining({ kind: "work" })));
    stop();
  });

  law("tells after the write, so that a watcher finds what it was told of", async (bench) => {
    const found = Promise.withResolvers<readonly unknown[]>();
    const stop = bench.operator.watch(({ kind }) => {
      if (kind !== "work") return;
      // A store may tell twice, and of two claims one gets nothing.
      bench.claim().then((claims) => claims.length > 0 && found.resolve(claims), found.reject);
    });
    await bench.enqueue();
    expect(await found.promise).toHaveLength(1);
    stop();
  });

  law("does not let a watcher that throws hurt the write or the other watchers", async (bench) => {
    const stopBroken = bench.operator.watch(() => {
      throw new Error("broken watcher");
    });
    const { signals, stop } = listen(bench);
    await bench.enqueue();
    await eventually(() => expect(signals.length).toBeGreaterThan(0));
    stop();
    stopBroken();
  });

  law("sends no signal to a watcher that stopped listening", async (bench) => {
    const { signals, stop } = listen(bench);
    const other = listen(bench);
    stop();
    stop();
    await bench.enqueue();
    await eventually(() => expect(other.signals.length).toBeGreaterThan(0));
    expect(signals).toEqual([]);
    other.stop();
  });
}
