import type { AgentEvent, EventData } from "@reprise/contracts";
import { getAt, type Json } from "@reprise/state";
import { asIs, encodeFile, type FileUrl } from "./encode-parts.ts";
import { asksClient, encodeQuestions, type OpenQuestion } from "./encode-question.ts";
import { stateOfTermination } from "./task-state.ts";
import type { A2aArtifact, A2aMessage, A2aStreamItem, A2aTaskState } from "./wire.ts";

/** The part of a run's past that the next item of its stream depends on. */
export interface A2aState {
  /** `waiting`: the client was asked. `withdrawn`: shown text turned out never to have been stored, so the stream is over. */
  readonly phase: "new" | "working" | "waiting" | "over" | "withdrawn";
  /** The artifact that the text of the step belongs to. */
  readonly artifactId: string;
  /** `none`: the client has nothing of it. `stale`: what it has is withdrawn, and the next chunk replaces it. */
  readonly text: "none" | "shown" | "stale";
  readonly questions: readonly OpenQuestion[];
  readonly failure?: string;
}

export const INITIAL_A2A_STATE: A2aState = { phase: "new", artifactId: "", text: "none", questions: [] };

type Encoded = readonly [A2aState, readonly A2aStreamItem[]];

/**
 * One event as the items that a client gets of it. Pure: the same state and event always give the same items. A task shows
 * the answer and its questions; the tools and the reasoning behind them are the agent's own.
 */
export function encodeA2aEvent(state: A2aState, event: AgentEvent, fileUrl: FileUrl = asIs): Encoded {
  if (state.phase === "over" || state.phase === "withdrawn") return [state, []];
  const [next, items] = advance(wake(state), event, fileUrl);
  const isWoken = next.phase === "working" && state.phase !== "working";
  return [next, isWoken ? [begin(state, event), ...items] : items];
}

/** Any event of a run that is new or waited means that it works. */
function wake(state: A2aState): A2aState {
  return state.phase === "working" ? state : { ...state, phase: "working" };
}

function begin({ phase }: A2aState, event: AgentEvent): A2aStreamItem {
  if (phase === "waiting") return update(event, "TASK_STATE_WORKING");
  return { task: { id: event.run_id, contextId: event.thread_id, status: status(event, "TASK_STATE_WORKING") } };
}

function advance(state: A2aState, event: AgentEvent, fileUrl: FileUrl): Encoded {
  switch (event.type) {
    case "step_start":
      return [{ ...state, artifactId: event.data.message_id, text: "none" }, []];
    case "text_delta": {
      const item = chunk(
        event,
        { artifactId: state.artifactId, parts: [{ text: event.data.delta }] },
        state.text === "shown",
      );
      return [{ ...state, text: "shown" }, [item]];
    }
    case "step_reset":
      return [{ ...state, text: state.text === "none" ? "none" : "stale" }, []];
    case "step_end": {
      if (state.text === "none") return [state, []];
      // The last chunk is empty: text is passed on as it comes, before anything is known of its end.
      const end = { artifactId: state.artifactId, parts: [{ text: "" }] };
      return [{ ...state, text: "none" }, [chunk(event, end, state.text === "shown", true)]];
    }
    case "activity_snapshot":
      return [state, fileOf(event, event.data, fileUrl)];
    case "tool_call_done":
      return [{ ...state, questions: noteCall(state.questions, event.data) }, []];
    case "error":
      return [{ ...state, failure: event.data.message }, []];
    case "stream_reset":
      return [{ ...state, phase: "withdrawn" }, []];
    case "run_finish":
      return finish(state, event);
    default:
      return [state, []];
  }
}

function noteCall(
  questions: readonly OpenQuestion[],
  { id, suspended }: EventData["tool_call_done"],
): readonly OpenQuestion[] {
  const others = questions.filter((question) => question.id !== id);
  return suspended === undefined ? others : [...others, { id, ...suspended }];
}

function finish(state: A2aState, event: Extract<AgentEvent, { type: "run_finish" }>): Encoded {
  const { termination, result } = event.data;
  const ids = { taskId: event.run_id, contextId: event.thread_id };
  if (termination.type === "suspended") {
    // A run that waits for other runs, or for a model, asks the client nothing.
    if (!state.questions.some(asksClient)) return [state, []];
    const question = encodeQuestions(state.questions, ids);
    return [{ ...state, phase: "waiting" }, [update(event, "TASK_STATE_INPUT_REQUIRED", question)]];
  }
  const taskState = stateOfTermination(termination);
  const output = result?.output;
  const reason = reasonOf(state, termination);
  const message: A2aMessage | undefined =
    reason === undefined
      ? undefined
      : { messageId: `${event.run_id}-end`, ...ids, role: "ROLE_AGENT", parts: [{ text: reason }] };
  return [
    { ...state, phase: "over" },
    [
      ...(output === undefined ? [] : [chunk(event, outputArtifact(event.run_id, output), false, true)]),
      update(event, taskState, message),
    ],
  ];
}

/** Why a task did not complete. */
function reasonOf({ failure }: A2aState, termination: EventData["run_finish"]["termination"]): string | undefined {
  if (termination.type === "error") return failure ?? termination.value;
  if (termination.type === "cancelled") return termination.detail;
  return termination.type === "stopped" ? (termination.value.detail ?? termination.value.code) : undefined;
}

/** The answer of an agent with an output schema. */
export function outputArtifact(runId: string, output: Json): A2aArtifact {
  return { artifactId: `${runId}-output`, name: "output", parts: [{ data: output, mediaType: "application/json" }] };
}

function fileOf(
  event: AgentEvent,
  { message_id, activity_type, content }: EventData["activity_snapshot"],
  fileUrl: FileUrl,
): readonly A2aStreamItem[] {
  const read = (name: string): string | undefined => {
    const value = getAt(content, [name]);
    return typeof value === "string" ? value : undefined;
  };
  const url = read("url");
  if (activity_type !== "file" || url === undefined) return [];
  const part = encodeFile(url, read("media_type"), read("filename"), fileUrl);
  return [chunk(event, { artifactId: message_id, parts: [part] }, false, true)];
}

function chunk(
  { run_id: taskId, thread_id: contextId }: AgentEvent,
  artifact: A2aArtifact,
  append: boolean,
  lastChunk: boolean = false,
): A2aStreamItem {
  return { artifactUpdate: { taskId, contextId, artifact, append, lastChunk } };
}

function update(event: AgentEvent, state: A2aTaskState, message?: A2aMessage): A2aStreamItem {
  const { run_id: taskId, thread_id: contextId } = event;
  return { statusUpdate: { taskId, contextId, status: status(event, state, message) } };
}

function status({ timestamp_ms }: AgentEvent, state: A2aTaskState, message?: A2aMessage) {
  return { state, ...(message !== undefined && { message }), timestamp: new Date(timestamp_ms).toISOString() };
}
