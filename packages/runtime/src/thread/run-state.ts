import {
  type FrontendContext,
  type FrontendTool,
  type InheritedState,
  isTerminal,
  type RunRecord,
  type RunRequest,
  TOOL_CALL_TRANSITIONS,
  type ToolCallRecord,
} from "@reprise/contracts";
import { getAt, type Json, type Op, ops, TOOL_CALL_SCOPE } from "@reprise/state";
import type { InheritedPlugin } from "../resolve/agents.ts";

/** Where the state of the thread's current run is kept, so that a look at any version shows it. */
export const RUN_PATH = "__run";

/** Says in the thread's state how the run stands. */
export function runStateOps(run: RunRecord, doneReason?: string): readonly Op[] {
  const value = { id: run.run_id, status: run.status, updated_at: run.updated_at };
  return [ops.mergeObject([RUN_PATH], doneReason === undefined ? value : { ...value, done_reason: doneReason })];
}

/** What the client of a run brings along: stored once, with the state of the run, and gone with it. */
export interface Frontend {
  readonly tools: readonly FrontendTool[];
  readonly context: readonly FrontendContext[];
}

export function frontendOps({ frontend_tools: tools = [], context = [] }: RunRequest): readonly Op[] {
  if (tools.length + context.length === 0) return [];
  // Plain JSON, which its interfaces hide from the compiler.
  return [ops.set([RUN_PATH, "frontend"], { tools, context } as unknown as Json)];
}

const NO_FRONTEND: Frontend = { tools: [], context: [] };

/** The tools and the context that the client of the thread's current run brought along. */
export function frontendOf(document: Json): Frontend {
  // Written by `frontendOps`, and no patch from outside reaches it.
  return (getAt(document, [RUN_PATH, "frontend"]) as unknown as Frontend | undefined) ?? NO_FRONTEND;
}

export function inheritedOps({ inherited = [] }: RunRequest): readonly Op[] {
  if (inherited.length === 0) return [];
  const plugins = inherited.map(({ plugin_id, agent_id, state }) => ({ plugin_id, agent_id, state }));
  return [
    ops.set([RUN_PATH, "inherited"], plugins),
    ops.set([RUN_PATH, "scoped"], [...new Set(inherited.map(({ state }) => state))]),
    ...inherited.flatMap((each) => each.ops),
  ];
}

/** The plugins that the thread's current run has from the run above. */
export function inheritedPlugins(document: Json): readonly (InheritedPlugin & Pick<InheritedState, "state">)[] {
  // Written by `inheritedOps`, and no patch from outside reaches it.
  return (getAt(document, [RUN_PATH, "inherited"]) as unknown as ReturnType<typeof inheritedPlugins> | undefined) ?? [];
}

/** The same with their states, as a run passes them on whose agent has no plugins of its own. */
export function inheritedStates(document: Json): readonly InheritedState[] {
  return inheritedPlugins(document).map(({ plugin_id, agent_id, state }) => {
    const path = state.split(".");
    return { plugin_id, agent_id, state, ops: [ops.set(path, getAt(document, path) ?? null)] };
  });
}

/** Deletes what belonged to the run before: its own entry, and the run-scoped states it wrote. */
export function clearRunOps(document: Json): readonly Op[] {
  const scoped = getAt(document, [RUN_PATH, "scoped"]);
  const paths = Array.isArray(scoped) ? scoped.filter((path) => typeof path === "string") : [];
  const known = paths.filter((path) => getAt(document, path.split(".")) !== undefined);
  const hasRun = getAt(document, [RUN_PATH]) !== undefined;
  return [...known.map((path) => ops.delete(path.split("."))), ...(hasRun ? [ops.delete([RUN_PATH])] : [])];
}

/** Notes run-scoped states that were written to, for `clearRunOps` of the next run. */
export function noteScopedOps(document: Json, names: Iterable<string>): readonly Op[] {
  const noted = getAt(document, [RUN_PATH, "scoped"]);
  const known = new Set(Array.isArray(noted) ? noted : []);
  return [...names].filter((name) => !known.has(name)).map((name) => ops.append([RUN_PATH, "scoped"], name));
}

/** Says in the thread's state how calls stand; what belonged to calls that are over is deleted. */
export function callStateOps(document: Json, calls: ReadonlyMap<string, ToolCallRecord>): readonly Op[] {
  if (calls.size === 0) return [];
  const kept = Object.keys(getAt(document, [TOOL_CALL_SCOPE]) ?? {});
  const isOver = (call: ToolCallRecord | undefined): boolean =>
    call !== undefined && isTerminal(TOOL_CALL_TRANSITIONS, call.status);
  // Mostly a round ends as a whole: then everything goes at once, and not call by call.
  const isRoundOver = [...calls.values()].every(isOver) && kept.every((id) => isOver(calls.get(id)));
  if (isRoundOver) return kept.length === 0 ? [] : [ops.delete([TOOL_CALL_SCOPE])];
  return [...calls.values()].flatMap((call) => opsOfCall(document, call));
}

function opsOfCall(document: Json, call: ToolCallRecord): readonly Op[] {
  const path = [TOOL_CALL_SCOPE, call.call_id];
  if (isTerminal(TOOL_CALL_TRANSITIONS, call.status))
    return getAt(document, path) === undefined ? [] : [ops.delete(path)];
  const { call_id, tool_id, status, updated_at, ticket } = call;
  const state = { call_id, tool_name: tool_id, arguments: call.arguments, status, updated_at };
  const suspended = { ...ticket, call_id, tool_name: tool_id, arguments: call.arguments };
  return [
    ops.set([...path, "tool_call_state"], state),
    // A ticket is made of JSON; the compiler does not see that through its interfaces.
    ...(ticket === undefined ? [] : [ops.set([...path, "suspended_call"], suspended as unknown as Json)]),
  ];
}
