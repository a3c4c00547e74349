import type { ModelUnavailable } from "../route/model-unavailable.ts";
import { LONGEST_WAIT_MS } from "../route/wait-after.ts";
import type { AgentView, EventSink, Host, Outside, RunEditor, RunView } from "../run/ports.ts";

/**
 * Waits until a model can be asked again. A short wait happens here; for a longer one the run is to give its claim back, and a
 * wake-up takes it up again in whichever process there is then. Returns whether the time has passed.
 */
export async function waitForModel(
  workspace: RunEditor & Outside & Pick<EventSink, "emit"> & Host,
  stepId: string,
  { waitMs, reason }: ModelUnavailable,
): Promise<boolean> {
  const { effects, run, now, services } = workspace;
  const until = now + waitMs;
  workspace.setRun({ model_wait: { since: run.model_wait?.since ?? now, until, reason } });
  workspace.emit("model_waiting", { until, reason }, stepId);
  // The store wakes a run that waits at this time.
  if (waitMs > LONGEST_WAIT_MS) return false;
  const question = { kind: "wait", of: stepId, encode: () => undefined } as const;
  await effects.perform(question, () => services.env.clock.sleep(waitMs, workspace.signal));
  return true;
}

/** Whether a run may wait so long: what it waited for the same answer before counts. */
export function hasPatience(
  { run, now, agent }: RunView & Pick<AgentView, "agent">,
  { waitMs }: ModelUnavailable,
): boolean {
  return now + waitMs - (run.model_wait?.since ?? now) <= agent.patienceMs;
}

/** A model answered: the next one that is out of reach is waited for anew. */
export function endModelWait(workspace: RunEditor): void {
  const { model_wait, ...run } = workspace.run;
  if (model_wait !== undefined) workspace.replaceRun(run);
}
