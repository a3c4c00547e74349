import {
  type ActionType,
  CONTEXT_REF_KINDS,
  type ContextRef,
  describeThrown,
  findDataProblem,
  type MessageInput,
  PHASE_ACTIONS,
  type Phase,
  type PhaseAction,
  PLUGIN_EVENTS,
  type PluginEvent,
  RepriseError,
} from "@reprise/contracts";
import { getAt, isJson, type Json, type Patch, toJsonPatch } from "@reprise/state";
import { isTimeLimit } from "../json/read-result.ts";
import type { Owned } from "../resolve/resolved-agent.ts";
import type { AgentView, Commits, EventSink, Host, Outside, RunView, StateAccess } from "../run/ports.ts";
import { assertQueued } from "../thread/assert-message.ts";
import { stepIdOf } from "../thread/derived-ids.ts";
import { scheduleLater } from "./scheduled-actions.ts";

/** The parts of a run that the actions of plugins change. */
export type ChangeableRun = RunView &
  Pick<AgentView, "agent"> &
  Outside &
  StateAccess &
  Pick<EventSink, "emit" | "emitOnCommit"> &
  Pick<Commits, "afterCommit"> &
  Host;

type Common = PhaseAction<"state" | "emit" | "schedule" | "effect">;

const ALLOWED = new Map<Phase, ReadonlySet<ActionType>>(
  Object.entries(PHASE_ACTIONS).map(([phase, types]) => [phase as Phase, new Set<ActionType>(types)]),
);

const COMMON: ReadonlySet<ActionType> = new Set<Common["type"]>(["state", "emit", "schedule", "effect"]);

/** Checks what the plugins ask for, does what every phase can do, and returns the rest for the loop. */
export function applyCommonActions(
  workspace: ChangeableRun,
  phase: Phase,
  answers: readonly Owned<readonly PhaseAction[] | undefined>[],
): readonly Owned<PhaseAction>[] {
  // Everything is checked before anything is done: a phase happens whole or not at all.
  for (const { plugin, value } of answers) {
    assertList(plugin, phase, value);
    for (const action of value ?? []) assertAllowed(workspace, plugin, phase, action);
  }
  const rest: Owned<PhaseAction>[] = [];
  for (const { plugin, value } of answers) {
    for (const action of value ?? []) {
      if (isCommon(action)) applyCommon(workspace, { plugin, phase }, action);
      else rest.push({ plugin, value: action });
    }
  }
  return rest;
}

function isCommon(action: PhaseAction): action is Common {
  return COMMON.has(action.type);
}

function assertList(plugin: string, phase: Phase, value: unknown): void {
  if (value === undefined || value === null || Array.isArray(value)) return;
  const message = `Plugin ${plugin} must return an array of actions or nothing from ${phase}.`;
  throw new RepriseError("INVALID_ACTION", message, { details: { plugin, phase } });
}

/** Plugins come from anywhere, also from code without types: what they return is not trusted to fit. */
function assertAllowed(workspace: Pick<AgentView, "agent">, plugin: string, phase: Phase, action: PhaseAction): void {
  const type: unknown = (action as PhaseAction | null | undefined)?.type;
  if (typeof type !== "string" || ALLOWED.get(phase)?.has(type as ActionType) !== true) {
    const allowed = [...(ALLOWED.get(phase) ?? [])].join(", ");
    const message = `Plugin ${plugin} returned ${describe(type)} in ${phase}, which takes: ${allowed}.`;
    throw new RepriseError("INVALID_ACTION", message, { details: { plugin, phase, action: type } });
  }
  const { installed } = workspace.agent;
  if (action.type === "schedule") assertOwnKey(plugin, "scheduled action", action.key, installed.scheduled);
  if (action.type === "effect") assertOwnKey(plugin, "effect", action.key, installed.effects);
  if (action.type === "emit") assertEvent(plugin, phase, action.event);
  if (action.type === "state") assertDeclared(workspace, plugin, phase, action);
  if (action.type === "add_user_message") assertGiven(plugin, phase, action.message);
  if (action.type === "suspend" || action.type === "suspend_step") assertQuestion(plugin, phase, action.request);
  if (action.type === "replace_text") assertText(plugin, phase, "text", action.text);
  if (action.type === "retry_inference") assertText(plugin, phase, "feedback", action.feedback);
  if ("refs" in action) assertSources(plugin, phase, action.refs);
  if ("omissions" in action) assertSources(plugin, phase, action.omissions);
}

