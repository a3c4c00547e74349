import type { Store } from "@reprise/contracts";
import { expect, it } from "vitest";
import { interceptStore } from "./support/intercept-store.ts";
import { createWorld, openRuntime } from "./support/open-runtime.ts";
import { countingTool } from "./support/tools.ts";

type Method = (...given: readonly unknown[]) => unknown;

/** A store that counts what is asked of it. */
function countCalls(store: Store): { readonly store: Store; readonly counts: Map<string, number> } {
  const counts = new Map<string, number>();
  const counted = <Facet extends object>(facet: Facet): Facet => {
    const methods = Object.entries<Method>({ ...facet } as Record<string, Method>).map(([name, method]) => [
      name,
      (...given: readonly unknown[]) => {
        counts.set(name, (counts.get(name) ?? 0) + 1);
        return method(...given);
      },
    ]);
    // The same names, and for each a function that does the same.
    return Object.fromEntries(methods) as Facet;
  };
  return { store: interceptStore(store, { tenant: counted, operator: counted }), counts };
}

it("a run, its reader and its outcome cost one load, one submission and its commits", async () => {
  const world = createWorld();
  const { store, counts } = countCalls(world.store);
  const { tool } = countingTool();
  const { runtime } = await openRuntime({
    world,
    store,
    script: () => [{ text: ["I ", "am "] }, { text: "done" }],
    tools: [tool],
  });
  const play = async (): Promise<Record<string, number>> => {
    counts.clear();
    const run = await runtime.start({ agent: "agent", threadId: "t1", input: "go" });
    const types: string[] = [];
    for await (const { type } of run.events()) types.push(type);
    expect(types.at(-1)).toBe("run_finish");
    expect(await run.outcome()).toMatchObject({ status: "done", text: "I am done" });
    return Object.fromEntries(counts);
  };
  // On a new thread, and on one that an earlier run left idle.
  expect(await play()).toEqual({ loadThread: 1, submit: 1, commit: 1 });
  expect(await play()).toEqual({ loadThread: 1, submit: 1, commit: 1 });
});
