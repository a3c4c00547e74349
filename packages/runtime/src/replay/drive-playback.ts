import type { Env } from "@reprise/contracts";
import { getAt } from "@reprise/state";
import { NOTE } from "./notes.ts";
import type { Playback } from "./playback.ts";
import { doneIn } from "./played-call.ts";
import type { ReplayWitness } from "./replay-witness.ts";

/** After so many turns in which nothing could happen, what was recorded no longer fits what the run does. */
const IDLE_TURNS = 20;

/**
 * Lets come to an activation what came to it when it was recorded: whenever everything in it waits, the next thing. Ends with the
 * activation; one that waits for what was never recorded is stopped, as diverged.
 */
export async function drivePlayback(
  playback: Playback,
  witness: ReplayWitness,
  { env, activation }: { readonly env: Env; readonly activation: Promise<void> },
): Promise<void> {
  let isOver = false;
  const over = activation.finally(() => {
    isOver = true;
  });
  over.catch(() => undefined);
  let last = -1;
  for (let idle = 0; !isOver; ) {
    await env.yield();
    if (isOver) break;
    const isAtWork = playback.progress !== last || witness.pending > 0;
    last = playback.progress;
    idle = bringNext(playback) || isAtWork ? 0 : idle + 1;
    if (idle <= IDLE_TURNS) continue;
    // One that does not even end when it is stopped is left alone: nothing outside can notice it.
    if (playback.loss.signal.aborted) return;
    playback.diverge({ what: "commit", index: 0, expected: playback.expected.changeset.changeset_id, actual: null });
    idle = 0;
  }
  await over;
}

/** Brings the next thing; false when there is none that could come now. */
function bringNext(playback: Playback): boolean {
  if (playback.isCancelDue) {
    playback.cancel();
    return true;
  }
  if (showProgress(playback)) return true;
  if (playback.waiting.size > 0 && playback.sayDecided()) return true;
  return finishCall(playback);
}

/** Shows how far a call was, when that is what was shown next. */
function showProgress(playback: Playback): boolean {
  const event = playback.nextShown;
  if (event?.type !== "activity_snapshot") return false;
  const waiting = playback.waiting.get(String(getAt(event.data.content, ["call_id"])));
  if (waiting === undefined) return false;
  const { workspace, call } = waiting.place;
  workspace.show("activity_snapshot", event.data, call.step_id);
  playback.resumeTurn();
  return true;
}

/** Ends the call that ended next. */
function finishCall(playback: Playback): boolean {
  const { expected, waiting } = playback;
  if (playback.isComplete || playback.unsettled !== undefined) return false;
  const done = expected.held.flatMap((event) => (event.type === "tool_call_done" ? [event.data.id] : []));
  const ended = done.find((callId) => waiting.has(callId) && doneIn(expected, callId) !== undefined);
  const conflicting = [...waiting.keys()].find((callId) => expected.peek(NOTE.call(callId), "conflict") !== undefined);
  const next = ended ?? conflicting;
  if (next === undefined) return false;
  playback.unsettled = next;
  waiting.get(next)?.finish();
  waiting.delete(next);
  return true;
}
