import { scriptedModel } from "@reprise/models";
import { createRuntime, defineAgent } from "@reprise/runtime";
import { expect, it, onTestFinished } from "vitest";
import { assertConsistent } from "../support/assert-consistent.ts";
import { createWorld } from "../support/open-runtime.ts";
import { countingTool } from "../support/tools.ts";
import { gate, settle, soon, until } from "../support/wait.ts";
import { HANG, openHanging, readRequest, steer } from "./support.ts";

it("is a run of its own when it has rights of its own", async () => {
  const { runtime, run, release, model } = await openHanging();
  const messages = [{ role: "user", content: "quietly" }] as const;
  const policy = { excluded_tools: ["hang"] };
  const own = await runtime.submit({ agent_id: "agent", thread_id: "t1", messages, policy, busy_policy: "steer" });
  await settle();
  release.open();
  await soon(run.outcome());
  expect(await soon(own.outcome())).toMatchObject({ status: "done", run: { run_id: own.id, policy } });
  expect(readRequest(model.requests[1])).not.toContain("user: quietly");
  expect(model.requests[2]?.tools).toEqual([]);
});

it("is a run of its own when it is for another agent, and what came after it waits behind it", async () => {
  const { env, store, blobs } = createWorld();
  const release = gate();
  const hang = countingTool({ id: "hang", execute: () => release.promise });
  const [first, second] = [scriptedModel([[HANG], "ok", "late"], "first"), scriptedModel(["other"], "second")];
  const runtime = await createRuntime({
    agents: [
      defineAgent({ id: "agent", model: first, tools: [hang.tool] }),
      defineAgent({ id: "other", model: second }),
    ],
    env,
    store,
    blobs,
  });
  onTestFinished(() => void runtime.close());
  const run = await runtime.start({ agent: "agent", threadId: "t1", input: "go" });
  await until(() => hang.keys.length === 1, "the tool");
  await runtime.start(steer("for you"));
  const stranger = await runtime.start({ ...steer("for the other"), agent: "other" });
  const late = await runtime.start(steer("for you again"));
  await settle();
  release.open();
  expect(await soon(run.outcome())).toMatchObject({ status: "done", text: "ok" });
  expect(await soon(stranger.outcome())).toMatchObject({
    text: "other",
    run: { run_id: stranger.id, agent_id: "other" },
  });
  expect(await soon(late.outcome())).toMatchObject({ text: "late", run: { run_id: late.id } });
  expect(readRequest(first.requests[1]).at(-1)).toBe("user: for you");
  expect(readRequest(second.requests[0]).at(-1)).toBe("user: for the other");
  await assertConsistent(store.forTenant("default"), "t1");
});
