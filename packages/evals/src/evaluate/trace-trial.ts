import type { EvalCase } from "../case/eval-case.ts";
import type { EvalMode } from "../play/eval-mode.ts";
import type { TrialResult } from "./experiment.ts";

/** Attributes of spans and events: texts, numbers and flags by their names. */
export type EvalAttributes = { readonly [name: string]: string | number | boolean };

/** The part of an OpenTelemetry span that is used here. */
export interface EvalSpan {
  addEvent(name: string, attributes: EvalAttributes): unknown;
  setAttributes(attributes: EvalAttributes): unknown;
  setStatus(status: { code: number; message?: string }): unknown;
  end(): void;
}

/** The part of an OpenTelemetry tracer that is used here: `trace.getTracer("evals")` of `@opentelemetry/api` is one. */
export interface EvalTracer {
  /** Spans that begin in `run`, such as those of the played run, are below this one. */
  startActiveSpan(
    name: string,
    options: { attributes: EvalAttributes },
    run: (span: EvalSpan) => Promise<TrialResult>,
  ): Promise<TrialResult>;
}

export interface EvalTelemetry {
  readonly tracer: EvalTracer;
  /** Whether events say why a check did not pass, which may repeat what the agent wrote. */
  readonly captureContent?: boolean;
}

/** `SpanStatusCode.ERROR`. */
const ERROR = 2;

/** Plays a trial in a span, and says each of its checks as an event of OpenTelemetry's GenAI conventions. */
export function traceTrial(
  { tracer, captureContent = false }: EvalTelemetry,
  about: { readonly evalCase: EvalCase; readonly mode: EvalMode; readonly trial: number },
  play: () => Promise<TrialResult>,
): Promise<TrialResult> {
  const { evalCase, mode, trial } = about;
  const attributes = {
    "gen_ai.agent.name": evalCase.agent_id,
    "reprise.eval.case": evalCase.id,
    "reprise.eval.mode": mode,
    "reprise.eval.trial": trial + 1,
    "reprise.eval.recorded_run.id": evalCase.source.run_id,
  };
  return tracer.startActiveSpan(`evaluate ${evalCase.id}`, { attributes }, async (span) => {
    try {
      const result = await play();
      for (const each of resultsOf(result, captureContent)) span.addEvent("gen_ai.evaluation.result", each);
      span.setAttributes({ "reprise.eval.verdict": result.verdict });
      if (result.error !== undefined) {
        span.setAttributes({ "error.type": result.error.code });
        span.setStatus({ code: ERROR });
      }
      return result;
    } catch (error) {
      // Stopped from outside: it came to nothing.
      span.setStatus({ code: ERROR });
      throw error;
    } finally {
      span.end();
    }
  });
}

/** Each check: 1 where it passed and 0 where it did not; of a judge, the score. */
function resultsOf(
  { checks, judgements = [], error }: TrialResult,
  captureContent: boolean,
): readonly EvalAttributes[] {
  return checks.map(({ name, verdict, message }) => {
    const judgement = judgements.find(({ judge }) => name === `judge ${judge}`);
    const explanation = judgement?.reason ?? message;
    return {
      "gen_ai.evaluation.name": name,
      "gen_ai.evaluation.score.value": judgement?.score ?? (verdict === "passed" ? 1 : 0),
      "gen_ai.evaluation.score.label": verdict,
      ...(captureContent && explanation !== "" && { "gen_ai.evaluation.explanation": explanation }),
      ...(error !== undefined && { "error.type": error.code }),
    };
  });
}
