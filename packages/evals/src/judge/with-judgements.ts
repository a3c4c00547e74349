import type { EvalCase } from "../case/eval-case.ts";
import type { TrialJudgement } from "./trial-judgement.ts";

interface Judged {
  readonly trials: readonly { readonly judgements?: readonly TrialJudgement[] }[];
}

/** A case with what its judges have just said about its run. Judgements of judges that were not asked stay; those of judges that are gone do not. */
export function withJudgements(evalCase: EvalCase, { trials }: Judged): EvalCase {
  const said = (trials[0]?.judgements ?? []).filter(({ source }) => source === "live");
  const judgements = (evalCase.expect.judges ?? []).flatMap(({ id }) => {
    const made = said.find(({ judge }) => judge === id);
    if (made === undefined) return evalCase.judgements?.filter(({ judge }) => judge === id) ?? [];
    const { threshold: _threshold, source: _source, ...judgement } = made;
    return [judgement];
  });
  const { judgements: _before, ...rest } = evalCase;
  return judgements.length === 0 ? rest : { ...rest, judgements };
}
