import type { History, Violation } from "../history.ts";

/** I10: a run that is over replays from its recording to the same, whatever is deployed meanwhile. */
export function findUnequalReplays({ verifications }: History): readonly Violation[] {
  return verifications.flatMap((verification): readonly Violation[] => {
    const { run_id } = verification;
    if ("refusal" in verification) {
      const { code, message } = verification.refusal;
      return [{ invariant: "I10", run_id, message: `It cannot be verified: ${code} ${message}` }];
    }
    const { result } = verification;
    if (result.equal) return [];
    return [{ invariant: "I10", run_id, message: `Its replay differs: ${JSON.stringify(result.divergence)}` }];
  });
}