function assertText(plugin: string, phase: Phase, field: string, value: unknown): void {
  if (typeof value === "string") return;
  const message = `Plugin ${plugin} must give a string as ${field} in ${phase}.`;
  throw new RepriseError("INVALID_ACTION", message, { details: { plugin, phase } });
}

/** Sources are shown to clients: each has a known kind and a reference. */
function assertSources(plugin: string, phase: Phase, given: readonly ContextRef[] | undefined): void {
  const isSource = (value: unknown): boolean =>
    isJson(value) &&
    CONTEXT_REF_KINDS.some((kind) => kind === getAt(value, ["kind"])) &&
    typeof getAt(value, ["ref"]) === "string";
  if (given === undefined || (Array.isArray(given) && given.every(isSource))) return;
  const message = `Plugin ${plugin} names a source in ${phase} that is not valid: refs and omissions must be arrays of { kind, ref } with one of the kinds ${CONTEXT_REF_KINDS.join(", ")}.`;
  throw new RepriseError("INVALID_ACTION", message, { details: { plugin, phase } });
}

/** A question goes into the store and to people: it is JSON, says what it asks for, and ends at a time if at all. */
function assertQuestion(plugin: string, phase: Phase, request: unknown): void {
  const isQuestion =
    isJson(request) && typeof getAt(request, ["action"]) === "string" && isTimeLimit(getAt(request, ["expires_in_ms"]));
  if (isQuestion) return;
  const message = `Plugin ${plugin} asks a person in ${phase} without a valid question: it must be JSON with an action, and expires_in_ms must be positive.`;
  throw new RepriseError("INVALID_ACTION", message, { details: { plugin, phase } });
}

/** An event goes to clients and into the journal: it must be of a type that plugins may emit, and have the fields of that type. */
function assertEvent(plugin: string, phase: Phase, event: PluginEvent | undefined): void {
  const type = PLUGIN_EVENTS.find((known) => known === event?.type);
  const problem =
    type === undefined
      ? `the type must be one of ${PLUGIN_EVENTS.join(", ")} (got ${describe(event?.type)})`
      : (findDataProblem(type, event?.data) ?? (isJson(event?.data) ? undefined : `${type}: data is not JSON`));
  if (problem === undefined) return;
  const message = `Plugin ${plugin} emits an invalid event in ${phase}: ${problem}.`;
  throw new RepriseError("INVALID_ACTION", message, { details: { plugin, phase } });
}

/** A message from a plugin is checked like one from a client. */
function assertGiven(plugin: string, phase: Phase, message: MessageInput): void {
  try {
    assertQueued(message);
  } catch (error) {
    const problem = `Plugin ${plugin} adds a message in ${phase} that is not valid: ${describeThrown(error)}`;
    throw new RepriseError("INVALID_ACTION", problem, { cause: error, details: { plugin, phase } });
  }
}

/** Only declared states are changed by plugins: where a state lives and how it merges is known before anything runs. */
function assertDeclared(
  { agent }: Pick<AgentView, "agent">,
  plugin: string,
  phase: Phase,
  { action, call_id }: PhaseAction<"state">,
): void {
  const name: unknown = action?.state;
  const slice = typeof name === "string" ? agent.installed.states.get(name) : undefined;
  if (slice === undefined) {
    const message = `Plugin ${plugin} changes the state ${describe(name)} in ${phase}, which no plugin of the agent declares.`;
    throw new RepriseError("INVALID_ACTION", message, { details: { plugin, phase } });
  }
  if (slice.scope !== "tool_call" || call_id !== undefined) return;
  const message = `Plugin ${plugin} changes the state ${describe(name)} in ${phase} without a call_id, although the state is scoped to a call.`;
  throw new RepriseError("INVALID_ACTION", message, { details: { plugin, phase } });
}

