import { type EventData, isOwnQuestion } from "@reprise/contracts";
import type { Json } from "@reprise/state";
import { toolOutput } from "../chat/tool-output.ts";
import type { AgUiEvent } from "./ag-ui-event.ts";
import { type AgUiEncoded, type AgUiState, inOrder, type OpenCall } from "./encoder-state.ts";
import { waitOf } from "./interrupts.ts";
import { closeTelling, messageIdOf } from "./message-events.ts";

export function startCall(state: AgUiState, { id, name }: EventData["tool_call_start"]): AgUiEncoded {
  return inOrder(state, closeTelling, (closed) => {
    const shownId = shownIdOf(closed, id);
    const call = { shownId, step: closed.steps, isOpen: true, hasArguments: false };
    return [putCall(closed, id, call), [callStart(closed, shownId, name)]];
  });
}

export function appendArguments(
  state: AgUiState,
  { id, args_delta: delta }: EventData["tool_call_delta"],
): AgUiEncoded {
  const call = callOf(state, id);
  if (call?.shownId === undefined || !call.isOpen) return [state, []];
  const next = call.hasArguments ? state : putCall(state, id, { ...call, hasArguments: true });
  return [next, [{ type: "TOOL_CALL_ARGS", toolCallId: call.shownId, delta }]];
}

export function readyCall(state: AgUiState, { id, name, arguments: input }: EventData["tool_call_ready"]): AgUiEncoded {
  return inOrder(state, closeTelling, (closed) => {
    const begun = callOf(closed, id);
    const toolCallId = begun?.shownId ?? shownIdOf(closed, id);
    const events: AgUiEvent[] = begun === undefined ? [callStart(closed, toolCallId, name)] : [];
    if (begun?.hasArguments !== true) events.push(...argumentsOf(toolCallId, input));
    events.push({ type: "TOOL_CALL_END", toolCallId });
    const call = { shownId: toolCallId, step: closed.steps, isOpen: false, hasArguments: true };
    return [putCall(closed, id, call), events];
  });
}

/** The outcome of a call: a result, or a question. A result that the client sent itself is not told again. */
export function settleCall(
  state: AgUiState,
  done: EventData["tool_call_done"],
  isKnown: (callId: string) => boolean,
): AgUiEncoded {
  const { id, result, message_id: messageId, suspended } = done;
  return inOrder(
    state,
    (current) => ensureCall(current, done),
    (current) => {
      const call = callOf(current, id) ?? { step: current.steps, isOpen: false, hasArguments: false };
      const { shownId: toolCallId } = call;
      if (suspended !== undefined) {
        const waits = waitOf({ call_id: toolCallId ?? id, tool_id: result.tool_name, ...suspended });
        return [putCall(current, id, { ...call, waits }), []];
      }
      const ended = dropCalls(current, (each) => each === id);
      if (toolCallId === undefined || isKnown(id)) return [ended, []];
      const content = JSON.stringify(toolOutput(result));
      return [ended, [{ type: "TOOL_CALL_RESULT", messageId, toolCallId, content, role: "tool" }]];
    },
  );
}

/** Gives up the calls that the model began and did not finish. Clients refuse the end of a run with a call open. */
export function dropUnready(state: AgUiState): AgUiEncoded {
  return giveUp(state, ({ isOpen }) => isOpen);
}

/** Gives up the calls of the step at work: the model begins it again. */
export function dropStep(state: AgUiState): AgUiEncoded {
  return giveUp(state, ({ step }) => step === state.steps);
}

/** Gives up every call that has no result. */
export function dropAll(state: AgUiState): AgUiEncoded {
  return giveUp(state, () => true);
}

const GIVEN_UP = JSON.stringify({ status: "error", message: "The call was not finished." });

/** Without a result a front end would execute a call that is its own to execute. */
function giveUp(state: AgUiState, isDropped: (call: OpenCall) => boolean): AgUiEncoded {
  const dropped = Object.values(state.calls).filter(isDropped);
  if (dropped.length === 0) return [state, []];
  const events = dropped.flatMap(({ shownId: toolCallId, isOpen }): readonly AgUiEvent[] => {
    if (toolCallId === undefined) return [];
    const messageId = `${toolCallId}-dropped`;
    const result = { type: "TOOL_CALL_RESULT", messageId, toolCallId, content: GIVEN_UP, role: "tool" } as const;
    return isOpen ? [{ type: "TOOL_CALL_END", toolCallId }, result] : [result];
  });
  return [dropCalls(state, (_, call) => isDropped(call)), events];
}

/** The model did not make every call: one made by hand is shown with its result. Questions of the runtime are no calls. */
function ensureCall(state: AgUiState, { id, result, suspended }: EventData["tool_call_done"]): AgUiEncoded {
  if (callOf(state, id) !== undefined || isOwnQuestion({ tool_id: result.tool_name })) return [state, []];
  const input = suspended?.ticket.pending.arguments ?? null;
  return readyCall(state, { id, name: result.tool_name, arguments: input });
}

const AGAIN = /~\d+$/;

/** Clients append to the arguments of a call they know. In a step that began anew a call of the same id is another one for them. */
function shownIdOf({ resets }: AgUiState, id: string): string {
  return resets === 0 ? id : `${id}~${resets + 1}`;
}

/** The id of a call by the id that a client knows it by. */
export function callIdOf(shownId: string): string {
  return shownId.replace(AGAIN, "");
}

function callStart(state: AgUiState, toolCallId: string, toolCallName: string): AgUiEvent {
  const parent = messageIdOf(state);
  return { type: "TOOL_CALL_START", toolCallId, toolCallName, ...(parent !== "" && { parentMessageId: parent }) };
}

/** The whole arguments at once; nothing for a call without any. */
function argumentsOf(toolCallId: string, input: Json): readonly AgUiEvent[] {
  const delta = JSON.stringify(input);
  return delta === "{}" || delta === "null" ? [] : [{ type: "TOOL_CALL_ARGS", toolCallId, delta }];
}

function callOf({ calls }: AgUiState, id: string): OpenCall | undefined {
  return Object.hasOwn(calls, id) ? calls[id] : undefined;
}

function putCall(state: AgUiState, id: string, call: OpenCall): AgUiState {
  return { ...state, calls: { ...state.calls, [id]: call } };
}

function dropCalls(state: AgUiState, isDropped: (id: string, call: OpenCall) => boolean): AgUiState {
  const kept = Object.entries(state.calls).filter(([id, call]) => !isDropped(id, call));
  return { ...state, calls: Object.fromEntries(kept) };
}
