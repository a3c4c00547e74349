import { defineTool } from "@reprise/runtime";
import { expect, it } from "vitest";
import { openRuntime } from "./support/open-runtime.ts";
import { soon, until } from "./support/wait.ts";

it("says why a run was called off, in its record and in its last event", async () => {
  let isAtWork = false;
  const tool = defineTool({
    id: "stay",
    description: "Stays.",
    execute: () => {
      isAtWork = true;
      return new Promise<never>(() => undefined);
    },
  });
  const { runtime } = await openRuntime({ script: [[{ call: "stay" }], "never"], tools: [tool] });
  const run = await runtime.start({ agent: "agent", threadId: "t1", input: "go" });
  await until(() => isAtWork);
  await run.cancel("The customer hung up.");
  expect(await soon(run.outcome())).toMatchObject({
    status: "cancelled",
    run: { termination_code: "cancelled", termination_detail: "The customer hung up." },
  });
  const events = await soon(Array.fromAsync(run.events()));
  expect(events.at(-1)).toMatchObject({
    type: "run_finish",
    data: { termination: { type: "cancelled", detail: "The customer hung up." } },
  });
});