function assertOwnKey(plugin: string, what: string, key: string, known: ReadonlyMap<string, Owned<unknown>>): void {
  if (known.get(key)?.plugin === plugin) return;
  const own = [...known].filter(([, owned]) => owned.plugin === plugin).map(([name]) => name);
  throw new RepriseError(
    "INVALID_ACTION",
    `Plugin ${plugin} has no ${what} ${JSON.stringify(key)}. It has: ${own.join(", ") || "none"}.`,
    { details: { plugin, key } },
  );
}

/** Does one thing that plugins ask for in any phase. */
export function applyCommon(
  workspace: ChangeableRun,
  { plugin, phase }: { readonly plugin: string; readonly phase: Phase },
  action: Common,
): void {
  switch (action.type) {
    case "state":
      return changeState(workspace, plugin, action);
    case "schedule":
      return scheduleLater(workspace, { plugin, key: action.key, payload: action.payload });
    case "emit":
      return emitNow(workspace, phase, action.event);
    case "effect":
      return emitLater(workspace, plugin, action);
    default:
      return action satisfies never;
  }
}

function changeState(workspace: ChangeableRun, plugin: string, { action, call_id }: PhaseAction<"state">): void {
  const slice = workspace.agent.installed.states.get(action.state);
  if (slice === undefined) return;
  const source = `plugin:${plugin}`;
  const before = workspace.document;
  const question = { kind: "reduce", of: action.state, encode: encodePatch } as const;
  const { ops } = workspace.effects.note<Patch>(question, () =>
    reduce(plugin, () => slice.reduce(before, action, call_id)),
  );
  const logged = { source, action, ...(call_id !== undefined && { call_id }) };
  const patch = workspace.addPatch(source, ops, [logged]);
  if (slice.scope === "run") workspace.noteRunScoped([slice.name]);
  if (patch !== undefined) showPatch(workspace, before, patch);
}

/** A patch is made of JSON; its interface hides it. */
export function encodePatch({ ops }: Patch): Json {
  return { ops } as unknown as Json;
}

/** A reducer that throws is the plugin's, and so is the failure. */
function reduce(plugin: string, run: () => Patch): Patch {
  try {
    return run();
  } catch (error) {
    const message = `Plugin ${plugin} failed to change its state: ${describeThrown(error)}`;
    throw new RepriseError("PLUGIN_FAILED", message, { cause: error, details: { plugin } });
  }
}

/** Says what a patch changes to who keeps a copy of the state. The runtime's own part of it is no client's business. */
export function showPatch(workspace: Pick<EventSink, "emitOnCommit">, before: Json, patch: Patch): void {
  const delta = toJsonPatch(before, patch).filter(({ path }) => !path.startsWith("/__"));
  if (delta.length > 0) workspace.emitOnCommit("state_delta", { delta });
}

/** An event of a phase that belongs to a step is one of that step. */
function emitNow(workspace: ChangeableRun, phase: Phase, { type, data }: PluginEvent): void {
  const { run } = workspace;
  const isOfActivation = phase === "run_start" || phase === "run_end";
  workspace.emit(type, data, isOfActivation ? undefined : stepIdOf(run.run_id, run.steps));
}

/** Effects run beside the run after the commit that they follow from. The run does not wait for them. */
function emitLater(workspace: ChangeableRun, plugin: string, { key, payload }: PhaseAction<"effect">): void {
  const { services, run, claim, signal, agent } = workspace;
  const handler = agent.installed.effects.get(key)?.value;
  if (handler === undefined) return;
  const context = { runId: run.run_id, threadId: run.thread_id, tenant: claim.tenant, signal };
  const report = (error: unknown): void => {
    services.env.log("error", "an effect failed", { plugin, key, run_id: run.run_id, problem: describeThrown(error) });
  };
  workspace.afterCommit(() => {
    void (async () => handler(payload, context))().catch(report);
  });
}

function describe(value: unknown): string {
  return typeof value === "string" ? JSON.stringify(value) : "something that is no action";
}
