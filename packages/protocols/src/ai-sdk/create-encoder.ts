import type { AgentEvent } from "@reprise/contracts";
import type { FileUrl } from "../chat/file-url.ts";
import { encodeSseFrame } from "../sse/sse-frame.ts";
import { encodeAiSdkEvent } from "./encode-event.ts";
import { type AiSdkState, INITIAL_STATE, inOrder, type StreamPhase } from "./encoder-state.ts";
import { finishFailure, pauseForQuestions } from "./run-parts.ts";
import type { UiChunk } from "./ui-chunk.ts";

export interface AiSdkEncoderOptions {
  /** Where a front end finds a file. As it is, unless given. */
  readonly fileUrl?: FileUrl;
  /** Continues from what another encoder of the run remembered. */
  readonly state?: AiSdkState;
}

/** Writes one run as a response. One encoder is one response, or the replay of a whole run. */
export interface AiSdkEncoder {
  /** The frames of an event, joined; empty when a client gets nothing of it. The cursor is the id of the last one. */
  encode(event: AgentEvent, cursor?: string): string;
  /** Takes an event in that the client already has: for one that comes back, or for a run that continues in another response. */
  skip(event: AgentEvent): void;
  /**
   * What was taken in is of a response that is over: what comes next begins with `start`. Needed where a response ended because runs
   * below had questions, which no event says.
   */
  restart(): void;
  /** What is left to say when no more events come, and the trailer of a response that is whole. */
  end(): string;
  readonly phase: StreamPhase;
  readonly state: AiSdkState;
}

/** The headers of a response. */
export const AI_SDK_HEADERS: Readonly<Record<string, string>> = {
  "content-type": "text/event-stream",
  "cache-control": "no-cache, no-store, no-transform",
  "x-accel-buffering": "no",
  "x-vercel-ai-ui-message-stream": "v1",
  "x-tirea-ai-sdk-version": "v6",
};

const TRAILER = encodeSseFrame("[DONE]");

export function createAiSdkEncoder({ fileUrl, state = INITIAL_STATE }: AiSdkEncoderOptions = {}): AiSdkEncoder {
  let current = state;
  return {
    encode(event, cursor) {
      const [next, chunks] = encodeAiSdkEvent(current, event, fileUrl);
      current = next;
      // An event that withdraws others has no place in the stream to come back to.
      return frames(chunks, event.type === "stream_reset" ? undefined : cursor);
    },
    skip(event) {
      [current] = encodeAiSdkEvent(current, event, fileUrl);
    },
    restart() {
      current = { ...current, isStarted: false, isStepOpen: false, isStepSaid: false };
    },
    end() {
      const [next, chunks] = inOrder(current, finishFailure, pauseForQuestions);
      current = next;
      const isWhole = next.phase === "finished" || next.phase === "suspended";
      return frames(chunks) + (isWhole ? TRAILER : "");
    },
    get phase() {
      return current.phase;
    },
    get state() {
      return current;
    },
  };
}

/** Only the last chunk of an event says that it is over: a client that comes back in between gets all of it again. */
function frames(chunks: readonly UiChunk[], cursor?: string): string {
  const last = chunks.length - 1;
  return chunks
    .map((chunk, index) => encodeSseFrame(JSON.stringify(chunk), index === last ? cursor : undefined))
    .join("");
}
