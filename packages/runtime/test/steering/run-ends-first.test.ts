import { type LanguageModel, type StopPolicy, textOf } from "@reprise/contracts";
import { scriptedModel } from "@reprise/models";
import { expect, it } from "vitest";
import { assertConsistent } from "../support/assert-consistent.ts";
import { type OpenOptions, openRuntime } from "../support/open-runtime.ts";
import { gate, settle, soon } from "../support/wait.ts";
import { assertValidRequest, openHanging, readRequest, steer } from "./support.ts";

/** A run on thread t1 whose model says "first" once it may speak, and later repeats what it heard. */
async function openSpeaking(agent: OpenOptions["agent"] = {}) {
  const speak = gate();
  const scripted = scriptedModel((request, turn) =>
    turn === 1 ? "first" : `heard ${textOf(request.messages.at(-1) ?? { content: "" })}`,
  );
  const model: LanguageModel = {
    id: "speaking",
    async *stream(request) {
      await speak.promise;
      yield* scripted.stream(request);
    },
  };
  const bench = await openRuntime({ model, agent });
  const run = await bench.runtime.start({ agent: "agent", threadId: "t1", input: "go" });
  await settle();
  return { ...bench, model: scripted, run, speak };
}

it("is a run of its own on an idle thread", async () => {
  const { runtime, model, tenant } = await openRuntime({ script: ["hello"] });
  const run = await runtime.start(steer("hi"));
  expect(await soon(run.outcome())).toMatchObject({ status: "done", text: "hello", run: { run_id: run.id } });
  expect(readRequest(model.requests[0])).toEqual(["user: hi"]);
  expect((await tenant.listEntries({ run_id: run.id })).items[0]).not.toHaveProperty("into_run");
});

it("continues with the run when it comes while the model gives its last answer", async () => {
  const { runtime, run, model, tenant, speak } = await openSpeaking();
  await runtime.start(steer("and?"));
  await settle();
  speak.open();
  expect(await soon(run.outcome())).toMatchObject({ status: "done", text: "heard and?" });
  expect(readRequest(model.requests[1])).toEqual(["user: go", "assistant: first", "user: and?"]);
  expect((await runtime.runs()).items).toHaveLength(1);
  await assertConsistent(tenant, "t1");
});

it.each(["is cancelled", "fails"])("is a run of its own when the run %s first", async (how) => {
  const isFailing = how === "fails";
  const broken: StopPolicy = {
    id: "broken",
    evaluate({ tools }) {
      if (tools.length > 0) throw new Error("no");
      return undefined;
    },
  };
  const bench = await openHanging({ agent: { stopWhen: [broken] } });
  const steered = await bench.runtime.start(steer("still there?"));
  await settle();
  if (isFailing) bench.release.open();
  else await bench.run.cancel();
  expect(await soon(bench.run.outcome())).toMatchObject({ status: isFailing ? "failed" : "cancelled" });
  expect(await soon(steered.outcome())).toMatchObject({ status: "done", run: { run_id: steered.id } });
  const last = bench.model.requests.at(-1);
  expect(readRequest(last).at(-1)).toBe("user: still there?");
  if (last !== undefined) assertValidRequest(last);
  expect((await bench.tenant.listEntries({ run_id: steered.id })).items[0]).not.toHaveProperty("into_run");
  await assertConsistent(bench.tenant, "t1");
});

it("is a run of its own when the run is stopped first", async () => {
  const stop = { type: "stop_on_tool", toolName: "hang" } as const;
  const { runtime, run, release, model, tenant } = await openHanging({ agent: { stopWhen: [stop] } });
  const steered = await runtime.start(steer("go on"));
  await settle();
  release.open();
  expect(await soon(run.outcome())).toMatchObject({ termination: { type: "stopped" } });
  expect(await soon(steered.outcome())).toMatchObject({ status: "done", text: "ok", run: { run_id: steered.id } });
  expect(readRequest(model.requests[1])).toEqual(["user: go", "assistant: ", "tool: null", "user: go on"]);
  await assertConsistent(tenant, "t1");
});

it("is a run of its own once the run may take no more steps", async () => {
  const { runtime, run, model, speak } = await openSpeaking({ maxRounds: 1 });
  const steered = await runtime.start(steer("and?"));
  await settle();
  speak.open();
  expect(await soon(run.outcome())).toMatchObject({ status: "done", text: "first", run: { steps: 1 } });
  expect(await soon(steered.outcome())).toMatchObject({ text: "heard and?", run: { run_id: steered.id, steps: 1 } });
  expect(model.requests).toHaveLength(2);
});
