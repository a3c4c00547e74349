/** What a judge said about one run. */
export interface Judgement {
  /** The id of the judge in the case. */
  readonly judge: string;
  readonly model: string;
  /** Of everything the judge was asked, so that a judgement counts for no other rubric, model or run. */
  readonly digest: string;
  /** From 0 to 1. */
  readonly score: number;
  readonly reason: string;
  readonly input_tokens: number;
  readonly output_tokens: number;
  readonly cost_microcents: number;
  readonly is_priced: boolean;
}
