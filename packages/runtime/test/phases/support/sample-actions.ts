import {
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
  type PhaseAction,
  replaceText,
  retryInference,
  scheduleAction,
  setToolResult,
  suspendCall,
  suspendStep,
  terminateRun,
  transformRequest,
} from "@reprise/contracts";
import { expect } from "vitest";
import { changesOf, type Played } from "./play-plugins.ts";
import { tally } from "./tally.ts";

export interface Sample {
  readonly action: PhaseAction;
  /** What is to be seen of a run in which the plugin `p` asked for it. */
  check(played: Played & { readonly effects: readonly unknown[] }): void;
}

const lastOf = ({ model }: Played): string => JSON.stringify(model.requests.at(-1)?.messages.at(-1));

/** One action of every type, with what it does. */
export const SAMPLES: { readonly [Type in ActionType]: Sample } = {
  state: {
    action: changeState(tally.add("asked")),
    check: ({ state }) => expect(tally.read(state)).toContain("asked"),
  },
  emit: {
    action: emitEvent("activity_snapshot", { message_id: "m", activity_type: "seen", content: 1 }),
    check: ({ changesets }) => {
      const events = changesets.flatMap((changeset) => changeset.events);
      expect(events).toContainEqual(
        expect.objectContaining({
          type: "activity_snapshot",
          data: expect.objectContaining({ activity_type: "seen" }),
        }),
      );
    },
  },
  schedule: {
    action: scheduleAction("later", 1),
    check: ({ changesets }) => {
      const [patch] = changesOf(changesets, "p").patches;
      expect(patch?.ops).toEqual([expect.objectContaining({ value: { plugin: "p", key: "later", payload: 1 } })]);
    },
  },
  effect: { action: emitEffect("tell", 1), check: ({ effects }) => expect(effects).toContain(1) },
  add_system_context: {
    action: addSystemContext(operatorText`Be brief.`),
    check: ({ model }) => expect(model.requests[0]?.system).toBe("Be brief."),
  },
  add_session_context: {
    action: addSessionContext("It rains."),
    check: ({ model }) => expect(JSON.stringify(model.requests[0]?.messages.at(-1))).toContain("It rains."),
  },
  note_context: {
    action: noteContext({ omissions: [{ kind: "file", ref: "AGENTS.md", reason: "missing" }] }),
    check: ({ model, events }) => {
      const [fact] = events.filter(({ type }) => type === "context_resolved");
      const omissions = [{ kind: "file", ref: "AGENTS.md", reason: "missing", plugin: "p" }];
      expect(fact?.data).toEqual({ contributions: [{ plugin: "p", action: "note_context" }], omissions });
      expect(JSON.stringify(model.requests)).not.toContain("AGENTS.md");
    },
  },
  hold_answer: {
    action: holdAnswer(),
    check: ({ events, outcome }) => {
      expect(events.filter(({ type }) => type === "text_delta")).toMatchObject([{ data: { delta: "ok" } }]);
      expect(outcome).toMatchObject({ status: "done", text: "ok" });
    },
  },
  replace_text: {
    action: replaceText("another text"),
    check: ({ outcome }) => expect(outcome).toMatchObject({ status: "done", text: "another text" }),
  },
  retry_inference: {
    action: retryInference("Try again."),
    check: ({ model }) => expect(JSON.stringify(model.requests[1]?.messages.at(-1))).toContain("Try again."),
  },
  suspend_step: {
    action: suspendStep({ action: "ask" }),
    check: ({ outcome, keys }) => {
      expect(outcome).toMatchObject({ status: "waiting", open: [{ ticket: { suspension: { action: "ask" } } }] });
      expect(keys).toEqual([]);
    },
  },
  exclude_tool: {
    action: excludeTool("add"),
    check: ({ model, keys }) => expect([model.requests[0]?.tools, keys]).toEqual([[], []]),
  },
  include_only_tools: {
    action: includeOnlyTools("other"),
    check: ({ model, keys }) => expect([model.requests[0]?.tools, keys]).toEqual([[], []]),
  },
  add_request_transform: {
    action: transformRequest((request) => ({ ...request, system: "changed" })),
    check: ({ model }) => expect(model.requests[0]?.system).toBe("changed"),
  },
  override_inference: {
    action: overrideInference({ temperature: 0.5 }),
    check: ({ model }) => expect(model.requests[0]?.options).toEqual({ temperature: 0.5 }),
  },
  terminate: {
    action: terminateRun("enough"),
    check: ({ outcome, keys }) => {
      expect(outcome).toMatchObject({ status: "done", termination: { type: "behavior_requested" } });
      expect(keys).toEqual([]);
    },
  },
  hand_off: {
    action: handOff("other"),
    check: ({ events }) => {
      const [handoff] = events.filter(({ type }) => type === "agent_handoff");
      expect(handoff?.data).toEqual({ from: "agent", to: "other", number: 1 });
    },
  },
  block: {
    action: blockCall("Not today."),
    check: (played) => {
      expect(played.keys).toEqual([]);
      expect(lastOf(played)).toContain("Not today.");
    },
  },
  suspend: {
    action: suspendCall({ action: "ask" }),
    check: ({ outcome, keys }) => {
      expect(outcome).toMatchObject({ status: "waiting", open: [{ ticket: { suspension: { action: "ask" } } }] });
      expect(keys).toEqual([]);
    },
  },
  set_tool_result: {
    action: setToolResult("known already"),
    check: (played) => {
      expect(played.keys).toEqual([]);
      expect(lastOf(played)).toContain("known already");
    },
  },
  add_system_reminder: {
    action: addSystemReminder("Mind the gap."),
    check: (played) => expect(lastOf(played)).toContain("Mind the"),
  },
  add_user_message: {
    action: addUserMessage("By the way."),
    check: (played) => expect(lastOf(played)).toContain("By the way."),
  },
};
