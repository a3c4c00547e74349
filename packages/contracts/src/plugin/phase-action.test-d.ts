import { defineState } from "@reprise/state";
import { expectTypeOf, test } from "vitest";
import {
  type ActionOf,
  type ActionType,
  addSessionContext,
  addSystemContext,
  addSystemReminder,
  addUserMessage,
  blockCall,
  changeState,
  emitEffect,
  emitEvent,
  excludeTool,
  handOff,
  holdAnswer,
  includeOnlyTools,
  noteContext,
  operatorText,
  overrideInference,
  type Phase,
  type PhaseAction,
  type PhaseHook,
  replaceText,
  retryInference,
  scheduleAction,
  setToolResult,
  suspendCall,
  suspendStep,
  terminateRun,
  transformRequest,
} from "../index.ts";

type Everywhere = "state" | "emit" | "schedule" | "effect";
type BeforeInference =
  | "add_system_context"
  | "add_session_context"
  | "note_context"
  | "exclude_tool"
  | "include_only_tools"
  | "add_request_transform"
  | "override_inference"
  | "hold_answer"
  | "replace_text"
  | "suspend_step"
  | "terminate";

test("every phase takes its own actions and no others", () => {
  expectTypeOf<ActionOf<"run_start">["type"]>().toEqualTypeOf<Everywhere | "hand_off">();
  expectTypeOf<ActionOf<"step_start">["type"]>().toEqualTypeOf<Everywhere>();
  expectTypeOf<ActionOf<"before_inference">["type"]>().toEqualTypeOf<Everywhere | BeforeInference>();
  expectTypeOf<ActionOf<"after_inference">["type"]>().toEqualTypeOf<
    Everywhere | "replace_text" | "retry_inference" | "suspend_step" | "terminate"
  >();
  expectTypeOf<ActionOf<"step_end">["type"]>().toEqualTypeOf<Everywhere | "hand_off">();
  expectTypeOf<ActionOf<"before_tool_execute">["type"]>().toEqualTypeOf<
    Everywhere | "block" | "suspend" | "set_tool_result"
  >();
  expectTypeOf<ActionOf<"after_tool_execute">["type"]>().toEqualTypeOf<
    Everywhere | "add_system_reminder" | "add_user_message"
  >();
  expectTypeOf<ActionOf<"run_end">["type"]>().toEqualTypeOf<Everywhere>();
});

test("every action is made by one function, of its own type", () => {
  const tally = defineState({
    path: "t",
    initial: (): string[] => [],
    actions: { add: (list, x: string) => [...list, x] },
  });
  const all = [
    changeState(tally.add("x")),
    addSystemContext(operatorText`x`),
    addSessionContext("x"),
    noteContext({}),
    holdAnswer(),
    replaceText("x"),
    retryInference("x"),
    suspendStep({ action: "x" }),
    excludeTool("x"),
    includeOnlyTools("x"),
    transformRequest((request) => request),
    overrideInference({}),
    terminateRun(),
    handOff("x"),
    blockCall("x"),
    suspendCall({ action: "x" }),
    setToolResult("x"),
    addSystemReminder("x"),
    addUserMessage("x"),
    scheduleAction("x"),
    emitEffect("x"),
    emitEvent("activity_snapshot", { message_id: "m", activity_type: "t", content: 1 }),
  ] as const;
  expectTypeOf<(typeof all)[number]["type"]>().toEqualTypeOf<ActionType>();
  expectTypeOf(blockCall("x")).toEqualTypeOf<PhaseAction<"block">>();
});

/** Whether a hook of a phase may return an action of a type. */
type Takes<In extends Phase, Type extends ActionType> =
  (() => PhaseAction<Type>[]) extends PhaseHook<In> ? true : false;

test("a hook that returns what its phase does not take is no hook of that phase", () => {
  expectTypeOf<Takes<"run_start", "state">>().toEqualTypeOf<true>();
  expectTypeOf<Takes<"run_start", "terminate">>().toEqualTypeOf<false>();
  expectTypeOf<Takes<"step_start", "add_system_context">>().toEqualTypeOf<false>();
  expectTypeOf<Takes<"before_inference", "terminate">>().toEqualTypeOf<true>();
  expectTypeOf<Takes<"before_inference", "block">>().toEqualTypeOf<false>();
  expectTypeOf<Takes<"after_inference", "terminate">>().toEqualTypeOf<true>();
  expectTypeOf<Takes<"after_inference", "exclude_tool">>().toEqualTypeOf<false>();
  expectTypeOf<Takes<"before_tool_execute", "suspend">>().toEqualTypeOf<true>();
  expectTypeOf<Takes<"before_tool_execute", "add_system_reminder">>().toEqualTypeOf<false>();
  expectTypeOf<Takes<"after_tool_execute", "add_system_reminder">>().toEqualTypeOf<true>();
  expectTypeOf<Takes<"after_tool_execute", "set_tool_result">>().toEqualTypeOf<false>();
  expectTypeOf<Takes<"run_end", "add_user_message">>().toEqualTypeOf<false>();
});

test("a hook may return nothing, at once or later", () => {
  expectTypeOf<() => undefined>().toExtend<PhaseHook<"step_end">>();
  expectTypeOf<() => Promise<undefined>>().toExtend<PhaseHook<"step_end">>();
  expectTypeOf<() => Promise<PhaseAction<"state">[]>>().toExtend<PhaseHook<"step_end">>();
  expectTypeOf<() => Promise<PhaseAction<"block">[]>>().not.toExtend<PhaseHook<"step_end">>();
});

test("only the operator's words are system context", () => {
  addSystemContext(operatorText("checked where it comes from"));
  addSystemContext(operatorText`written here`);
  // @ts-expect-error text from anywhere is not the operator's
  addSystemContext("from somewhere");
  const somewhere: string = "from somewhere";
  // @ts-expect-error nor is a template with values in it, tagged or not
  addSystemContext(`Be ${somewhere}.`);
  // @ts-expect-error a tagged template takes no values
  operatorText`Be ${somewhere}.`;
});

test("an action has what its type needs", () => {
  // @ts-expect-error a refusal has a reason
  blockCall();
  // @ts-expect-error a question says what it asks for
  suspendCall({ message: "Sure?" });
  // @ts-expect-error an unknown field of an override is a mistake
  overrideInference({ temprature: 1 });
  // @ts-expect-error a payload is JSON
  scheduleAction("later", new Date());
  // @ts-expect-error so is an effect's
  emitEffect("tell", () => undefined);
});
