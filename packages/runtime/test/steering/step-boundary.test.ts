import { expect, it } from "vitest";
import { assertConsistent } from "../support/assert-consistent.ts";
import { settle, soon } from "../support/wait.ts";
import { assertValidRequest, openHanging, readRequest, steer } from "./support.ts";

const MODES = ["sequential", "parallel_batch_approval", "parallel_streaming"] as const;

it.each(MODES)("is heard at the next step, after the results of the round it came in (%s)", async (mode) => {
  const { runtime, run, release, model, tenant } = await openHanging({ agent: { toolExecutionMode: mode } });
  await runtime.start(steer("also this"));
  await settle();
  release.open();
  expect(await soon(run.outcome())).toMatchObject({ status: "done", text: "ok" });
  expect(readRequest(model.requests[1])).toEqual(["user: go", "assistant: ", "tool: null", "user: also this"]);
  model.requests.forEach(assertValidRequest);
  await settle();
  expect(model.requests).toHaveLength(2);
  expect((await runtime.runs()).items).toHaveLength(1);
  await assertConsistent(tenant, "t1");
});

it.each(MODES)("keeps the order in which it came (%s)", async (mode) => {
  const { runtime, run, release, model } = await openHanging({ agent: { toolExecutionMode: mode } });
  for (const text of ["one", "two", "three"]) await runtime.start(steer(text));
  await settle();
  release.open();
  await soon(run.outcome());
  expect(readRequest(model.requests[1]).slice(3)).toEqual(["user: one", "user: two", "user: three"]);
});

it("says of its entry into which run it went, and of its message whose it is", async () => {
  const { runtime, run, release, tenant } = await openHanging();
  const steered = await runtime.start(steer("also this"));
  await settle();
  release.open();
  await soon(run.outcome());
  const { items } = await tenant.listEntries({ run_id: steered.id });
  expect(items).toMatchObject([{ status: "accepted", into_run: run.id }]);
  const { messages } = await tenant.readMessages("t1", 0);
  expect(messages.find(({ content }) => content === "also this")?.metadata).toMatchObject({ run_id: run.id });
  expect(await tenant.loadRun(steered.id)).toBeUndefined();
});

it("leaves what is queued for its own turn alone", async () => {
  const { runtime, run, release, model } = await openHanging();
  const queued = await runtime.start({ ...steer("later"), whenBusy: "enqueue" });
  await runtime.start(steer("now"));
  await settle();
  release.open();
  await soon(run.outcome());
  expect(readRequest(model.requests[1]).at(-1)).toBe("user: now");
  expect(await soon(queued.outcome())).toMatchObject({ status: "done", text: "own" });
  expect(readRequest(model.requests[2]).at(-1)).toBe("user: later");
});

it("takes a message in once, although it is sent twice", async () => {
  const { runtime, run, release, model } = await openHanging();
  const said = { id: "m1", role: "user", content: "once" } as const;
  for (const _ of [1, 2]) await runtime.start({ ...steer(""), input: [said] });
  await settle();
  release.open();
  await soon(run.outcome());
  expect(readRequest(model.requests[1]).filter((line) => line === "user: once")).toHaveLength(1);
});

it("merges the state that comes with it", async () => {
  const { runtime, run, release } = await openHanging({ agent: { toolExecutionMode: "parallel_batch_approval" } });
  await runtime.start({ ...steer("in metres"), state: { unit: "m" } });
  await settle();
  release.open();
  await soon(run.outcome());
  expect(await runtime.threads.state("t1")).toMatchObject({ unit: "m" });
});
