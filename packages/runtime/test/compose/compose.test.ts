import { textOf } from "@reprise/contracts";
import { type Script, scriptedModel } from "@reprise/models";
import {
  type Agent,
  createRuntime,
  defineAgent,
  defineTool,
  type Limits,
  parallel,
  readAgentSpec,
  refine,
  sequence,
} from "@reprise/runtime";
import { describe, expect, it, onTestFinished } from "vitest";
import { createWorld } from "../support/open-runtime.ts";
import { collect, gate, settle, soon, until } from "../support/wait.ts";

async function open(agents: readonly Agent[], limits: Partial<Limits> = {}) {
  const world = createWorld();
  const runtime = await createRuntime({ ...world, agents, limits: { closeTimeoutMs: 1, ...limits } });
  onTestFinished(() => void runtime.close().catch(() => undefined));
  const play = async (agent: string, input = "in") => {
    const run = await runtime.start({ agent, threadId: "t1", input });
    const outcome = await soon(run.outcome());
    const below = (await runtime.runs({ parentRunId: run.id, limit: 50 })).items.toReversed();
    for (const { run_id } of [{ run_id: run.id }, ...below]) {
      for (const mode of ["verify", "reexecute"] as const)
        expect(await soon(runtime.replay(run_id, { mode }))).toMatchObject({ equal: true });
    }
    return { run, outcome, below };
  };
  return { ...world, runtime, play };
}

/** An agent that writes its id around its last message. */
const wrap = (id: string): Agent =>
  defineAgent({ id, model: scriptedModel(({ messages }) => `${id}(${textOf(messages.at(-1) ?? { content: "" })})`) });
const says = (id: string, script: Script): Agent => defineAgent({ id, model: scriptedModel(script) });
const fails = (id: string): Agent =>
  defineAgent({
    id,
    model: {
      id,
      stream: () => {
        throw new Error("no");
      },
    },
    retryPolicy: { maxAttemptsPerModel: 1 },
  });

describe("sequence", () => {
  it("gives each agent the answer of the one before, asks no model of its own, and answers with the last", async () => {
    const { play } = await open([sequence({ id: "whole", steps: [wrap("a"), wrap("b"), wrap("c")] })]);
    const { run, outcome, below } = await play("whole");
    expect(outcome).toMatchObject({ status: "done", text: "c(b(a(in)))" });
    expect(below.map(({ agent_id, depth }) => [agent_id, depth])).toEqual([
      ["a", 1],
      ["b", 1],
      ["c", 1],
    ]);
    const events = await collect(run, { tree: false } as never);
    const own = events.filter(({ run_id }) => run_id === run.id).map(({ type }) => type);
    expect(own.filter((type) => type === "child_run_start")).toHaveLength(3);
    expect(own).not.toContain("inference_complete");
    expect(await run.record()).toMatchObject({ has_children: true, input_tokens: 0 });
  });

  it("fills in the input of the whole and the answer before, and searches neither for placeholders", async () => {
    const { play } = await open([
      sequence({
        id: "whole",
        steps: [says("a", ["{input} of a"]), { agent: wrap("b"), input: "{input} and {previous}!" }],
      }),
    ]);
    expect((await play("whole", "{previous}")).outcome).toMatchObject({ text: "b({previous} and {input} of a!)" });
  });

  it("fails with the step that failed, and begins no other", async () => {
    const { play } = await open([sequence({ id: "whole", steps: [wrap("a"), fails("b"), wrap("c")] })]);
    const { outcome, below } = await play("whole");
    expect(outcome).toMatchObject({ status: "failed", code: "STEP_FAILED" });
    expect(outcome.status === "failed" && outcome.error).toContain("Step 2, agent b, failed");
    expect(below.map(({ agent_id }) => agent_id)).toEqual(["a", "b"]);
  });

  it("waits with a step that waits for a decision, and continues after it", async () => {
    const pay = defineTool({ id: "pay", description: "Pays.", needsApproval: true, execute: () => "paid" });
    const payer = defineAgent({ id: "payer", tools: [pay], model: scriptedModel([[{ call: "pay" }], "it is paid"]) });
    const { runtime } = await open([sequence({ id: "whole", steps: [payer, wrap("b")] })]);
    const run = await runtime.start({ agent: "whole", threadId: "t1", input: "in" });
    await until(async () => (await runtime.decisions.list()).length > 0);
    const open1 = await runtime.decisions.list();
    expect(open1.map(({ tool_id }) => tool_id)).toEqual(["pay"]);
    expect((await run.record()).status).toBe("waiting");
    await runtime.decisions.decide(open1[0]?.id ?? "", { action: "approve" });
    expect(await soon(run.outcome())).toMatchObject({ status: "done", text: "b(it is paid)" });
    expect(await soon(runtime.replay(run.id))).toMatchObject({ equal: true });
  });
});

