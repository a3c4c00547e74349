import type { TokenUsage } from "@reprise/contracts";
import type { ModelAttempt } from "../route/route-session.ts";
import type { EventSink, RunEditor } from "../run/ports.ts";

/** Counts what an attempt cost, and says so. Nothing for one that was skipped. */
export function recordCost(
  workspace: Pick<RunEditor, "run" | "setRun"> & Pick<EventSink, "emit">,
  stepId: string | undefined,
  { attempt, provider, model, outcome, usage, estimated, error, cost }: ModelAttempt,
  plugin?: string,
): void {
  if (outcome === "skipped" || cost === undefined) return;
  const { microcents, priced } = cost;
  const total = (workspace.run.cost_microcents ?? 0) + microcents;
  workspace.setRun({ cost_microcents: total, ...(!priced && { is_unpriced: true }) });
  workspace.emit(
    "cost_recorded",
    {
      provider,
      model,
      attempt,
      ...(plugin !== undefined && { plugin }),
      outcome,
      ...(error !== undefined && { error }),
      ...(usage !== undefined && { usage }),
      ...(estimated !== undefined && { estimated }),
      cost_microcents: microcents,
      run_cost_microcents: total,
      priced,
    },
    stepId,
  );
}

/** Counts the tokens of an answer towards its run. */
export function countTokens(
  workspace: Pick<RunEditor, "run" | "setRun">,
  { prompt_tokens = 0, completion_tokens = 0 }: TokenUsage,
): void {
  const { input_tokens, output_tokens } = workspace.run;
  workspace.setRun({ input_tokens: input_tokens + prompt_tokens, output_tokens: output_tokens + completion_tokens });
}
