import { type Message, ModelError, type ModelRequest } from "@reprise/contracts";
import { AttemptRefused } from "../route/attempt-gate.ts";
import { toModelError } from "../route/model-route.ts";
import { ModelUnavailable } from "../route/model-unavailable.ts";
import { readStream } from "./read-stream.ts";
import type { Turn, TurnOptions } from "./turn.ts";
import { TurnDraft } from "./turn-draft.ts";

const CONTINUE_AFTER_CUT = "Your answer was cut off. Go on exactly where it ends, without repeating anything.";

/**
 * One turn of a model, whatever happens on the wire. Knows no run: chunks go to `show`, the turn comes back.
 *
 * - A stream that breaks: complete calls are kept and run, an unfinished one is dropped; text is continued by another
 *   request; where only what cannot be continued came, the request is made again.
 * - A model that ran out of room in its text is asked to continue.
 * - A stream that never began is thrown as the `ModelError` it was: the route has tried what there is to try.
 * - When no model can be asked to continue, what was shown is withdrawn: the step is taken again later.
 */
export async function runTurn(options: TurnOptions): Promise<Turn> {
  const draft = new TurnDraft();
  try {
    return await takeTurn(options, draft);
  } catch (error) {
    if (isForLater(error) && draft.hasShown) options.show({ type: "reset" });
    throw error;
  }
}

async function takeTurn(options: TurnOptions, draft: TurnDraft): Promise<Turn> {
  let { truncations } = options.recovery;
  let failures = 0;
  let request = options.request;
  for (;;) {
    draft.beginRequest();
    const failure = await attempt(request, draft, options);
    if (options.request.signal.aborted) throw new ModelError("cancelled", "The model call was cancelled.");

    if (failure === undefined) {
      const stop = draft.stopReason ?? "end_turn";
      if (stop !== "max_tokens" || draft.completeCalls.length > 0 || truncations-- <= 0) return draft.finish(stop);
    } else {
      // Of an answer without end nothing is believed.
      if (failure.kind === "answer_too_large") throw failure;
      if (draft.completeCalls.length > 0) return draft.finish("tool_use");
      const pause = pauseBeforeRetry(failure, failures++, options.recovery.interruptions);
      if (pause === undefined) throw failure;
      if (pause > 0) await options.sleep(pause, options.request.signal).catch(() => undefined);
      if (options.request.signal.aborted) throw new ModelError("cancelled", "The model call was cancelled.");
    }
    request = nextRequest(options, draft);
  }
}

/** Whether the same may be asked again later: a person raises the budget, or time passes. */
function isForLater(error: unknown): boolean {
  return error instanceof AttemptRefused || error instanceof ModelUnavailable;
}

const FIRST_PAUSE_MS = 250;
const LONGEST_PAUSE_MS = 30_000;

/**
 * How long to wait before a broken turn is taken up again; undefined to give up. A provider that asks for a time gets it,
 * one that is overrun is spared, and a line that just broke is tried again at once.
 */
function pauseBeforeRetry(failure: ModelError, failures: number, allowed: number): number | undefined {
  if (!failure.isRetryable || failures >= allowed) return undefined;
  const asked = failure.retryAfterMs;
  if (asked !== undefined) return asked > LONGEST_PAUSE_MS ? undefined : asked;
  const isOverrun = failure.kind === "rate_limit" || failure.kind === "overloaded";
  const doublings = isOverrun ? failures + 1 : failures;
  return doublings === 0 ? 0 : FIRST_PAUSE_MS * 2 ** (doublings - 1);
}

/** Continues with the text there is, without a call that was not finished; begins anew when there is none. */
function nextRequest({ request, show }: TurnOptions, draft: TurnDraft): ModelRequest {
  if (draft.text !== "") {
    return { ...request, messages: [...request.messages, ...continuation(draft.text)] };
  }
  if (draft.hasShown) show({ type: "reset" });
  draft.reset();
  return request;
}

/** What the model is shown of its own unfinished answer. Sent, never stored. */
function continuation(text: string): readonly Message[] {
  return [
    { id: "partial", role: "assistant", content: text },
    { id: "continue", role: "user", content: CONTINUE_AFTER_CUT, visibility: "internal" },
  ];
}

/** Makes one request and takes its chunks in; returns why it ended early, if it did. */
async function attempt(request: ModelRequest, draft: TurnDraft, options: TurnOptions): Promise<ModelError | undefined> {
  try {
    await readStream(request, options, (chunk) => {
      const shown = draft.add(chunk);
      if (shown !== undefined) options.show(shown);
    });
    return undefined;
  } catch (error) {
    if (isForLater(error)) throw error;
    // A stall is noticed by who reads, so the route could not mend it.
    if (!draft.hasBegun && !ModelError.is(error, "timeout")) throw toModelError(error);
    return toModelError(error);
  }
}
