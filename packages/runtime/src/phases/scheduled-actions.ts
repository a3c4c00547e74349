import type { Phase, PhaseAction } from "@reprise/contracts";
import { getAt, type Json, ops } from "@reprise/state";
import type { AgentView, StateAccess } from "../run/ports.ts";
import { RUN_PATH } from "../thread/run-state.ts";

/** Where what plugins put off waits, inside the run's part of the state: it is as durable as the run, and ends with it. */
const SCHEDULED_PATH = [RUN_PATH, "scheduled"];

/** Something to be done when the run next comes to its handler's phase. */
export interface ScheduledAction {
  readonly plugin: string;
  readonly key: string;
  readonly payload: Json;
}

/** Keeps an action for later. */
export function scheduleLater(state: Pick<StateAccess, "addPatch">, { plugin, key, payload }: ScheduledAction): void {
  state.addPatch(`plugin:${plugin}`, [ops.append(SCHEDULED_PATH, { plugin, key, payload })]);
}

/** A scheduled action whose time has come, ready to be asked like a hook. */
export interface DueAction {
  readonly plugin: string;
  readonly handle: (
    context: object,
  ) => readonly PhaseAction[] | undefined | Promise<readonly PhaseAction[] | undefined>;
}

/**
 * Takes what is due in a phase. It is removed here, in the same commit as what its handler asks for: an action is consumed
 * once, whatever happens in between.
 */
export function takeScheduled(workspace: Pick<AgentView, "agent"> & StateAccess, phase: Phase): readonly DueAction[] {
  const { scheduled } = workspace.agent.installed;
  if (scheduled.size === 0) return [];
  const waiting = getAt(workspace.document, SCHEDULED_PATH);
  if (!Array.isArray(waiting) || waiting.length === 0) return [];
  const due: DueAction[] = [];
  // What lies there was put there as scheduled actions, by `scheduleLater`.
  const left = (waiting as unknown as readonly ScheduledAction[]).filter(({ plugin, key, payload }) => {
    const handler = scheduled.get(key)?.value;
    if (handler?.phase !== phase) return true;
    due.push({ plugin, handle: (context) => (handler as AnyHandler).handle(payload, context) });
    return false;
  });
  // What is left is JSON as it was before.
  if (due.length > 0) workspace.addPatch("runtime", [ops.set(SCHEDULED_PATH, left as unknown as Json)]);
  return due;
}

/** A handler whose phase is forgotten: it was just found to be the one the run is in. */
interface AnyHandler {
  handle(payload: Json, context: object): ReturnType<DueAction["handle"]>;
}
