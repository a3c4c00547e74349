import { suspendTool } from "@reprise/contracts";
import { scriptedModel } from "@reprise/models";
import { defineAgent, defineTool } from "@reprise/runtime";
import { describe, expect, it } from "vitest";
import { RUNS, readChunks, sendChunks, textIn, typesOf, uiAnswers, uiSays } from "./support/ai-sdk-client.ts";
import { type OpenDemo, openDemo, says } from "./support/open-demo.ts";
import { readFrames } from "./support/read-stream.ts";

/** Asks for a payment and says what was decided, until the run is done. */
async function payAndDecide(demo: OpenDemo, decision: object): Promise<void> {
  await (await demo.post("/v1/runs", says("pay 5", { threadId: "t", runId: "r" }))).text();
  const taken = await demo.post("/v1/runs/r/inputs", { decisions: [decision] });
  expect([taken.status, await taken.json()]).toEqual([
    202,
    { status: "decision_forwarded", run_id: "r", thread_id: "t" },
  ]);
  expect((await (await demo.runtime.run("r")).outcome()).status).toBe("done");
}

const APPROVE = { target_id: "r-s1-c0", action: "resume", result: { approved: true } };

describe("issue 14.6: a decision that is sent again once it is consumed", () => {
  it.each([
    ["the call", APPROVE],
    ["the suspension", { ...APPROVE, target_id: "r-s1-c0-q1" }],
    ["an id of its own", { ...APPROVE, decision_id: "d1", updated_at: 1 }],
  ])("is answered 202 as before by the inputs of its run, by %s", async (_, decision) => {
    const demo = await openDemo();
    await payAndDecide(demo, decision);
    const again = await demo.post("/v1/runs/r/inputs", { decisions: [decision] });
    expect([again.status, await again.json()]).toEqual([
      202,
      { status: "decision_forwarded", run_id: "r", thread_id: "t" },
    ]);
    expect((await demo.runtime.runs()).total).toBe(1);
  });

  it("is answered 202 as before by /v1/decisions, by the id of its call and of its suspension", async () => {
    const demo = await openDemo();
    await (await demo.post("/v1/runs", says("pay 5", { threadId: "t", runId: "r" }))).text();
    const first = await (await demo.post("/v1/decisions/r-s1-c0", { action: "approve" })).json();
    expect((await (await demo.runtime.run("r")).outcome()).status).toBe("done");
    for (const target of ["r-s1-c0", "r-s1-c0-q1"]) {
      const again = await demo.post(`/v1/decisions/${target}`, { action: "approve" });
      expect([again.status, await again.json()]).toEqual([202, first]);
    }
  });

  it("lets a message beside it begin its run", async () => {
    const demo = await openDemo();
    await payAndDecide(demo, APPROVE);
    const frames = await readFrames(
      await demo.post("/v1/runs", says("hello", { threadId: "t", runId: "r2", decisions: [APPROVE] })),
    );
    expect(frames.at(-1)?.event).toMatchObject({ type: "run_finish", run_id: "r2" });
    const continued = await demo.post("/v1/runs/r/inputs", {
      agentId: "assistant",
      messages: [{ role: "user", content: "and again" }],
      decisions: [APPROVE],
    });
    expect(continued.status).toBe(202);
    expect((await demo.runtime.runs()).total).toBe(3);
  });

  it("is found by the id its author gave the pending call", async () => {
    const ask = defineTool({
      id: "ask",
      description: "Asks.",
      execute: () =>
        suspendTool({ action: "tool:ask", pending: { id: "fc_1" }, resumeMode: "use_decision_as_tool_result" }),
    });
    const model = scriptedModel([[{ call: "ask" }], "Done."]);
    const demo = await openDemo({ agents: [defineAgent({ id: "assistant", model, tools: [ask] })] });
    await (await demo.post("/v1/runs", says("go", { threadId: "t", runId: "r" }))).text();
    const decision = { target_id: "fc_1", action: "resume", payload: { city: "Oslo" } };
    for (let time = 0; time < 2; time += 1) {
      expect((await demo.post("/v1/runs/r/inputs", { decisions: [decision] })).status).toBe(202);
      expect((await (await demo.runtime.run("r")).outcome()).status).toBe("done");
    }
    const other = await demo.post("/v1/runs/r/inputs", { decisions: [{ ...decision, payload: { city: "Rome" } }] });
    expect([other.status, await other.json()]).toMatchObject([409, { decision: { result: { city: "Oslo" } } }]);
  });
});

