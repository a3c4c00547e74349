import { textOf } from "@reprise/contracts";
import { describe, expect, it } from "vitest";
import { ADD, playScript } from "./support/play-script.ts";

describe("a model whose stream breaks", () => {
  it("in the middle of a text continues in the same message", async () => {
    const { outcome, answers, model, types } = await playScript([
      [{ text: ["One, ", "two"] }, { cut: true }],
      ", three.",
    ]);
    expect(outcome).toMatchObject({ status: "done", text: "One, two, three." });
    expect(answers.map(textOf)).toEqual(["One, two, three."]);
    expect(types).not.toContain("step_reset");
    expect(types.filter((type) => type === "step_start")).toHaveLength(1);
    expect(model.requests[1]?.messages.slice(1).map(({ role }) => role)).toEqual(["assistant", "user"]);
    expect(textOf(model.requests[1]?.messages[1] ?? { content: "" })).toBe("One, two");
  });

  it("inside a call's arguments never runs that call", async () => {
    const broken = { unfinishedCall: "add", raw: '{"title":"x"}' } as const;
    const { outcome, keys, types, answers } = await playScript([[broken, { cut: true }], "instead"]);
    expect(outcome).toMatchObject({ status: "done", text: "instead" });
    expect(keys).toEqual([]);
    expect(types).toContain("step_reset");
    expect(answers.flatMap(({ tool_calls }) => tool_calls ?? [])).toEqual([]);
  });

  it("after a whole call runs that one and drops the unfinished one", async () => {
    const { outcome, keys, answers, events } = await playScript([
      [{ text: "Well. " }, ADD, { unfinishedCall: "add", raw: '{"ti' }, { cut: true }],
      "ok",
    ]);
    expect(outcome).toMatchObject({ status: "done", text: "ok" });
    expect(keys).toHaveLength(1);
    expect(answers[0]?.tool_calls).toHaveLength(1);
    const done = events.flatMap((event) => (event.type === "tool_call_done" ? [event.data.id] : []));
    expect(done).toEqual(keys);
  });

  it("before it said anything is asked again, and nothing is withdrawn", async () => {
    const { outcome, types, model } = await playScript([[{ fail: "overloaded" }], "ok"]);
    expect(outcome).toMatchObject({ status: "done", text: "ok" });
    expect(types).not.toContain("step_reset");
    expect(model.requests.map(({ messages }) => messages.length)).toEqual([1, 1]);
  });

  it("after it only thought is asked again, and the thoughts are withdrawn", async () => {
    const { outcome, events, answers } = await playScript([
      [{ reasoning: "Hm" }, { cut: true }],
      [{ reasoning: "Ah" }, { text: "ok" }],
    ]);
    expect(outcome).toMatchObject({ status: "done", text: "ok" });
    const step = events.find(({ type }) => type === "step_start");
    expect(events.find(({ type }) => type === "step_reset")).toMatchObject({ data: step?.data });
    expect(JSON.stringify(answers)).not.toContain("Hm");
  });

  it("too often fails the run", async () => {
    const { outcome, types, model } = await playScript([
      [{ fail: "server_error" }],
      [{ text: "a" }, { cut: true }],
      [{ text: "b" }, { cut: true }],
      [{ text: "c" }, { fail: "network" }],
      "late",
    ]);
    expect(outcome).toMatchObject({ status: "failed", code: "MODEL_UNREACHABLE" });
    expect(types.slice(-2)).toEqual(["error", "run_finish"]);
    expect(model.requests).toHaveLength(4);
  });

  it.each(["auth", "quota", "invalid_request", "context_length", "content_filter"] as const)(
    "for a reason that stays (%s) is not asked again",
    async (kind) => {
      const { outcome, model, events } = await playScript([[{ fail: kind }], "never"]);
      expect(outcome).toMatchObject({ status: "failed", run: { termination_code: "error" } });
      expect(model.requests).toHaveLength(1);
      expect(events.at(-1)).toMatchObject({ type: "run_finish", data: { termination: { type: "error" } } });
    },
  );

  it("by throwing what is no model error is asked again", async () => {
    let turn = 0;
    const model = {
      id: "rude",
      async *stream() {
        turn += 1;
        if (turn === 1) throw Object.create(null);
        yield { type: "text_delta", delta: "ok" } as const;
        yield { type: "finish", stop_reason: "end_turn" } as const;
      },
    };
    expect((await playScript([], { model })).outcome).toMatchObject({ status: "done", text: "ok" });
  });

  it("by throwing before there is a stream is asked again", async () => {
    let turn = 0;
    const model = {
      id: "rude",
      stream() {
        turn += 1;
        if (turn === 1) throw new Error("no stream");
        return (async function* () {
          yield { type: "text_delta", delta: "ok" } as const;
          yield { type: "finish", stop_reason: "end_turn" } as const;
        })();
      },
    };
    expect((await playScript([], { model })).outcome).toMatchObject({ status: "done", text: "ok" });
  });
});
