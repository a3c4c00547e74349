import { excludeTool, type Phase, terminateRun } from "@reprise/contracts";
import { expect, it } from "vitest";
import { assertConsistent } from "../support/assert-consistent.ts";
import { typesOf } from "../support/wait.ts";
import { hookPlugin } from "./support/hook-plugin.ts";
import { playPlugins } from "./support/play-plugins.ts";

const ending = (phase: Phase, at = 1) =>
  hookPlugin("p", phase, ({ step }) => (step === at ? [terminateRun("enough")] : []));

it("ends the run before the model is asked", async () => {
  const { outcome, model, events, run, tenant } = await playPlugins([ending("before_inference")]);
  const termination = { type: "behavior_requested", detail: "enough" };
  expect(outcome).toMatchObject({ status: "done", text: "", termination });
  const end = { termination_code: "behavior_requested", termination_detail: "enough", steps: 1 };
  expect(await run.record()).toMatchObject(end);
  expect(model.requests).toEqual([]);
  expect(typesOf(events)).toEqual(["run_start", "step_start", "step_end", "run_finish"]);
  await assertConsistent(tenant, "t1");
});

it("ends the run before a later step, with what came before kept", async () => {
  const { outcome, model, messages, keys } = await playPlugins([ending("before_inference", 2)]);
  expect(outcome).toMatchObject({ termination: { type: "behavior_requested" } });
  expect([model.requests.length, keys.length]).toEqual([1, 1]);
  expect(messages.map(({ role }) => role)).toEqual(["user", "assistant", "tool"]);
});

it("ends the run after the model spoke, with its text as the answer", async () => {
  const { outcome } = await playPlugins([ending("after_inference")], { script: ["hello"] });
  expect(outcome).toMatchObject({ text: "hello", termination: { type: "behavior_requested" } });
});

it("gives every call the model asked for a result when it ends the run after it", async () => {
  const calls = ["a", "b"].map((title) => ({ call: "add", arguments: { title } }));
  const { outcome, keys, messages, events, tenant, run } = await playPlugins([ending("after_inference")], {
    script: [calls, "never"],
  });
  expect(outcome).toMatchObject({ termination: { type: "behavior_requested" } });
  expect(keys).toEqual([]);
  expect(messages.map(({ role }) => role)).toEqual(["user", "assistant", "tool", "tool"]);
  expect(events.filter(({ type }) => type === "tool_call_cancelled")).toHaveLength(2);
  const done = events.filter((event) => event.type === "tool_call_done").map(({ data }) => data.outcome);
  expect(done).toEqual(["cancelled", "cancelled"]);
  const { items } = await tenant.listCalls({ run_id: run.id });
  expect(items.map(({ status }) => status)).toEqual(["cancelled", "cancelled"]);
  await assertConsistent(tenant, "t1");
});

it("runs the hooks of the step's end and of the run's end", async () => {
  for (const phase of ["before_inference", "after_inference"] as const) {
    const seen: string[] = [];
    const note = (at: Phase) => hookPlugin(at, at, () => void seen.push(at));
    await playPlugins([ending(phase), note("step_end"), note("run_end")]);
    expect(seen).toEqual(["step_end", "run_end"]);
  }
});

it("is heard whatever other plugins ask for in the same phase", async () => {
  const other = hookPlugin("other", "before_inference", () => [excludeTool("add")]);
  const { model } = await playPlugins(
    [other, ending("before_inference"), other].map((plugin, index) => ({ ...plugin, id: `p${index}` })),
  );
  expect(model.requests).toEqual([]);
});

it("leaves a thread another run can continue with", async () => {
  const { runtime, model, tenant } = await playPlugins([
    hookPlugin("p", "after_inference", ({ calls }) => (calls.length > 0 ? [terminateRun()] : [])),
  ]);
  const next = await runtime.runToCompletion({ agent: "agent", threadId: "t1", input: "and now?" });
  expect(next).toMatchObject({ status: "done", text: "ok" });
  expect(model.requests[1]?.messages.map(({ role }) => role)).toEqual(["user", "assistant", "tool", "user"]);
  await assertConsistent(tenant, "t1");
});
