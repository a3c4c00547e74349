import type { Json } from "@reprise/state";
import { describe, expectTypeOf, it } from "vitest";
import { z } from "zod";
import type { RunHandle } from "../api/run-handle.ts";
import type { Runtime } from "../api/runtime.ts";
import { type Agent, defineAgent, hasToolCall, isStepCount } from "./define-agent.ts";
import { definePlugin } from "./define-plugin.ts";

const plan = z.object({ title: z.string(), steps: z.array(z.string()) });
const planner = defineAgent({ id: "planner", model: "m", outputSchema: plan });
const writer = defineAgent({ id: "writer", model: "m" });
const loose = defineAgent({ id: "loose", model: "m", outputSchema: { type: "object" } });

declare const runtime: Runtime<typeof planner | typeof writer | typeof loose>;
declare const open: Runtime;

describe("an agent", () => {
  it("carries its id and the type of its answers", () => {
    expectTypeOf(planner).toEqualTypeOf<Agent<"planner", { title: string; steps: string[] }>>();
    expectTypeOf(writer).toEqualTypeOf<Agent<"writer", never>>();
    expectTypeOf(loose).toEqualTypeOf<Agent<"loose", Json>>();
  });

  it("takes stop conditions, functions, one or several", () => {
    defineAgent({ id: "a", model: "m", stopWhen: isStepCount(5) });
    defineAgent({ id: "a", model: "m", stopWhen: [hasToolCall("done"), ({ text }) => text.includes("Bye"), "by_id"] });
    // @ts-expect-error what a function answers decides: text does not
    defineAgent({ id: "a", model: "m", stopWhen: ({ text }) => text });
  });

  it("is written in camelCase, also inside its options", () => {
    defineAgent({ id: "a", model: "m", retryPolicy: { maxAttemptsPerModel: 2 }, budget: { limitTokens: 5 } });
    // @ts-expect-error stored names are not what an author writes
    defineAgent({ id: "a", model: "m", retryPolicy: { max_attempts_per_model: 2 } });
    // @ts-expect-error nor in a budget
    defineAgent({ id: "a", model: "m", budget: { limit_tokens: 5 } });
  });
});

describe("a runtime", () => {
  it("starts the agents it has, and says what each answers with", async () => {
    expectTypeOf(await runtime.start({ agent: "planner", input: "go" })).toEqualTypeOf<
      RunHandle<{ title: string; steps: string[] }>
    >();
    const outcome = await runtime.runToCompletion({ agent: "planner", input: "go" });
    if (outcome.status === "done") expectTypeOf(outcome.output?.title).toEqualTypeOf<string | undefined>();
    const written = await runtime.runToCompletion({ agent: "writer", input: "go" });
    if (written.status === "done") expectTypeOf(written.output).toEqualTypeOf<undefined>();
    // @ts-expect-error it has no such agent
    await runtime.start({ agent: "planer", input: "go" });
  });

  it("starts agents that are added, through the runtime that adding returns", async () => {
    const wider = runtime.addAgent(defineAgent({ id: "later", model: "m" }));
    await wider.start({ agent: "later", input: "go" });
    await runtime.forTenant("t").start({ agent: "writer", input: "go" });
    // @ts-expect-error the other type does not know it
    await runtime.start({ agent: "later", input: "go" });
  });

  it("starts any id when its agents are data, and takes a runtime with known agents for one", async () => {
    const run = await open.start({ agent: "whatever", input: "go" });
    expectTypeOf(run).toEqualTypeOf<RunHandle>();
    expectTypeOf(runtime).toExtend<Runtime>();
    expectTypeOf((await open.runToCompletion({ agent: "a", input: "go" })).status).toEqualTypeOf<
      "done" | "waiting" | "cancelled" | "failed"
    >();
  });
});

it("a hook that returns nothing needs no annotation, wherever it is written", () => {
  const log = (): void => console.log("");
  const later = async (): Promise<void> => undefined;
  definePlugin({ id: "p", hooks: { stepStart: log, stepEnd: later, runStart() {}, runEnd: async () => {} } });
});