describe("parallel", () => {
  it("runs all on the same input and answers in their order, with structured answers as what they are", async () => {
    const { play } = await open([parallel({ id: "all", steps: [wrap("a"), says("b", ['{"score":7}']), wrap("a2")] })]);
    const { outcome } = await play("all");
    const output = [
      { agent_id: "a", status: "completed", output: "a(in)" },
      { agent_id: "b", status: "completed", output: { score: 7 } },
      { agent_id: "a2", status: "completed", output: "a2(in)" },
    ];
    expect(outcome).toMatchObject({ status: "done", output });
    expect(outcome.status === "done" && JSON.parse(outcome.text)).toEqual(output);
  });

  it("has no more at work than its bound, and as many as its bound", async () => {
    let atWork = 0;
    let most = 0;
    const doors = new Map<string, () => void>();
    const wait = defineTool({
      id: "wait",
      description: "Waits.",
      class: "read_only",
      execute: async (_, { identity }) => {
        atWork += 1;
        most = Math.max(most, atWork);
        const { promise, open: opens } = gate<string>();
        doors.set(identity.runId, () => opens("go on"));
        await promise;
        atWork -= 1;
        return "waited";
      },
    });
    const ids = ["a", "b", "c", "d", "e"];
    const steps = ids.map((id) =>
      defineAgent({ id, tools: [wait], model: scriptedModel([[{ call: "wait" }], `by ${id}`]) }),
    );
    const { runtime } = await open([parallel({ id: "all", steps, maxConcurrency: 2 })]);
    const run = await runtime.start({ agent: "all", input: "in" });
    for (let done = 0; done < ids.length; done += 1) {
      await until(() => doors.size > 0 && (atWork === 2 || done === ids.length - 1));
      await settle();
      const [id, openDoor] = [...doors][0] ?? [];
      doors.delete(id ?? "");
      openDoor?.();
    }
    const outcome = await soon(run.outcome());
    expect(outcome).toMatchObject({ output: ids.map((id) => ({ agent_id: id, output: `by ${id}` })) });
    expect(most).toBe(2);
    expect(await soon(runtime.replay(run.id))).toMatchObject({ equal: true });
  });

  it("ends the others and itself with the first failure, unless it collects", async () => {
    const endless = defineTool({
      id: "endless",
      description: "Waits.",
      class: "read_only",
      execute: (_, { signal }) =>
        new Promise((__, reject) => signal.addEventListener("abort", () => reject(signal.reason))),
    });
    const slow = defineAgent({ id: "slow", tools: [endless], model: scriptedModel([[{ call: "endless" }]]) });
    const first = await open([parallel({ id: "all", steps: [slow, fails("b")] })]);
    const run = await first.runtime.start({ agent: "all", input: "in" });
    expect(await soon(run.outcome())).toMatchObject({ status: "failed", code: "STEP_FAILED" });
    await until(async () =>
      (await first.runtime.runs({ parentRunId: run.id })).items.every(({ status }) => status === "done"),
    );
    const codes = (await first.runtime.runs({ parentRunId: run.id })).items.map((each) => each.termination_code);
    expect(codes.toSorted()).toEqual(["cancelled", "error"]);

    const { play } = await open([
      parallel({ id: "all", steps: [wrap("a"), fails("b"), wrap("c")], onFailure: "collect" }),
    ]);
    const { outcome } = await play("all");
    expect(outcome).toMatchObject({
      output: [
        { agent_id: "a", status: "completed", output: "a(in)" },
        { agent_id: "b", status: "failed", error: expect.any(String) },
        { agent_id: "c", status: "completed", output: "c(in)" },
      ],
    });
  });

  it("fails a step that the limits of the tree do not allow", async () => {
    const { play } = await open(
      [parallel({ id: "all", steps: [wrap("a"), wrap("b"), wrap("c")], onFailure: "collect" })],
      {
        delegation: { depth: 5, children: 2, tree: 100 },
      },
    );
    const { outcome } = await play("all");
    expect(outcome).toMatchObject({ output: [{ status: "completed" }, { status: "completed" }, { status: "failed" }] });
  });
});

