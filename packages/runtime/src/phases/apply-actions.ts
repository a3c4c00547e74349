import { type ActionType, PHASE_ACTIONS, type Phase, type PhaseAction, RepriseError } from "@reprise/contracts";
import { sliceOf, toJsonPatch } from "@reprise/state";
import type { RunWorkspace } from "../loop/run-workspace.ts";
import type { Owned } from "../resolve/resolved-agent.ts";
import { describeThrown } from "../tools/describe-thrown.ts";
import { scheduleLater } from "./scheduled-actions.ts";

type Common = PhaseAction<"state" | "schedule" | "effect">;

const ALLOWED = new Map<Phase, ReadonlySet<ActionType>>(
  Object.entries(PHASE_ACTIONS).map(([phase, types]) => [phase as Phase, new Set<ActionType>(types)]),
);

/** Checks what the plugins ask for, does what every phase can do, and returns the rest for the loop. */
export function applyCommonActions(
  workspace: RunWorkspace,
  phase: Phase,
  answers: readonly Owned<readonly PhaseAction[] | undefined>[],
): readonly Owned<PhaseAction>[] {
  // Everything is checked before anything is done: a phase happens whole or not at all.
  for (const { plugin, value } of answers) {
    for (const action of value ?? []) assertAllowed(workspace, plugin, phase, action);
  }
  const rest: Owned<PhaseAction>[] = [];
  for (const { plugin, value } of answers) {
    for (const action of value ?? []) {
      if (isCommon(action)) applyCommon(workspace, plugin, action);
      else rest.push({ plugin, value: action });
    }
  }
  return rest;
}

function isCommon(action: PhaseAction): action is Common {
  return action.type === "state" || action.type === "schedule" || action.type === "effect";
}

/** Plugins come from anywhere, also from code without types: what they return is not trusted to fit. */
function assertAllowed(workspace: RunWorkspace, plugin: string, phase: Phase, action: PhaseAction): void {
  const type: unknown = (action as PhaseAction | null | undefined)?.type;
  if (typeof type !== "string" || ALLOWED.get(phase)?.has(type as ActionType) !== true) {
    const allowed = [...(ALLOWED.get(phase) ?? [])].join(", ");
    const message = `Plugin ${plugin} returned ${describe(type)} in ${phase}, which takes: ${allowed}.`;
    throw new RepriseError("INVALID_ACTION", message, { details: { plugin, phase, action: type } });
  }
  const { env } = workspace.agent;
  if (action.type === "schedule") assertOwnKey(plugin, "scheduled action", action.key, env.scheduled);
  if (action.type === "effect") assertOwnKey(plugin, "effect", action.key, env.effects);
  if (action.type === "state" && (sliceOf(action.action) ?? env.states.get(action.action?.state)) === undefined) {
    const message = `Plugin ${plugin} changes the state ${describe(action.action?.state)}, which nobody declared.`;
    throw new RepriseError("INVALID_ACTION", message, { details: { plugin, phase } });
  }
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

function applyCommon(workspace: RunWorkspace, plugin: string, action: Common): void {
  switch (action.type) {
    case "state":
      return changeState(workspace, plugin, action);
    case "schedule":
      return scheduleLater(workspace, { plugin, key: action.key, payload: action.payload });
    case "effect":
      return emitLater(workspace, plugin, action);
    default:
      return action satisfies never;
  }
}

function changeState(workspace: RunWorkspace, plugin: string, { action, call_id }: PhaseAction<"state">): void {
  const slice = sliceOf(action) ?? workspace.agent.env.states.get(action.state);
  if (slice === undefined) return;
  const source = `plugin:${plugin}`;
  const before = workspace.document;
  const { ops } = slice.reduce(before, action, call_id);
  const logged = { source, action, ...(call_id !== undefined && { call_id }) };
  const patch = workspace.addPatch(source, ops, [logged]);
  if (slice.scope === "run") workspace.noteRunScoped([slice.name]);
  if (patch !== undefined && isShown(slice.path[0])) {
    workspace.hold("state_delta", { delta: toJsonPatch(before, patch) });
  }
}

/** The runtime's own part of the state is no client's business. */
function isShown(key: string | number | undefined): boolean {
  return typeof key === "string" && !key.startsWith("__");
}

/** Effects happen beside the run, once what they follow from is durable; nobody waits for them. */
function emitLater(workspace: RunWorkspace, plugin: string, { key, payload }: PhaseAction<"effect">): void {
  const { services, run, claim, signal, agent } = workspace;
  const handler = agent.env.effects.get(key)?.value;
  if (handler === undefined) return;
  const context = { run_id: run.run_id, thread_id: run.thread_id, tenant: claim.tenant, signal };
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
