import { RepriseError } from "@reprise/contracts";
import { describe, expect, it } from "vitest";
import { failCommits } from "./support/intercept-store.ts";
import { createWorld, openRuntime } from "./support/open-runtime.ts";
import { settle, soon } from "./support/wait.ts";

describe("the mailbox of a runtime", () => {
  it("interrupts a thread: what is queued is dropped, and the open run ends", async () => {
    const { runtime } = await openRuntime({ script: [[{ stall: true }]] });
    const running = await runtime.start({ agent: "agent", threadId: "t1", input: "one" });
    const queued = await runtime.start({ agent: "agent", threadId: "t1", input: "two" });
    await settle();
    const interrupted = await runtime.mailbox.interrupt("t1", "enough");
    expect(interrupted).toMatchObject({ generation: 1, run_id: running.id, superseded: [{ run_id: queued.id }] });
    expect(await soon(running.outcome())).toMatchObject({ status: "cancelled" });
    expect(await soon(queued.outcome())).toMatchObject({ status: "cancelled" });
    const { items } = await runtime.mailbox.list({ threadId: "t1", status: "superseded" });
    expect(items.map(({ run_id }) => run_id)).toEqual([queued.id]);
    await expect(runtime.mailbox.interrupt("nobody")).rejects.toMatchObject({ code: "THREAD_NOT_FOUND" });
  });

  it("makes what cannot be started a dead letter at once, and requeues it", async () => {
    const world = createWorld();
    let isBroken = true;
    const broken = new RepriseError("INVALID_REQUEST", "It cannot be.");
    const store = failCommits(world.store, (_, { run_id, reasons }) =>
      isBroken && reasons.includes("user_message") && run_id === "second" ? broken : undefined,
    );
    const { runtime } = await openRuntime({ world, store, script: ["one", "two"] });
    const first = await runtime.start({ agent: "agent", threadId: "t1", input: "one" });
    const second = await runtime.submit({
      agent_id: "agent",
      thread_id: "t1",
      run_id: "second",
      messages: [{ role: "user", content: "two" }],
    });
    await soon(first.outcome());
    expect(await soon(second.outcome())).toMatchObject({
      status: "failed",
      error: expect.stringContaining("It cannot be"),
    });
    const { items } = await runtime.mailbox.list({ threadId: "t1", status: "dead_letter" });
    expect(items).toMatchObject([{ run_id: "second", attempts: 1, last_error: "It cannot be." }]);
    isBroken = false;
    await runtime.mailbox.requeue("t1", items[0]?.entry_id ?? "");
    expect(await soon((await runtime.run("second")).outcome())).toMatchObject({ status: "done", text: "two" });
  });
});
