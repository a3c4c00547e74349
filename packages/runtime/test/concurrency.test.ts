import { textOf } from "@reprise/contracts";
import { describe, expect, it } from "vitest";
import { assertConsistent } from "./support/assert-consistent.ts";
import { createWorld, openRuntime } from "./support/open-runtime.ts";
import { settle, soon, until } from "./support/wait.ts";

/** A model that notes how many speak at once, and takes a few turns to answer. */
function crowdedModel() {
  const said: string[] = [];
  let speaking = 0;
  let most = 0;
  return {
    said,
    most: () => most,
    model: {
      id: "crowded",
      async *stream(request: { messages: readonly { content: unknown }[] }) {
        speaking += 1;
        most = Math.max(most, speaking);
        const heard = textOf(request.messages.at(-1) as { content: string });
        said.push(heard);
        await settle(3);
        yield { type: "text_delta", delta: heard } as const;
        speaking -= 1;
        yield { type: "finish", stop_reason: "end_turn" } as const;
      },
    },
  };
}

const numbers = (count: number) => Array.from({ length: count }, (_, index) => index);

describe("many runs", () => {
  it("on one thread go one at a time, in the order they came", async () => {
    const { model, said, most } = crowdedModel();
    const { runtime, tenant } = await openRuntime({ model });
    const runs = await Promise.all(
      numbers(50).map((index) => runtime.start({ agent: "agent", threadId: "t1", input: `n${index}` })),
    );
    const outcomes = await Promise.all(runs.map((run) => soon(run.outcome(), run.id)));
    expect(outcomes.map((outcome) => outcome.status === "done" && outcome.text)).toEqual(
      numbers(50).map((n) => `n${n}`),
    );
    expect([most(), said]).toEqual([1, numbers(50).map((n) => `n${n}`)]);
    await assertConsistent(tenant, "t1");
  });

  it("on one thread from two processes go one at a time", async () => {
    const world = createWorld();
    const { model, most } = crowdedModel();
    const first = await openRuntime({ world, model });
    const second = await openRuntime({ world, model });
    const runs = await Promise.all(
      numbers(30).map((index) =>
        (index % 2 === 0 ? first : second).runtime.start({ agent: "agent", threadId: "t1", input: `n${index}` }),
      ),
    );
    for (const run of runs) expect(await soon(run.outcome())).toMatchObject({ status: "done", run: { recoveries: 0 } });
    expect(most()).toBe(1);
    await assertConsistent(first.tenant, "t1");
  });

  it("on many threads go side by side, up to the limit", async () => {
    const { model, most } = crowdedModel();
    const { runtime } = await openRuntime({ model, limits: { maxActiveRuns: 3 } });
    const runs = await Promise.all(
      numbers(12).map((index) => runtime.start({ agent: "agent", threadId: `t${index}`, input: "go" })),
    );
    await until(async () => (await runtime.runs({ status: "done" })).total === 12, "all of them");
    for (const run of runs) expect(await soon(run.outcome())).toMatchObject({ status: "done" });
    expect(most()).toBe(3);
  });

  it("one after another on a thread are all found, also after the two hundredth", async () => {
    const { runtime } = await openRuntime({ script: () => "ok" });
    const runs = [];
    for (const index of numbers(230)) {
      runs.push(await runtime.start({ agent: "agent", threadId: "t1", input: `n${index}`, whenBusy: "enqueue" }));
    }
    for (const run of runs) expect(await run.outcome()).toMatchObject({ status: "done" });
  });

  it("go by priority, then by arrival", async () => {
    const { model, said } = crowdedModel();
    const { runtime } = await openRuntime({ model });
    const start = (content: string, priority: number) =>
      runtime.submit({ agent_id: "agent", thread_id: "t1", messages: [{ role: "user", content }], priority });
    const runs = [
      await start("first", 0),
      await start("low", -1),
      await start("a", 0),
      await start("high", 5),
      await start("b", 0),
    ];
    for (const run of runs) await soon(run.outcome());
    expect(said).toEqual(["first", "high", "a", "b", "low"]);
  });
});
