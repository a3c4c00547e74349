import { textOf } from "@reprise/contracts";
import { describe, expect, it } from "vitest";
import { resultsIn, shapeOf } from "../decisions/support/by-history.ts";
import { assertSettled, assertValid } from "../decisions/support/settled.ts";
import { suspend } from "../support/suspend.ts";
import { settle, soon } from "../support/wait.ts";

const at = (input: string) => ({ agent: "agent", threadId: "t1", input }) as const;

/**
 * T9. Elsewhere a message typed while an approval is open leaves a call without a result: `MissingToolResultsError` (vercel/ai,
 * CopilotKit#7277), and the thread is broken from then on (CopilotKit#1991).
 */
describe("T9: a new message while approvals are open", () => {
  it.each([
    ["continue", "stopped:superseded", "superseded"],
    ["interrupt", "cancelled", "cancelled"],
  ] as const)("%s: the old run ends, every call has a result, the history is valid", async (whenBusy, code, text) => {
    const { runtime, run, model, tenant, keys } = await suspend(["a", "b"]);
    const next = await runtime.start({ ...at("something else"), whenBusy });
    expect(await soon(next.outcome())).toMatchObject({ status: "done" });
    expect(await run.record()).toMatchObject({ status: "done", termination_code: code });
    expect(shapeOf(model.requests[1]?.messages ?? [])).toEqual(["user", "calls:2", "result", "result", "user"]);
    for (const [, told] of resultsIn(model.requests[1])) expect(told).toContain(text);
    expect(keys).toEqual([]);
    assertValid(model.requests);
    await assertSettled(tenant, "t1");
    expect(await soon(runtime.runToCompletion(at("and on")))).toMatchObject({ status: "done" });
    assertValid(model.requests);
  });

  it("enqueue: it waits for the decisions, and comes after their results", async () => {
    const { runtime, run, open, model, tenant } = await suspend(["a", "b"]);
    const next = await runtime.start({ ...at("later"), whenBusy: "enqueue" });
    await settle();
    expect(model.requests).toHaveLength(1);
    for (const { id } of open.toReversed()) await runtime.decisions.decide(id, { action: "approve" });
    expect(await soon(next.outcome())).toMatchObject({ status: "done" });
    expect(await run.record()).toMatchObject({ termination_code: "natural" });
    expect(shapeOf(model.requests[2]?.messages ?? [])).toEqual(["user", "calls:2", "result", "result", "text", "user"]);
    assertValid(model.requests);
    await assertSettled(tenant, "t1");
  });

  it("steer: the run reads it when it continues, behind the results", async () => {
    const { runtime, run, open, model, tenant } = await suspend(["a", "b"]);
    await runtime.start({ ...at("be brief"), whenBusy: "steer" });
    for (const { id } of open) await runtime.decisions.decide(id, { action: "approve" });
    expect(await soon(run.outcome())).toMatchObject({ status: "done" });
    await settle();
    assertValid(model.requests);
    expect(model.requests.at(-1)?.messages.map(textOf)).toContain("be brief");
    await assertSettled(tenant, "t1");
  });

  it("reject: it is refused by a typed error, and the approvals stay", async () => {
    const { runtime, open, tenant } = await suspend(["a", "b"]);
    await expect(runtime.start({ ...at("now"), whenBusy: "reject" })).rejects.toMatchObject({ code: "THREAD_BUSY" });
    expect(await runtime.decisions.list()).toEqual(open);
    expect((await tenant.readMessages("t1", 0)).messages.map(({ role }) => role)).toEqual(["user", "assistant"]);
  });
});
