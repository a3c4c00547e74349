import type { Env } from "@reprise/contracts";
import { getAt, type Json } from "@reprise/state";
import { NOTE } from "./notes.ts";
import { doneIn } from "./played-call.ts";
import type { Playback } from "./playback.ts";
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
  for (let idle = 0; !isOver; ) {
    await env.yield();
    if (isOver) break;
    idle = bringNext(playback) || witness.pending > 0 ? 0 : idle + 1;
    if (idle <= IDLE_TURNS) continue;
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
  if (playback.isDecisionDue && playback.waiting.size > 0 && !playback.mail.has("decisions")) {
    playback.mail.raise();
    return true;
  }
  return finishCall(playback);
}

/** Shows how far a call was, when that is what was shown next. */
function showProgress(playback: Playback): boolean {
  const event = playback.nextShown;
  if (event?.type !== "activity_snapshot") return false;
  const { content } = event.data;
  const waiting = playback.waiting.get(String(getAt(content, ["call_id"])));
  if (waiting === undefined) return false;
  const { workspace, call } = waiting.place;
  const data = { ...event.data, content: retimed(content, workspace.now) };
  workspace.show("activity_snapshot", data, call.step_id);
  playback.resumeTurn?.();
  playback.resumeTurn = undefined;
  return true;
}

/** Progress says when it was made: in a replay it is when the clock says so. */
function retimed(content: Json, now: number): Json {
  return { ...(content as { readonly [key: string]: Json }), updated_at_ms: now };
}

/** Ends the call that ended next. */
function finishCall(playback: Playback): boolean {
  const { expected, waiting } = playback;
  if (playback.isComplete) return false;
  for (const event of expected.held) {
    if (event.type !== "tool_call_done") continue;
    const call = waiting.get(event.data.id);
    if (call === undefined || doneIn(expected, event.data.id) === undefined) continue;
    waiting.delete(event.data.id);
    call.finish();
    return true;
  }
  for (const [callId, call] of waiting) {
    if (expected.peek(NOTE.call(callId), "conflict") === undefined) continue;
    waiting.delete(callId);
    call.finish();
    return true;
  }
  return false;
}
