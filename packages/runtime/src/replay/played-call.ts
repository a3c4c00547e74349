import type { AgentEvent, MessageInput } from "@reprise/contracts";
import type { Json, TrackedPatch } from "@reprise/state";
import { CallState } from "../tools/call-state.ts";
import type { ExecutedCall } from "../tools/execute-call.ts";
import type { ExpectedCommit } from "./expected-commit.ts";
import { NOTE } from "./notes.ts";
import type { ExecutionPlace } from "./witness.ts";

type CallDone = Extract<AgentEvent, { type: "tool_call_done" }>;

/** What was noted of an execution beside its result. */
interface Extras {
  readonly terminate?: string;
  readonly messages?: readonly MessageInput[];
  readonly run_scoped?: readonly string[];
  readonly blobs?: readonly string[];
}

/** How a call ended in a commit by its own execution; undefined when it did not end there, or was cancelled. */
export function doneIn({ held }: ExpectedCommit, callId: string): CallDone | undefined {
  return held.find(
    (event): event is CallDone =>
      event.type === "tool_call_done" && event.data.id === callId && event.data.outcome !== "cancelled",
  );
}

/** An execution as it was recorded, in the form in which one comes back from a tool. */
export function playedCall(
  { workspace, call }: ExecutionPlace,
  expected: ExpectedCommit,
  { data }: CallDone,
): ExecutedCall {
  const source = `tool:${call.tool_id}`;
  const state = new CallState(workspace.document, call.call_id, source);
  const patch = data.patch ?? (data.outcome === "suspended" ? takeOwnPatch(expected, source) : undefined);
  state.ops.push(...(patch?.ops ?? []));
  const { actions } = expected.changeset;
  state.actions.push(...actions.filter((logged) => logged.source === source && logged.call_id === call.call_id));
  const {
    terminate,
    messages = [],
    run_scoped = [],
    blobs = [],
  } = readExtras(expected.take(NOTE.call(call.call_id), "executed"));
  for (const name of run_scoped) state.runScoped.add(name);
  return {
    state,
    messages: [...messages],
    recordings: [],
    blobs: [...blobs],
    result: data.result,
    ...(terminate !== undefined && { terminate }),
  };
}

/** A call that was suspended names its patch nowhere: it is the next of its tool that no result names. */
function takeOwnPatch(expected: ExpectedCommit, source: string): TrackedPatch | undefined {
  const named = new Set(
    expected.held.flatMap((event) => (event.type === "tool_call_done" ? [event.data.patch?.id] : [])),
  );
  return expected.takePatch((patch) => patch.source === source && !named.has(patch.id));
}

function readExtras(noted: Json | undefined): Extras {
  // Written by the live witness.
  return (noted ?? {}) as unknown as Extras;
}
