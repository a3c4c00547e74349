import { expectTypeOf, test } from "vitest";
import {
  type AfterInferenceContext,
  type BeforeToolExecuteContext,
  blockCall,
  changeState,
  type EffectHandler,
  type Phase,
  type PhaseContext,
  type PhaseContexts,
  type PhaseHook,
  type PhaseHooks,
  type ScheduledHandler,
  terminateRun,
} from "../index.ts";

test("the hooks of a plugin are one for each phase, each with its own actions", () => {
  expectTypeOf<keyof PhaseHooks>().toEqualTypeOf<Phase>();
  const hooks: PhaseHooks = {
    before_inference: () => [terminateRun()],
    before_tool_execute: ({ call }) => [blockCall(call.toolId)],
    // @ts-expect-error the end of a run cannot be ended
    run_end: () => [terminateRun()],
    // @ts-expect-error a call that is over cannot be blocked
    after_tool_execute: async () => [blockCall("too late")],
  };
  expectTypeOf(hooks).toEqualTypeOf<PhaseHooks>();
});

test("a hook is told what its phase is about, and nothing of another's", () => {
  expectTypeOf<Parameters<PhaseHook<"after_inference">>>().toEqualTypeOf<[AfterInferenceContext]>();
  expectTypeOf<PhaseContexts["before_tool_execute"]>().toEqualTypeOf<BeforeToolExecuteContext>();
  expectTypeOf<PhaseContext>().not.toHaveProperty("call");
  expectTypeOf<PhaseContexts["run_start"]>().not.toHaveProperty("termination");
  expectTypeOf<PhaseContexts["run_end"]>().toHaveProperty("termination");
});

test("nothing of a context can be written to", () => {
  const write = (context: BeforeToolExecuteContext): void => {
    // @ts-expect-error a fact
    context.step = 3;
    // @ts-expect-error a list of the thread's own
    context.messages.push({ id: "x", role: "user", content: "x" });
    // @ts-expect-error a call's own
    context.call.tool_id = "other";
  };
  expectTypeOf(write).toBeFunction();
});

test("a scheduled handler returns what its phase takes", () => {
  const right: ScheduledHandler = { phase: "before_tool_execute", handle: () => [blockCall("no")] };
  // @ts-expect-error nothing is called when a run starts
  const wrong: ScheduledHandler = { phase: "run_start", handle: () => [blockCall("no")] };
  expectTypeOf(right.phase).toExtend<Phase>();
  expectTypeOf(wrong.phase).toExtend<Phase>();
});

test("an effect returns nothing: it cannot ask for anything", () => {
  expectTypeOf<() => void>().toExtend<EffectHandler>();
  expectTypeOf<ReturnType<EffectHandler>>().toEqualTypeOf<Promise<void> | void>();
});

test("what is recorded is JSON and comes back as it was", () => {
  const record = (context: PhaseContext): void => {
    const ask = async (): Promise<{ rain: boolean }> => ({ rain: true });
    expectTypeOf(context.record("weather", ask)).resolves.toEqualTypeOf<{ rain: boolean }>();
    // @ts-expect-error a date is no JSON
    void context.record("now", () => new Date());
  };
  expectTypeOf(record).toBeFunction();
});

test("a state is changed by an action of its own, never by a value", () => {
  // @ts-expect-error a value is no action
  changeState(5);
});
