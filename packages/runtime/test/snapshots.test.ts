import { defineTool } from "@reprise/runtime";
import { defineState } from "@reprise/state";
import { describe, expect, it } from "vitest";
import { interceptStore } from "./support/intercept-store.ts";
import { openRuntime } from "./support/open-runtime.ts";
import { settle, soon } from "./support/wait.ts";

const texts = defineState({
  path: "texts",
  initial: (): string[] => [],
  actions: { add: (list, text: string) => [...list, text] },
});

/** Adds 20 kB of text to the state. */
const grow = defineTool({
  id: "grow",
  description: "Grows the state.",
  execute(_, { state, identity }) {
    state.apply(texts.add(identity.callId.padEnd(20_000, "x")));
    return null;
  },
});

async function growBy(turns: number) {
  const bench = await openRuntime({
    script: Array.from({ length: turns }, () => [[{ call: "grow" }], "ok"]).flat(),
    tools: [grow],
  });
  for (let turn = 0; turn < turns; turn += 1) {
    await soon((await bench.runtime.start({ agent: "agent", threadId: "t1", input: "go" })).outcome());
    await settle();
  }
  return bench;
}

describe("a thread whose patches have become long", () => {
  it("gets a snapshot that equals the fold of its patches", async () => {
    const { tenant, runtime } = await growBy(4);
    const snapshot = await tenant.loadSnapshot("t1");
    expect(snapshot?.version).toBeGreaterThan(0);
    expect(snapshot?.state).toEqual(await runtime.threads.state("t1", { version: snapshot?.version ?? 0 }));
    expect(JSON.stringify(snapshot?.state).length).toBeGreaterThan(64 * 1024);
  });

  it("is loaded from the snapshot by the next process, which reads only the patches since", async () => {
    const { tenant, ...world } = await growBy(4);
    const snapshot = await tenant.loadSnapshot("t1");
    const read: number[] = [];
    const store = interceptStore(world.store, {
      tenant: (inner) => ({
        readPatches: async (threadId, after, upTo) => {
          read.push(after);
          return inner.readPatches(threadId, after, upTo);
        },
      }),
    });
    const other = await openRuntime({ script: ["hello"], tools: [grow], world, store });
    await soon((await other.runtime.start({ agent: "agent", threadId: "t1", input: "go" })).outcome());
    expect(read).toEqual([snapshot?.version]);
    expect(texts.read(await other.runtime.threads.state("t1"))).toHaveLength(4);
  });

  it("is snapshotted again only when the patches have outgrown the last snapshot", async () => {
    const { tenant } = await growBy(4);
    const first = (await tenant.loadSnapshot("t1"))?.version ?? 0;
    const { tenant: longer } = await growBy(12);
    const versions = new Set<number>();
    const head = await longer.loadThread("t1");
    for (let version = 0; version <= (head?.thread.version ?? 0); version += 1) {
      const kept = await longer.loadSnapshot("t1", version);
      if (kept !== undefined) versions.add(kept.version);
    }
    expect([...versions][0]).toBe(first);
    expect(versions.size).toBe(2);
  });

  it("continues without one when the store cannot keep it", async () => {
    const bench = await growBy(0);
    const store = interceptStore(bench.store, {
      tenant: () => ({ saveSnapshot: async () => Promise.reject(new Error("full")) }),
    });
    const { runtime, tenant } = await openRuntime({
      script: Array.from({ length: 5 }, () => [[{ call: "grow" }], "ok"]).flat(),
      tools: [grow],
      world: bench,
      store,
    });
    for (let turn = 0; turn < 5; turn += 1) {
      await soon((await runtime.start({ agent: "agent", threadId: "t2", input: "go" })).outcome());
    }
    expect(await tenant.loadSnapshot("t2")).toBeUndefined();
    expect(bench.env.lines.map(({ message }) => message)).toContain("a snapshot could not be kept");
  });
});
