import { expect, it } from "vitest";
import { assertConsistent } from "../support/assert-consistent.ts";
import { crashAtPoint } from "../support/crashing-env.ts";
import { createWorld, openRuntime } from "../support/open-runtime.ts";
import { countingTool } from "../support/tools.ts";
import { settle, soon } from "../support/wait.ts";
import { HANG, steer } from "./support.ts";

/** Every point such a run comes to. */
const POINTS = Array.from({ length: 8 }, (_, index) => index + 1);

it.each(POINTS)("is neither lost nor heard twice when the owner dies at its point %i", async (nth) => {
  const world = createWorld();
  const tools = [countingTool({ id: "hang", idempotent: true }).tool];
  const dying = crashAtPoint(world, nth);
  const first = await openRuntime({ world, ...dying, tools, script: [[HANG], "ok", "own"] });
  const started = first.runtime.start({ agent: "agent", threadId: "t1", input: "go" });
  started.catch(() => undefined);
  await settle();
  expect(dying.diedAt()).toBeDefined();
  const script = (request: { readonly messages: readonly { readonly role: string }[] }) =>
    request.messages.some(({ role }) => role === "tool") ? "ok" : [HANG];
  const second = await openRuntime({ world, tools, script });
  const steered = second.runtime.start(steer("heard"));
  for (let turn = 0; turn < 30; turn += 1) {
    await settle();
    await world.env.advance(1_000);
  }
  await soon(steered);
  const { messages } = await second.tenant.readMessages("t1", 0);
  expect(messages.filter(({ content }) => content === "heard")).toHaveLength(1);
  const runs = (await second.runtime.runs()).items;
  expect(runs.map(({ status, termination_code }) => `${status} ${termination_code}`)).toEqual(
    runs.map(() => "done natural"),
  );
  await assertConsistent(second.tenant, "t1");
});
