import type { RoutedAttempt, RouteFact } from "@reprise/contracts";
import { completeBudget } from "../budget/change-budget.ts";
import { recordCost } from "../budget/record-cost.ts";
import { describeBudget } from "../budget/tell-budget.ts";
import type { ModelAttempt } from "../route/route-session.ts";
import type { EventSink, RunEditor } from "../run/ports.ts";
import { callIdOf, messageIdOf } from "../thread/derived-ids.ts";
import type { Turn, TurnChunk } from "../turn/turn.ts";
import type { TurnFacts } from "./model-turn.ts";

/** Shows how an inference found its model, and counts what each attempt cost. Nothing for a call by hand, which asks no model. */
export function showRoute(
  workspace: Pick<RunEditor, "run" | "setRun"> & Pick<EventSink, "emit">,
  stepId: string,
  facts: TurnFacts,
): void {
  if (facts.attempts.length === 0) return;
  workspace.emit("model_routed", describeRoute(facts), stepId);
  for (const attempt of facts.attempts) recordCost(workspace, stepId, attempt);
}

function describeRoute({ model: requested, attempts, candidates, requirements, budget }: TurnFacts): RouteFact {
  const selected = attempts.findLast(({ outcome }) => outcome === "succeeded")?.model;
  const passedOver = attempts.filter(({ reason }) => reason === "cooling_down" || reason === "breaker_open");
  return {
    requested,
    requirements,
    candidates,
    ...(selected !== undefined && { selected }),
    reason: reasonFor(attempts, candidates.length, selected),
    rate: passedOver.map(({ provider, model, reason = "" }) => ({ provider, model, state: reason })),
    ...(budget !== undefined && { budget: "spent" in budget ? describeBudget(completeBudget(budget)) : budget }),
    chain: attempts.map(
      ({ cost, usage: _usage, estimated: _estimated, ...attempt }): RoutedAttempt => ({
        ...attempt,
        ...(cost !== undefined && { cost_microcents: cost.microcents }),
      }),
    ),
  };
}

function reasonFor(attempts: readonly ModelAttempt[], candidates: number, selected: string | undefined): string {
  if (selected === undefined) return "no model answered";
  if (attempts[0]?.model !== selected) return "those before it failed or were passed over";
  return candidates === 1 ? "single candidate" : "first choice";
}

/** Shows a whole answer at once: one that was held back, or that stands in the place of another. */
export function showAnswer(
  events: Pick<EventSink, "emit">,
  stepId: string,
  { reasoning, encrypted, text, calls }: Pick<Turn, "reasoning" | "encrypted" | "text" | "calls">,
): void {
  const show = (chunk: TurnChunk): void => showChunk(events, stepId, chunk);
  if (reasoning !== "") show({ type: "reasoning_delta", delta: reasoning });
  if (encrypted !== undefined) show({ type: "reasoning_encrypted_value", encrypted_value: encrypted });
  if (text !== "") show({ type: "text_delta", delta: text });
  for (const call of calls) {
    show({ type: "tool_call_start", index: call.index, name: call.name });
    show({ type: "tool_call_ready", index: call.index, call });
  }
}

/** Shows what the model says as the run's own events: a turn knows its calls by number, a run by id. */
export function showChunk(events: Pick<EventSink, "emit">, stepId: string, chunk: TurnChunk): void {
  switch (chunk.type) {
    case "text_delta":
    case "reasoning_delta":
      return events.emit(chunk.type, { delta: chunk.delta }, stepId);
    case "reasoning_encrypted_value":
      return events.emit(chunk.type, { encrypted_value: chunk.encrypted_value }, stepId);
    case "tool_call_start":
      return events.emit(chunk.type, { id: callIdOf(stepId, chunk.index), name: chunk.name }, stepId);
    case "tool_call_delta":
      return events.emit(chunk.type, { id: callIdOf(stepId, chunk.index), args_delta: chunk.args_delta }, stepId);
    case "tool_call_ready": {
      const { name, arguments: parsed } = chunk.call;
      return events.emit(chunk.type, { id: callIdOf(stepId, chunk.index), name, arguments: parsed.value }, stepId);
    }
    case "reset":
      return events.emit("step_reset", { message_id: messageIdOf(stepId) }, stepId);
    default:
      chunk satisfies never;
  }
}
