import type { Judgement } from "../case/judgement.ts";

/** A judgement as a trial shows it. */
export interface TrialJudgement extends Judgement {
  /** The least that the case asks for. */
  readonly threshold: number;
  /** `live`: the model was asked for it. `recorded`: it is from the case. */
  readonly source: "live" | "recorded";
}
