import type { History, Invariant, InvariantName, Violation } from "./history.ts";
import { findMisusedDecisions } from "./invariants/bound-decisions.ts";
import { findRepeatedDecisions } from "./invariants/decision-once.ts";
import { findLostAcknowledgements } from "./invariants/durable-acknowledgement.ts";
import { findWrongEffects } from "./invariants/effects.ts";
import { findFalseRefusals } from "./invariants/false-refusals.ts";
import { findInventions } from "./invariants/no-invention.ts";
import { findWrongNotes } from "./invariants/noted-once.ts";
import { findRepeatedRequests } from "./invariants/request-once.ts";
import { findWrongSchedules } from "./invariants/schedules.ts";
import { findRivalOwners } from "./invariants/single-owner.ts";
import { findBrokenStreams } from "./invariants/stream.ts";
import { findUnendedRuns } from "./invariants/terminal-once.ts";
import { findBrokenTrees } from "./invariants/trees.ts";
import { findUnequalReplays } from "./invariants/verified-replay.ts";
import { findBrokenChains } from "./invariants/version-chain.ts";
import { findDanglingCalls } from "./invariants/well-formed-history.ts";
import { findBrokenFlows } from "./invariants/workflows.ts";

/** What must hold after any fault, in the words of the documentation. */
export const INVARIANTS: Readonly<Record<InvariantName, { readonly title: string; readonly check: Invariant }>> = {
  I1: { title: "what was acknowledged is stored", check: findLostAcknowledgements },
  I2: { title: "versions form a chain", check: findBrokenChains },
  I3: { title: "nothing is invented", check: findInventions },
  I4: { title: "a thread has one owner at a time", check: findRivalOwners },
  I5: { title: "a run ends once", check: (history) => [...findUnendedRuns(history), ...findFalseRefusals(history)] },
  I6: {
    title: "effects happen as often as they may",
    check: (history) => [...findWrongEffects(history), ...findWrongNotes(history), ...findRepeatedRequests(history)],
  },
  I7: {
    title: "a decision counts once, for what it was about",
    check: (history) => [...findRepeatedDecisions(history), ...findMisusedDecisions(history)],
  },
  I8: { title: "a stream has no gap and no repeat", check: findBrokenStreams },
  I9: { title: "every call has one result", check: findDanglingCalls },
  I10: { title: "a run replays as it was recorded", check: findUnequalReplays },
  I11: { title: "a run hears once how those below it ended", check: findBrokenTrees },
  I12: {
    title: "a node of a workflow is done once, and in its turn",
    check: (history) => [...findBrokenFlows(history), ...findWrongSchedules(history)],
  },
};

/** Everything that is wrong with a history. One in which nothing happened proves nothing, and is refused. */
export function checkHistory(history: History): readonly Violation[] {
  if (history.effects.length === 0) throw new Error("Nothing happened in this round: there is nothing to check.");
  return Object.values(INVARIANTS).flatMap(({ check }) => check(history));
}