describe("refine", () => {
  it("has the generator answer again until the critic passes, each on its own thread", async () => {
    const generator = scriptedModel(["a draft", "a better draft"]);
    const critic = scriptedModel(["It is too short.", "PASS"]);
    const { play } = await open([
      refine({
        id: "whole",
        generator: defineAgent({ id: "writer", model: generator }),
        critic: defineAgent({ id: "judge", model: critic }),
      }),
    ]);
    const { outcome, below } = await play("whole", "Write.");
    expect(outcome).toMatchObject({ status: "done", text: "a better draft", termination: { type: "natural_end" } });
    expect(below.map(({ agent_id }) => agent_id)).toEqual(["writer", "judge", "writer", "judge"]);
    expect(new Set(below.map(({ thread_id }) => thread_id)).size).toBe(2);
    expect(generator.requests[1]?.messages.map(textOf)).toEqual([
      "Write.",
      "a draft",
      "This was not accepted:\n\nIt is too short.\n\nAnswer again, with all of the answer.",
    ]);
    expect(textOf(critic.requests[0]?.messages[0] ?? { content: "" })).toBe(
      "The task:\n\nWrite.\n\nThe answer to judge:\n\na draft",
    );
  });

  it("reads a verdict in JSON, and stops with the last answer after its rounds", async () => {
    const verdict = '{"pass": false, "feedback": "Longer."}';
    const { play } = await open([
      refine({
        id: "whole",
        generator: says("w", ["one", "two"]),
        critic: says("j", [verdict, verdict]),
        maxRounds: 2,
      }),
    ]);
    const { outcome } = await play("whole");
    expect(outcome).toMatchObject({
      text: "two",
      termination: { type: "stopped", value: { code: "refine_exhausted" } },
    });
    const passing = await open([
      refine({ id: "whole", generator: says("w", ["one"]), critic: says("j", ['{"pass": true}']) }),
    ]);
    expect((await passing.play("whole")).outcome).toMatchObject({ text: "one", termination: { type: "natural_end" } });
  });
});

it("is made of composed agents too, in code and as data", async () => {
  const inner = parallel({ id: "both", steps: [wrap("a"), wrap("b")] });
  const { play } = await open([
    sequence({ id: "whole", steps: [inner, wrap("c")] }),
    {
      ...wrap("d"),
      id: "data",
      spec: readAgentSpec({
        id: "data",
        compose: { type: "sequence", steps: ["c", { agent: "whole", input: "<{previous}>" }] },
      }),
      tools: [],
    } as Agent,
  ]);
  const { outcome, below } = await play("data");
  const list = JSON.stringify([
    { agent_id: "a", status: "completed", output: "a(<c(in)>)" },
    { agent_id: "b", status: "completed", output: "b(<c(in)>)" },
  ]);
  expect(outcome).toMatchObject({ text: `c(${list})` });
  expect(below.map(({ agent_id }) => agent_id)).toEqual(["c", "whole"]);
});

it("cancels every step that is at work when it is cancelled", async () => {
  const reached = gate();
  const endless = defineTool({
    id: "endless",
    description: "Waits.",
    class: "read_only",
    execute: (_, { signal }) => {
      reached.open();
      return new Promise((__, reject) => signal.addEventListener("abort", () => reject(signal.reason)));
    },
  });
  const slow = defineAgent({ id: "slow", tools: [endless], model: scriptedModel([[{ call: "endless" }]]) });
  const { runtime } = await open([
    sequence({ id: "whole", steps: [parallel({ id: "all", steps: [slow, wrap("b")] }), wrap("never")] }),
  ]);
  const run = await runtime.start({ agent: "whole", input: "in" });
  await soon(reached.promise);
  await run.cancel("enough");
  expect(await soon(run.outcome())).toMatchObject({ status: "cancelled" });
  await until(async () => (await runtime.runs({ limit: 20 })).items.every(({ status }) => status === "done"));
  const { items } = await runtime.runs({ limit: 20 });
  expect(items.find(({ agent_id }) => agent_id === "slow")?.termination_code).toBe("cancelled");
  expect(items.map(({ agent_id }) => agent_id)).not.toContain("never");
});

describe("mistakes are found before anything runs", () => {
  const failureOf = async (agents: readonly Agent[]) => {
    const error = await open(agents).then(
      () => undefined,
      (thrown: unknown) =>
        thrown as { readonly code: string; readonly details: { readonly failures: readonly object[] } },
    );
    return error?.details.failures;
  };

  it("an agent that is not there", async () => {
    expect(await failureOf([sequence({ id: "whole", steps: [wrap("writer"), "writr"] })])).toMatchObject([
      { agent_id: "whole", code: "AGENT_NOT_FOUND", message: expect.stringContaining("writer") },
    ]);
  });

  it("an agent that is a part of itself", async () => {
    const cycle = [sequence({ id: "a", steps: ["b"] }), parallel({ id: "b", steps: [wrap("x"), "a"] })];
    expect(await failureOf(cycle)).toMatchObject([
      { agent_id: "a", code: "COMPOSITION_CYCLE", message: expect.stringContaining("a → b → a") },
      { agent_id: "b", code: "COMPOSITION_CYCLE", message: expect.stringContaining("b → a → b") },
    ]);
  });

  it("a composition without steps, with an unknown field, or with a model", () => {
    expect(() => sequence({ id: "a", steps: [] })).toThrow("must have at least one step");
    expect(() => parallel({ id: "a", steps: ["b"], maxConcurrency: 0 })).toThrow("max");
    expect(() => readAgentSpec({ id: "a", model: "m", compose: { type: "sequence", steps: ["b"] } })).toThrow(
      "`model` and `compose` exclude each other",
    );
    expect(() => readAgentSpec({ id: "a", compose: { type: "tournament", steps: ["b"] } })).toThrow("sequence");
  });
});
