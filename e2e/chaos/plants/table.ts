import { UsageError } from "../session/usage-error.ts";
import { acknowledgeBeforeCommit } from "./acknowledge-before-commit.ts";
import { applyOtherArguments } from "./apply-other-arguments.ts";
import { approveAnyVersion } from "./approve-any-version.ts";
import { cancelTopOnly } from "./cancel-top-only.ts";
import { claimAnything } from "./claim-anything.ts";
import { commitWhenIdle } from "./commit-when-idle.ts";
import { decisionByToolName } from "./decision-by-tool-name.ts";
import { doNotWaitForRuns } from "./do-not-wait-for-runs.ts";
import { dropEpochCheck } from "./drop-epoch-check.ts";
import { endStreamEarly } from "./end-stream-early.ts";
import { finishBeforeCommit } from "./finish-before-commit.ts";
import { fireInEveryProcess } from "./fire-in-every-process.ts";
import { forgetAnnouncement } from "./forget-announcement.ts";
import { forgetDecision } from "./forget-decision.ts";
import { forgetIdempotencyKey } from "./forget-idempotency-key.ts";
import { leaveOutEffects } from "./leave-out-effects.ts";
import { loseAnswer } from "./lose-answer.ts";
import { loseFinish } from "./lose-finish.ts";
import { loseLastMessage } from "./lose-last-message.ts";
import { loseUserMessage } from "./lose-user-message.ts";
import { loseWake } from "./lose-wake.ts";
import { noSyntheticResult } from "./no-synthetic-result.ts";
import { ownClock } from "./own-clock.ts";
import type { Plant } from "./plant.ts";
import { repeatCompletedNode } from "./repeat-completed-node.ts";
import { repeatMessage } from "./repeat-message.ts";
import { retryWithNewChangesetId } from "./retry-with-new-changeset-id.ts";
import { reviveLostLease } from "./revive-lost-lease.ts";
import { runEffectTwice } from "./run-effect-twice.ts";
import { seqFromMemory } from "./seq-from-memory.ts";
import { tellEndTwice } from "./tell-end-twice.ts";
import { wrongSnapshot } from "./wrong-snapshot.ts";

/** The bugs the checker has to find. */
export const PLANTS: Readonly<Record<string, Plant>> = {
  "ack-before-commit": acknowledgeBeforeCommit,
  "forget-decision": forgetDecision,
  "lose-user-message": loseUserMessage,
  "wrong-snapshot": wrongSnapshot,
  "retry-with-new-changeset-id": retryWithNewChangesetId,
  "repeat-message": repeatMessage,
  "drop-epoch-check": dropEpochCheck,
  "lose-finish": loseFinish,
  "run-effect-twice": runEffectTwice,
  "revive-lost-lease": reviveLostLease,
  "decision-by-tool-name": decisionByToolName,
  "finish-before-commit": finishBeforeCommit,
  "seq-from-memory": seqFromMemory,
  "no-synthetic-result": noSyntheticResult,
  "lose-last-message": loseLastMessage,
  "end-stream-early": endStreamEarly,
  "forget-idempotency-key": forgetIdempotencyKey,
  "leave-out-effects": leaveOutEffects,
  "lose-wake": loseWake,
  "apply-other-arguments": applyOtherArguments,
  "own-clock": ownClock,
  "approve-any-version": approveAnyVersion,
  "claim-anything": claimAnything,
  "tell-end-twice": tellEndTwice,
  "cancel-top-only": cancelTopOnly,
  "do-not-wait-for-runs": doNotWaitForRuns,
  "lose-answer": loseAnswer,
  "forget-announcement": forgetAnnouncement,
  "commit-when-idle": commitWhenIdle,
  "repeat-completed-node": repeatCompletedNode,
  "fire-in-every-process": fireInEveryProcess,
};

/** A plant by its name; none for none. */
export function plantNamed(name: string | undefined): Plant | undefined {
  if (name === undefined) return undefined;
  const plant = Object.hasOwn(PLANTS, name) ? PLANTS[name] : undefined;
  if (plant === undefined) throw new UsageError(`There is no plant "${name}": ${Object.keys(PLANTS).join(", ")}.`);
  return plant;
}
