import type { BackendEvent, ToolResult } from "@reprise/contracts";
import { isPlainObject } from "@reprise/contracts/shape";
import { isJson, type Json, type JsonObject } from "@reprise/state";

/** What was shown of the calls of an agent so far, by their ids. */
export interface ShownCalls {
  readonly [id: string]: { readonly name: string; readonly isReady: boolean };
}

/** An update of a session in our words: a piece of text, or events. Pure. */
export interface ShownUpdate {
  readonly calls: ShownCalls;
  readonly text?: { readonly delta: string; readonly messageId?: string };
  readonly events: readonly BackendEvent[];
}

export function showUpdate(calls: ShownCalls, update: Json): ShownUpdate {
  const nothing = { calls, events: [] };
  if (!isPlainObject(update)) return nothing;
  const delta = textOf(update.content as Json | undefined);
  switch (update.sessionUpdate) {
    case "agent_message_chunk": {
      if (delta === undefined) return nothing;
      const messageId = typeof update.messageId === "string" ? { messageId: update.messageId } : {};
      return { ...nothing, text: { delta, ...messageId } };
    }
    case "agent_thought_chunk":
      return delta === undefined ? nothing : { calls, events: [{ type: "reasoning_delta", data: { delta } }] };
    case "tool_call":
    case "tool_call_update":
      return showCall(calls, update);
    case "plan": {
      const content = { entries: update.entries ?? [] } as unknown as Json;
      const data = { message_id: "plan", activity_type: "plan", content, replace: true };
      return isJson(content) ? { calls, events: [{ type: "activity_snapshot", data }] } : nothing;
    }
    default:
      return nothing;
  }
}

type Update = { readonly [key: string]: unknown };

function showCall(calls: ShownCalls, update: Update): ShownUpdate {
  const { toolCallId: id, status } = update;
  if (typeof id !== "string") return { calls, events: [] };
  const known = Object.hasOwn(calls, id) ? calls[id] : undefined;
  const name = known?.name ?? nameOf(update);
  const isOver = status === "completed" || status === "failed";
  const isReady = known?.isReady === true || update.rawInput !== undefined || isOver;
  const events: readonly BackendEvent[] = [
    ...(known === undefined ? [{ type: "tool_call_start", data: { id, name } } as const] : []),
    ...(isReady && known?.isReady !== true
      ? [{ type: "tool_call_ready", data: { id, name, arguments: inputOf(update) } } as const]
      : []),
    ...(isOver ? [endOf(id, name, update)] : []),
  ];
  const { [id]: _, ...others } = calls;
  return { calls: isOver ? others : { ...others, [id]: { name, isReady } }, events };
}

/** Ends the calls that have no result when the turn is over. */
export function dropCalls(calls: ShownCalls): readonly BackendEvent[] {
  const message = "The agent did not finish the call.";
  return Object.entries(calls).flatMap(([id, { name, isReady }]): readonly BackendEvent[] => {
    const result = { tool_name: name, status: "error", data: null, message, metadata: {} } as const;
    return [
      ...(isReady ? [] : [{ type: "tool_call_ready", data: { id, name, arguments: {} } } as const]),
      { type: "tool_call_done", data: { id, result, outcome: "failed" } },
    ];
  });
}

/** The tool, where the agent names it; else the kind of the call. */
function nameOf({ name, kind }: Update): string {
  if (typeof name === "string" && name !== "") return name;
  return typeof kind === "string" && kind !== "" ? kind : "tool";
}

function inputOf({ rawInput, title }: Update): Json {
  if (isJson(rawInput)) return rawInput;
  return typeof title === "string" ? { title } : {};
}

function endOf(id: string, name: string, update: Update): BackendEvent {
  const { status, content, rawOutput, locations } = update;
  const pieces = Array.isArray(content) ? content.filter(isPlainObject) : [];
  const said = pieces.map((piece) => textOf(piece.content as Json | undefined) ?? "").join("");
  const diffs = pieces.flatMap(diffOf);
  const metadata: JsonObject = {
    ...(diffs.length > 0 && { diffs }),
    ...(Array.isArray(locations) && isJson(locations) && { locations }),
  };
  const isFailed = status === "failed";
  const result: ToolResult = {
    tool_name: name,
    status: isFailed ? "error" : "success",
    data: isJson(rawOutput) ? rawOutput : said,
    message: isFailed && said !== "" ? said : null,
    metadata,
  };
  return { type: "tool_call_done", data: { id, result, outcome: isFailed ? "failed" : "succeeded" } };
}

/** A diff in the words of our results, so that it is one again where an editor shows it. */
function diffOf({ type, path, oldText, newText }: Update): readonly JsonObject[] {
  if (type !== "diff" || typeof path !== "string" || typeof newText !== "string") return [];
  return [{ path, ...(typeof oldText === "string" && { old_text: oldText }), new_text: newText }];
}

function textOf(content: Json | undefined): string | undefined {
  return isPlainObject(content) && content.type === "text" && typeof content.text === "string"
    ? content.text
    : undefined;
}
