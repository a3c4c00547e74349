import { type ErrorCode, RepriseError } from "@reprise/contracts";

/** Why a decision is stale: another one won, its question ran out, or its run ended meanwhile. */
const STALE: readonly ErrorCode[] = ["DECISION_CONFLICT", "NOT_SUSPENDED", "RUN_NOT_ACTIVE"];

/** Undefined when the decisions of a request turn out to be stale: pages resend old answers, and another client may be faster. */
export async function unlessStale<Taken>(taking: Promise<Taken>): Promise<Taken | undefined> {
  try {
    return await taking;
  } catch (error) {
    if (RepriseError.is(error) && STALE.includes(error.code)) return undefined;
    throw error;
  }
}
