import type { EventData, SuspensionNotice, ToolResult } from "@reprise/contracts";
import { getAt, type Json } from "@reprise/state";
import { toolErrorText, toolOutput } from "../chat/tool-output.ts";
import { asksApproval, describeQuestion } from "./approval-descriptor.ts";
import { type AiSdkState, BELOW, type Encoded, inOrder, type OpenCall } from "./encoder-state.ts";
import { closeParts } from "./text-parts.ts";
import type { UiChunk } from "./ui-chunk.ts";

export function startCall(state: AiSdkState, { id, name }: EventData["tool_call_start"]): Encoded {
  return inOrder(state, closeParts, (closed) => {
    const call = { name, step: closed.steps, isReady: false, isDynamic: false };
    return [putCall(closed, id, call), [{ type: "tool-input-start", toolCallId: id, toolName: name }]];
  });
}

export function appendInput(state: AiSdkState, { id, args_delta }: EventData["tool_call_delta"]): Encoded {
  if (callOf(state, id)?.isReady !== false) return [state, []];
  return [state, [{ type: "tool-input-delta", toolCallId: id, inputTextDelta: args_delta }]];
}

export function readyCall(state: AiSdkState, { id, name, arguments: input }: EventData["tool_call_ready"]): Encoded {
  return inOrder(state, closeParts, (closed) => {
    const call = { name, step: closed.steps, isReady: true, isDynamic: false };
    return [putCall(closed, id, call), [{ type: "tool-input-available", toolCallId: id, toolName: name, input }]];
  });
}

/** A call that was decided about. Only other arguments are news: what the call came to follows by itself. */
export function resumeCall(state: AiSdkState, { target_id: id, result }: EventData["tool_call_resumed"]): Encoded {
  const call = callOf(state, id);
  const edited = getAt(result, ["arguments"]);
  // In an earlier step the client would not find the part, and begin a second one.
  if (call === undefined || edited === undefined || call.step !== state.steps) return [state, []];
  return [state, [{ type: "tool-input-available", ...nameOf(id, call), input: edited }]];
}

/** What a call came to: a result, or a question. */
export function settleCall(state: AiSdkState, done: EventData["tool_call_done"]): Encoded {
  return inOrder(
    state,
    (current) => ensurePart(current, done),
    (current) => (done.suspended === undefined ? endCall(current, done) : [current, askAbout(done.id, done.suspended)]),
  );
}

/** Whether a run below waits for an answer of the page. */
export function asksBelow({ calls }: AiSdkState): boolean {
  return Object.values(calls).some(({ step }) => step === BELOW);
}

/** The question of a call of a run below, or the result of one that was asked about. The page has no part of any other one. */
export function settleBelow(state: AiSdkState, done: EventData["tool_call_done"]): Encoded {
  if (done.suspended === undefined && callOf(state, done.id) === undefined) return [state, []];
  return inOrder(
    state,
    (current) => ensurePart(current, done, BELOW),
    (current) => (done.suspended === undefined ? endCall(current, done) : [current, askAbout(done.id, done.suspended)]),
  );
}

/** Gives up the calls the model began and did not finish. Their parts would wait for ever. */
export function dropUnready(state: AiSdkState): Encoded {
  return dropCalls(state, ({ isReady }) => !isReady);
}

/** Gives up every call of the run that has no result. */
export function dropAll(state: AiSdkState): Encoded {
  return dropCalls(state, ({ step }) => step !== BELOW);
}

/** Gives up the calls of the step at work: the model begins it again. */
export function dropStep(state: AiSdkState): Encoded {
  return dropCalls(state, ({ step }) => step === state.steps);
}

const DROPPED = "The call was not finished.";

function dropCalls(state: AiSdkState, isDropped: (call: OpenCall) => boolean): Encoded {
  const entries = Object.entries(state.calls);
  const dropped = entries.filter(([, call]) => isDropped(call));
  if (dropped.length === 0) return [state, []];
  const calls = Object.fromEntries(entries.filter(([, call]) => !isDropped(call)));
  const chunks = dropped.map(([id, call]): UiChunk => {
    // A part of an earlier step is found by its output only.
    if (call.step !== state.steps) return { type: "tool-output-error", toolCallId: id, errorText: DROPPED };
    return { type: "tool-input-error", ...nameOf(id, call), input: null, errorText: DROPPED };
  });
  return [{ ...state, calls }, chunks];
}

function endCall(state: AiSdkState, { id, result, outcome }: EventData["tool_call_done"]): Encoded {
  const { [id]: _ended, ...calls } = state.calls;
  return [{ ...state, calls }, [outputChunk(id, result, outcome)]];
}

function outputChunk(toolCallId: string, result: ToolResult, outcome: string): UiChunk {
  if (result.status !== "error") return { type: "tool-output-available", toolCallId, output: toolOutput(result) };
  const isDenied = outcome === "cancelled" && getAt(result.data, ["error", "code"]) === "denied";
  if (isDenied) return { type: "tool-output-denied", toolCallId };
  return { type: "tool-output-error", toolCallId, errorText: toolErrorText(result) };
}

/** A call that waits asks on its own part. One that is the front end's to do stays as it is, which is how a client knows. */
function askAbout(toolCallId: string, question: SuspensionNotice): readonly UiChunk[] {
  if (!asksApproval(question.ticket)) return [];
  const approvalId = question.ticket.suspension.id;
  const approvalDescriptor = describeQuestion(question);
  return [{ type: "tool-approval-request", approvalId, toolCallId, approvalDescriptor }];
}

/** The model did not ask for every call: a question of the runtime's own gets a part here. */
function ensurePart(
  state: AiSdkState,
  { id, result, suspended }: EventData["tool_call_done"],
  step = state.steps,
): Encoded {
  if (callOf(state, id) !== undefined) return [state, []];
  const name = suspended?.ticket.pending.name ?? result.tool_name;
  const input: Json = suspended?.ticket.pending.arguments ?? null;
  const call = { name, step, isReady: true, isDynamic: true };
  return [putCall(state, id, call), [{ type: "tool-input-available", ...nameOf(id, call), input }]];
}

function nameOf(toolCallId: string, { name, isDynamic }: OpenCall) {
  return { toolCallId, toolName: name, ...(isDynamic && { dynamic: true as const }) };
}

function callOf({ calls }: AiSdkState, id: string): OpenCall | undefined {
  return Object.hasOwn(calls, id) ? calls[id] : undefined;
}

function putCall(state: AiSdkState, id: string, call: OpenCall): AiSdkState {
  return { ...state, calls: { ...state.calls, [id]: call } };
}
