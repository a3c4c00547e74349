import type { Store } from "@reprise/contracts";
import { expect, it } from "vitest";
import { createWorld, openRuntime } from "./support/open-runtime.ts";
import { countingTool } from "./support/tools.ts";
import { soon, until } from "./support/wait.ts";

/** A store whose inbox is read only after the run is done: everything happens between two looks of a reader. */
function slowInbox(store: Store): Store {
  return {
    ...store,
    forTenant(name) {
      const tenant = store.forTenant(name);
      return {
        ...tenant,
        async readInbox(threadId, runId) {
          await until(async () => (await tenant.loadRun(runId))?.status === "done", "the end of the run");
          return tenant.readInbox(threadId, runId);
        },
      };
    },
  };
}

it("does not take a run for waiting that was decided during the look", async () => {
  const world = createWorld();
  const { tool } = countingTool({ needsApproval: true });
  const script = [[{ call: "add", arguments: { title: "x" } }], "after"];
  const owner = await openRuntime({ world, tools: [tool], script });
  const run = await owner.runtime.start({ agent: "agent", threadId: "t1", input: "go" });
  const waiting = await run.outcome();
  const { last_seq } = await run.record();

  const limits = { maxActiveRuns: 0 };
  const reader = await openRuntime({ world, store: slowInbox(world.store), limits, tools: [tool] });
  const seen = await reader.runtime.run(run.id);
  const outcome = seen.outcome();
  const rest = Array.fromAsync(seen.events({ after: { run_id: run.id, epoch: 1, seq: last_seq } }));
  await owner.runtime.decisions.decide(waiting.status === "waiting" ? (waiting.open[0]?.id ?? "") : "", {
    action: "deny",
  });
  expect(await soon(outcome)).toMatchObject({ status: "done", text: "after" });
  expect((await soon(rest)).at(-1)).toMatchObject({ type: "run_finish", data: { result: { response: "after" } } });
});
