import type { CaseResult } from "../evaluate/experiment.ts";

/** A line for each judge of a case, with its scores in the order of the trials. */
export function describeJudgements({ trials }: Pick<CaseResult, "trials">): readonly string[] {
  const all = trials.flatMap(({ judgements = [] }) => judgements);
  return [...new Set(all.map(({ judge }) => judge))].map((id) => {
    const own = all.filter(({ judge }) => judge === id);
    const scores = own.map(({ score }) => score).join(", ");
    const by = [...new Set(own.map(({ model, source }) => `${model}, ${source}`))].join("; ");
    return `judge ${id}: ${scores} of at least ${own[0]?.threshold} (${by})`;
  });
}
