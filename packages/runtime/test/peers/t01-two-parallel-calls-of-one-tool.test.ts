import { describe, expect, it } from "vitest";
import { resultsIn } from "../decisions/support/by-history.ts";
import { assertSettled, assertValid } from "../decisions/support/settled.ts";
import { openRuntime } from "../support/open-runtime.ts";
import { suspend } from "../support/suspend.ts";
import { countingTool, notes } from "../support/tools.ts";
import { settle, soon } from "../support/wait.ts";

/**
 * T1. Elsewhere the second resume of two parallel calls of the same tool fails (mastra-ai/mastra#16468), equal interrupt ids
 * let only one answer survive or send it to the wrong tool (langchain-ai/langgraph#6626, #6533), and a call is left without a
 * result, which the provider answers with 400.
 */
describe("T1: two parallel calls of the same tool, suspended, decided in reverse, one denied", () => {
  it("each result lands on its own call, and the next request is valid", async () => {
    const { runtime, run, open, keys, model, tenant } = await suspend(["first", "second"], {
      definition: { execute: ({ title }) => `did ${title}` },
    });
    expect(new Set(open.map(({ ticket }) => ticket?.suspension.id)).size, "each question has its own id").toBe(2);
    await runtime.decisions.decide(open[1]?.id ?? "", { action: "approve" });
    await settle();
    expect(model.requests, "the model waits for both").toHaveLength(1);
    await runtime.decisions.decide(open[0]?.id ?? "", { action: "deny", reason: "Not that one." });
    expect(await soon(run.outcome())).toMatchObject({ status: "done", text: "ok" });
    expect(keys).toEqual([open[1]?.id]);
    expect(resultsIn(model.requests[1])).toEqual([
      [open[0]?.id, expect.stringContaining("Not that one.")],
      [open[1]?.id, "did second"],
    ]);
    assertValid(model.requests);
    await assertSettled(tenant, "t1");
  });

  it("holds in another process than the one that asked, for equal arguments too", async () => {
    const first = await suspend(["same", "same"]);
    await first.runtime.close();
    const { tool, keys } = countingTool({ needsApproval: true });
    const { env, store, blobs } = first;
    const second = await openRuntime({ world: { env, store, blobs }, script: ["after"], tools: [tool] });
    const ids = first.open.map(({ id }) => id);
    await second.runtime.decisions.decide(ids[1] ?? "", { action: "deny" });
    await second.runtime.decisions.decide(ids[0] ?? "", { action: "approve" });
    expect(await soon((await second.runtime.run(first.run.id)).outcome())).toMatchObject({ status: "done" });
    expect(keys).toEqual([ids[0]]);
    expect(notes.read(await second.runtime.threads.state("t1"))).toEqual(["same"]);
    expect(resultsIn(second.model.requests[0]).map(([id]) => id)).toEqual(ids);
    assertValid(second.model.requests);
    await assertSettled(second.tenant, "t1");
  });
});
