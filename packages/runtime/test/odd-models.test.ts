import { textOf } from "@reprise/contracts";
import { describe, expect, it } from "vitest";
import { assertConsistent } from "./support/assert-consistent.ts";
import { openRuntime } from "./support/open-runtime.ts";
import { ADD, playScript } from "./support/play-script.ts";
import { settle, soon } from "./support/wait.ts";

describe("a model that says nothing more", () => {
  it("is given up on after its time, told to stop, and continued", async () => {
    const { runtime, env, model, tenant } = await openRuntime({
      script: [[{ text: "One, " }, { stall: true }], "two."],
      limits: { modelIdleTimeoutMs: 5_000 },
    });
    const run = await runtime.start({ agent: "agent", threadId: "t1", input: "go" });
    await settle();
    await env.advance(4_999);
    expect(model.requests).toHaveLength(1);
    await env.advance(5_001);
    expect(await soon(run.outcome())).toMatchObject({ status: "done", text: "One, two." });
    expect(model.requests.map(({ signal }) => signal.aborted)).toEqual([true, false]);
    await assertConsistent(tenant, "t1");
  });

  it("and does not listen to its signal does not hold up a cancellation", async () => {
    const model = {
      id: "deaf",
      async *stream() {
        yield { type: "text_delta", delta: "hm" } as const;
        await new Promise(() => undefined);
      },
    };
    const { runtime, tenant } = await openRuntime({ model, limits: { modelIdleTimeoutMs: null } });
    const run = await runtime.start({ agent: "agent", threadId: "t1", input: "go" });
    await settle();
    await run.cancel();
    expect(await soon(run.outcome())).toMatchObject({ status: "cancelled" });
    await assertConsistent(tenant, "t1");
  });
});

describe("a model that runs out of room", () => {
  it("is asked to continue, three times at most", async () => {
    const piece = (text: string) => [{ text }, { stop: "max_tokens" }] as const;
    const { outcome, model, answers } = await playScript([piece("a"), piece("b"), piece("c"), piece("d"), "never"]);
    expect(outcome).toMatchObject({ status: "done", text: "abcd" });
    expect(model.requests).toHaveLength(4);
    expect(answers.map(textOf)).toEqual(["abcd"]);
    expect(JSON.stringify(model.requests[3]?.messages)).toContain("abc");
  });

  it("after a whole call runs it", async () => {
    const { outcome, keys } = await playScript([[ADD, { stop: "max_tokens" }], "ok"]);
    expect(outcome).toMatchObject({ status: "done", text: "ok" });
    expect(keys).toHaveLength(1);
  });
});

describe("a model that is odd", () => {
  it("and uses one id for two calls gets both results", async () => {
    const { keys, answers, outcome } = await playScript([
      [
        { ...ADD, id: "same" },
        { ...ADD, id: "same" },
      ],
      "ok",
    ]);
    expect(outcome).toMatchObject({ status: "done", text: "ok" });
    expect(new Set(keys).size).toBe(2);
    expect(answers[0]?.tool_calls?.map(({ provider_call_id }) => provider_call_id)).toEqual(["same", "same"]);
  });

  it("and answers nothing at all ends the run without a message", async () => {
    const { outcome, answers } = await playScript([[]]);
    expect(outcome).toMatchObject({ status: "done", text: "", termination: { type: "natural_end" } });
    expect(answers).toEqual([]);
  });

  it("and sends half characters leaves whole ones in the thread", async () => {
    const { outcome, answers, events } = await playScript([[{ text: ["\ud83d", "\ude00!", "\ud800"] }]]);
    expect(outcome).toMatchObject({ status: "done", text: expect.stringMatching(/^😀!/) });
    const deltas = events.flatMap((event) => (event.type === "text_delta" ? [event.data.delta] : []));
    expect(deltas.every((delta) => delta.isWellFormed())).toBe(true);
    expect(answers.map(textOf)).toEqual([deltas.join("")]);
  });
});
