import { expect, it } from "vitest";
import { assertConsistent } from "../support/assert-consistent.ts";
import { openRuntime } from "../support/open-runtime.ts";
import { suspend } from "../support/suspend.ts";
import { countingTool } from "../support/tools.ts";
import { settle, soon } from "../support/wait.ts";
import { assertValidRequest, readRequest, steer } from "./support.ts";

it("waits with a run that waits, and is heard when that continues", async () => {
  const { runtime, run, call, model, tenant } = await suspend();
  await runtime.start(steer("hurry"));
  await settle();
  expect(model.requests).toHaveLength(1);
  expect(await run.record()).toMatchObject({ status: "waiting" });
  await runtime.decisions.decide(call.id, { action: "approve" });
  expect(await soon(run.outcome())).toMatchObject({ status: "done", text: "ok" });
  expect(readRequest(model.requests[1])).toEqual(["user: go", "assistant: ", 'tool: {"count":1}', "user: hurry"]);
  model.requests.forEach(assertValidRequest);
  await settle();
  expect((await runtime.runs()).items).toHaveLength(1);
  await assertConsistent(tenant, "t1");
});

it("is heard by the process that takes the run up", async () => {
  const { runtime, run, call, env, store, blobs, keys } = await suspend();
  await runtime.start(steer("hurry"));
  await runtime.close();
  const { tool } = countingTool({ needsApproval: true });
  const other = await openRuntime({ world: { env, store, blobs }, script: ["ok", "own"], tools: [tool] });
  await other.runtime.decisions.decide(call.id, { action: "approve" });
  await settle();
  await env.advance(1_000);
  expect(await soon((await other.runtime.run(run.id)).outcome())).toMatchObject({ status: "done", text: "ok" });
  expect(readRequest(other.model.requests[0]).at(-1)).toBe("user: hurry");
  expect(keys).toEqual([]);
});

it("never stands between a call and its result while part of a round waits", async () => {
  const { runtime, run, open, model, tenant } = await suspend(["a", "b"], { agent: { partialSuspension: "continue" } });
  await runtime.decisions.decide(open[0]?.id ?? "", { action: "approve" });
  await runtime.start(steer("hurry"));
  await settle();
  await runtime.decisions.decide(open[1]?.id ?? "", { action: "approve" });
  await soon(run.outcome());
  await settle();
  expect(model.requests.some((request) => readRequest(request).includes("user: hurry"))).toBe(true);
  await assertConsistent(tenant, "t1");
});
