import type { RunRecording } from "@reprise/runtime";
import type { Expectations } from "./expectations.ts";
import type { Judgement } from "./judgement.ts";

/** The form of a case; a reader refuses any other. */
export const CASE_FORMAT = "reprise-case/1";

/** Where a case is from. */
export interface CaseSource {
  readonly run_id: string;
  /** The digest of the recording before anything was redacted or cut off. */
  readonly digest: string;
  readonly steps: number;
  /** The first step that is not part of the case, where only the beginning of the run was saved. */
  readonly cut_before_step?: number;
}

/** What was taken out of a case when it was saved. */
export interface CaseRedaction {
  /** How many different texts each rule took out. */
  readonly replaced: { readonly [rule: string]: number };
  /**
   * Set when the loop no longer comes to the recorded commits, because something in them follows from the length of a text that was
   * taken out. Such a case is not verified; the other modes do not depend on it.
   */
  readonly unverifiable?: string;
}

/** A recorded run and what runs like it should come to: one JSON value that lives beside the code. */
export interface EvalCase {
  readonly format: typeof CASE_FORMAT;
  /** Letters, digits, `_`, `-` and `.`. */
  readonly id: string;
  readonly description?: string;
  readonly agent_id: string;
  readonly tags?: readonly string[];
  readonly source: CaseSource;
  readonly redaction: CaseRedaction;
  readonly expect: Expectations;
  /** What the judges of `expect` said about the run. */
  readonly judgements?: readonly Judgement[];
  readonly recording: RunRecording;
}
