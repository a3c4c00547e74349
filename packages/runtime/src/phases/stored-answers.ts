import { isToolResult, type PhaseAction, type ToolResult, toolResult } from "@reprise/contracts";
import { getAt, isJson, type Json } from "@reprise/state";
import type { Recorded } from "../effects/port.ts";
import { copyJson } from "../json/copy-json.ts";
import { outputJson, Unreadable } from "../json/output-json.ts";
import type { Owned } from "../resolve/resolved-agent.ts";
import { INFERENCES, type SpentInference } from "./infer-for-plugin.ts";

/** What a hook asks for. */
export type Answer = readonly PhaseAction[] | undefined;

/** What the plugins of a phase asked for, each in its turn, and what models were asked for plugins up to then. */
export interface Answers {
  readonly given: readonly Owned<Answer>[];
  readonly inferences: readonly SpentInference[];
}

/** Answers as they are stored, with what the plugins recorded on the way. */
export function encodeAnswers({ given, inferences }: Answers, key: string, recorded: readonly Recorded[]): Json {
  const answers = given.map(({ plugin, value }): Json => ({ plugin, actions: encodeActions(value) }));
  const all = [...recorded, ...recordedInferences(key, inferences)];
  // Records are made of JSON; their interface hides it.
  return all.length === 0 ? { answers } : { answers, recorded: all as unknown as Json };
}

export function recordedInferences(place: string, inferences: readonly SpentInference[]): readonly Recorded[] {
  // As above.
  return inferences.length === 0 ? [] : [{ place, name: INFERENCES, value: inferences as unknown as Json }];
}

export function decodeInferences(stored: Json | undefined): readonly SpentInference[] {
  const recorded = getAt(stored ?? {}, ["recorded"]);
  const own = Array.isArray(recorded) ? recorded.find((each) => getAt(each, ["name"]) === INFERENCES) : undefined;
  // Written by `recordedInferences`.
  return own === undefined ? [] : ((getAt(own, ["value"]) ?? []) as unknown as readonly SpentInference[]);
}

/** An answer that is no list of actions fails its run: of that one only what it was is kept. */
function encodeActions(value: unknown): Json {
  if (Array.isArray(value)) return value.map(encodeAction);
  return value === undefined || value === null ? [] : String(value);
}

function encodeAction(action: unknown): Json {
  if (typeof action !== "object" || action === null) return String(action);
  // An event is mostly stored with the commit of its phase, and large: the effect refers to it when it is committed (`referToCommit`).
  if ("type" in action && action.type === "emit") return action as Json;
  const kept: Record<string, Json> = {};
  // A function cannot be stored; what it did to the request is an effect of its own.
  for (const [key, value] of Object.entries(action)) if (isJson(value)) kept[key] = copyJson(value);
  if ("result" in action) {
    const { result } = action;
    const output = outputJson(isToolResult(result) ? plain(result) : result);
    if (isToolResult(result)) kept.is_result = true;
    if (output.ok) kept.result = output.value;
    else kept.unreadable = output.problem;
  }
  return kept;
}

function plain({ tool_name, status, data, message, metadata, suspension }: ToolResult): ToolResult {
  return { tool_name, status, data, message, metadata, ...(suspension !== undefined && { suspension }) };
}

export function decodeAnswers(stored: Json | undefined): Answers {
  const answers = getAt(stored ?? {}, ["answers"]);
  const given = (Array.isArray(answers) ? answers : []).map((answer) => {
    const actions = getAt(answer, ["actions"]);
    // Written by `encodeAnswers`; what is no list fails again.
    const value = (Array.isArray(actions) ? actions.map(decodeAction) : actions) as Answer;
    return { plugin: String(getAt(answer, ["plugin"])), value };
  });
  return { given, inferences: decodeInferences(stored) };
}

interface Marks {
  readonly is_result?: boolean;
  /** Why the result could not be stored. */
  readonly unreadable?: string;
}

function decodeAction(stored: Json): PhaseAction {
  // Written by `encodeAction`.
  const { is_result, unreadable, ...action } = stored as unknown as PhaseAction & Marks;
  if (action.type === "add_request_transform") return { ...action, transform: (request) => request };
  if (action.type !== "set_tool_result") return action;
  // Fails as it did: what is not JSON cannot be read as a result.
  if (unreadable !== undefined) return { ...action, result: new Unreadable(unreadable) as never };
  if (is_result !== true) return action;
  // Marked as a result when it was stored.
  return { ...action, result: toolResult(action.result as ToolResult) };
}