describe("issue 14.6: a decision that came second", () => {
  it.each(["r-s1-c0", "r-s1-c0-q1"])("is refused with the one that won, by %s", async (target) => {
    const demo = await openDemo();
    await payAndDecide(demo, APPROVE);
    const won = { call_id: "r-s1-c0", suspension: 1, action: "resume" };
    const deny = { target_id: target, action: "cancel" };
    for (const [path, body] of [
      ["/v1/runs/r/inputs", { decisions: [deny] }],
      ["/v1/runs", says("hello", { threadId: "t", decisions: [deny] })],
      [`/v1/decisions/${target}`, { action: "deny" }],
    ] as const) {
      const rival = await demo.post(path, body);
      expect([rival.status, rival.headers.get("x-reprise-error")]).toEqual([409, "DECISION_CONFLICT"]);
      expect(await rival.json()).toMatchObject({ error: expect.any(String), decision: won });
    }
    expect((await demo.runtime.runs()).total).toBe(1);
  });

  it("about a run that ended without one is told that the run is not active", async () => {
    const demo = await openDemo();
    await (await demo.post("/v1/runs", says("pay 5", { threadId: "t", runId: "r" }))).text();
    const run = await demo.runtime.run("r");
    await run.cancel();
    await readFrames(await demo.ask("/v1/runs/r/events?follow=true"));
    const late = await demo.post("/v1/runs/r/inputs", { decisions: [APPROVE] });
    expect([late.status, await late.json()]).toEqual([400, { error: "bad request: run is not active" }]);
  });
});

describe("issue 14.6: stale decisions of a chat page", () => {
  it.each([true, false])("alone are answered with the latest run from its start (approved: %s)", async (approved) => {
    const demo = await openDemo();
    const first = await sendChunks(demo, uiSays("pay 5"));
    const rest = await sendChunks(demo, uiAnswers(first, true));
    const again = await sendChunks(demo, uiAnswers(first, approved));
    expect(again.slice(0, first.length - 1)).toEqual(first.slice(0, -1));
    expect([textIn(again), typesOf(again).at(-1)]).toEqual([textIn(rest), "finish"]);
    expect((await demo.runtime.runs()).total).toBe(1);
  });

  it("of another tab that was quicker are dropped before the run has used them", async () => {
    const demo = await openDemo();
    const first = await sendChunks(demo, uiSays("pay 5"));
    await Promise.all([
      demo.post(RUNS, uiAnswers(first, true)).then((response) => response.text()),
      demo.post(RUNS, uiAnswers(first, false)).then((response) => {
        expect(response.status).toBe(200);
        return response.text();
      }),
    ]);
    expect((await demo.runtime.runs()).total).toBe(1);
  });

  it("in the words of the pages are answered with the latest run too", async () => {
    const demo = await openDemo();
    await sendChunks(demo, uiSays("hello"));
    const part = { type: "tool-approval-response", approvalId: "nobody", approved: true };
    const response = await demo.post(RUNS, { id: "t", messages: [{ role: "assistant", parts: [part] }] });
    const { chunks, isWhole } = readChunks(await response.text());
    expect([response.status, textIn(chunks), isWhole]).toEqual([200, "You said: hello", true]);
    expect((await demo.runtime.runs()).total).toBe(1);
  });

  it("beside a message are dropped, and the message is answered", async () => {
    const demo = await openDemo();
    const first = await sendChunks(demo, uiSays("pay 5"));
    await sendChunks(demo, uiAnswers(first, true));
    // As `uiAnswers` makes it.
    const { messages } = uiAnswers(first, false) as { readonly messages: readonly object[] };
    const said = { id: "u2", role: "user", parts: [{ type: "text", text: "thanks" }] };
    expect(textIn(await sendChunks(demo, { id: "t", messages: [...messages, said] }))).toBe("You said: thanks");
  });
});
