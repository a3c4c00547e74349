import { expect, it } from "vitest";
import { collect, settle, soon, typesOf } from "../support/wait.ts";
import { HANG, openHanging, steer } from "./support.ts";

it("has the outcome of the run its messages went into", async () => {
  const { runtime, run, release } = await openHanging();
  const steered = await runtime.start(steer("also this"));
  const outcome = steered.outcome();
  await settle();
  release.open();
  const own = await soon(run.outcome());
  expect(await soon(outcome, "the outcome of what was steered")).toEqual(own);
  expect(await soon(steered.outcome())).toEqual(own);
});

it("has the events of the run its messages went into", async () => {
  const { runtime, run, release } = await openHanging();
  const steered = await runtime.start(steer("also this"));
  const events = collect(steered);
  await settle();
  release.open();
  await soon(run.outcome());
  expect(typesOf(await events).at(-1)).toBe("run_finish");
});

it("can be found by its id, before and after it is taken in", async () => {
  const { runtime, run, release } = await openHanging();
  const steered = await runtime.start(steer("also this"));
  expect((await runtime.run(steered.id)).id).toBe(steered.id);
  await settle();
  release.open();
  const own = await soon(run.outcome());
  expect(await soon((await runtime.run(steered.id)).outcome())).toEqual(own);
});

it("takes back what was not heard yet, and leaves the run alone", async () => {
  const { runtime, run, release, model } = await openHanging();
  const steered = await runtime.start(steer("forget it"));
  await steered.cancel();
  await settle();
  release.open();
  expect(await soon(run.outcome())).toMatchObject({ status: "done", text: "ok" });
  expect(await soon(steered.outcome())).toEqual({ status: "cancelled" });
  await settle();
  expect(model.requests).toHaveLength(2);
  expect(JSON.stringify(model.requests)).not.toContain("forget it");
});

it("has the record of the run its messages went into, and continues from its cursors", async () => {
  const { runtime, run, release } = await openHanging();
  const steered = await runtime.start(steer("also this"));
  await settle();
  release.open();
  await soon(run.outcome());
  expect(await steered.record()).toEqual(await run.record());
  const all = await soon(Array.fromAsync(steered.eventsWithCursor()));
  const [third] = all.slice(2);
  const rest = await collect(steered, { after: third?.cursor ?? "" });
  expect(rest).toEqual(all.slice(3).map(({ event }) => event));
});

it("does not end the run its messages went into when it is cancelled too late", async () => {
  const { runtime, run, release, model } = await openHanging({ script: [[HANG], [HANG], "ok"] });
  const steered = await runtime.start(steer("also this"));
  release.open();
  await soon(run.outcome());
  await steered.cancel().catch(() => undefined);
  expect(await run.record()).toMatchObject({ status: "done", termination_code: "natural" });
  expect(model.requests).toHaveLength(3);
});
