import type { EvalCase } from "../case/eval-case.ts";
import type { JudgeExpectation } from "../case/expectations.ts";
import type { Judgement } from "../case/judgement.ts";
import { asWarning, type CheckResult, failed, passed } from "../check/check-result.ts";
import type { ObservedRun } from "../check/observe-run.ts";
import { type AskJudgeOptions, askJudge } from "./ask-judge.ts";
import { type JudgeQuestion, judgeQuestion } from "./judge-question.ts";
import type { TrialJudgement } from "./trial-judgement.ts";

/** What the judges of a case said about a run of it. */
export interface JudgedRun {
  readonly checks: readonly CheckResult[];
  readonly judgements: readonly TrialJudgement[];
  readonly model_calls: number;
}

export interface JudgeRunOptions extends AskJudgeOptions {
  /** Whether models are asked, or the case. */
  readonly isLive: boolean;
}

/** Has a run judged. What the case has no judgement of is a warning where no model may be asked: nothing is known about it. */
export async function judgeRun(evalCase: EvalCase, run: ObservedRun, options: JudgeRunOptions): Promise<JudgedRun> {
  const { expect, recording, judgements: recorded = [] } = evalCase;
  const checks: CheckResult[] = [];
  const judgements: TrialJudgement[] = [];
  let model_calls = 0;
  for (const judge of expect.judges ?? []) {
    const question = judgeQuestion(judge, recording, run, options.env);
    const asked = options.isLive ? await askJudge(judge, question, options) : undefined;
    model_calls += asked?.model_calls ?? 0;
    const judgement = asked === undefined ? findJudgement(recorded, judge, question) : asked.judgement;
    if (judgement === undefined) {
      const problem = asked === undefined ? whyNot(recorded, judge) : failed(nameOf(judge), sayProblem(asked.problem));
      checks.push(problem);
      continue;
    }
    judgements.push({ ...judgement, threshold: judge.threshold, source: options.isLive ? "live" : "recorded" });
    checks.push(checkScore(judge, judgement));
  }
  const isWarning = expect.warn_only?.includes("judges") === true;
  return { checks: isWarning ? checks.map(asWarning) : checks, judgements, model_calls };
}

function nameOf({ id }: JudgeExpectation): string {
  return `judge ${id}`;
}

function sayProblem(problem = "nothing was said."): string {
  return `The run could not be judged: ${problem}`;
}

function findJudgement(
  recorded: readonly Judgement[],
  { id }: JudgeExpectation,
  { digest }: JudgeQuestion,
): Judgement | undefined {
  return recorded.find((each) => each.judge === id && each.digest === digest);
}

function whyNot(recorded: readonly Judgement[], judge: JudgeExpectation): CheckResult {
  const isOther = recorded.some((each) => each.judge === judge.id);
  const found = isOther ? "Its judgement is about another rubric, model or run" : "It has no judgement yet";
  const message = `The case cannot say what the judge would. ${found}: have it judged with --judge, or with judges: "live".`;
  return { name: nameOf(judge), verdict: "warned", message };
}

function checkScore(judge: JudgeExpectation, { score, reason }: Judgement): CheckResult {
  if (score >= judge.threshold) return passed(nameOf(judge));
  const message = `The score must be at least ${judge.threshold} (got ${score}): ${reason}`;
  return failed(nameOf(judge), message, { expected: judge.threshold, actual: score });
}
