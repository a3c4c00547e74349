import { RepriseError } from "@reprise/contracts";
import {
  describeProblem,
  flag,
  listOf,
  needed,
  nonEmptyText,
  numberFrom,
  type ObjectShape,
  objectOf,
  oneOf,
  optional,
  recordOf,
  text,
  textLike,
  unchecked,
  wholeNumberFrom,
} from "@reprise/contracts/shape";
import { type RunRecording, readRecording } from "@reprise/runtime";
import { CASE_FORMAT, type CaseRedaction, type CaseSource, type EvalCase } from "./eval-case.ts";
import { EXPECTATIONS } from "./expectations.ts";
import type { Judgement } from "./judgement.ts";

const CASE: ObjectShape<EvalCase> = objectOf<EvalCase>({
  format: needed(oneOf(CASE_FORMAT)),
  id: needed(textLike("letters, digits, `_`, `-` and `.`", "^[A-Za-z0-9][A-Za-z0-9_.-]{0,127}$")),
  description: optional(text),
  agent_id: needed(nonEmptyText),
  tags: optional(listOf(nonEmptyText)),
  source: needed(
    objectOf<CaseSource>({
      run_id: needed(nonEmptyText),
      digest: needed(nonEmptyText),
      steps: needed(wholeNumberFrom(0)),
      cut_before_step: optional(wholeNumberFrom(2)),
    }),
  ),
  redaction: needed(
    objectOf<CaseRedaction>({
      replaced: needed(recordOf(wholeNumberFrom(0))),
      unverifiable: optional(nonEmptyText),
    }),
  ),
  expect: needed(EXPECTATIONS),
  judgements: optional(
    listOf(
      objectOf<Judgement>({
        judge: needed(nonEmptyText),
        model: needed(nonEmptyText),
        digest: needed(nonEmptyText),
        score: needed(numberFrom(0)),
        reason: needed(text),
        input_tokens: needed(wholeNumberFrom(0)),
        output_tokens: needed(wholeNumberFrom(0)),
        cost_microcents: needed(numberFrom(0)),
        is_priced: needed(flag),
      }),
    ),
  ),
  // Looked at by the reader of recordings.
  recording: needed(unchecked<RunRecording>()),
});

/** Refuses what is no case, with everything that is wrong: `EVAL_CASE_INVALID`. `name` says in messages which one it is. */
export function readCase(value: unknown, name = "The case"): EvalCase {
  const problems = CASE.problems(value, []).map((problem) => describeProblem(problem));
  if (problems.length > 0) throw invalidCase(`${name} is not valid: ${problems.join("; ")}.`, { problems });
  // Its shape was just checked.
  const evalCase = value as EvalCase;
  try {
    readRecording(evalCase.recording);
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw invalidCase(`${name} has no recording that can be played: ${why}`, {}, error);
  }
  return evalCase;
}

export function invalidCase(
  message: string,
  details: Readonly<Record<string, unknown>> = {},
  cause?: unknown,
): RepriseError {
  return new RepriseError("EVAL_CASE_INVALID", message, { details, ...(cause !== undefined && { cause }) });
}
