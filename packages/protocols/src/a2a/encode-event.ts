import type { AgentEvent, EventData } from "@reprise/contracts";
import { getAt, type Json } from "@reprise/state";
import { advanceQuestions, type TreeQuestion } from "../chat/tree-questions.ts";
import { asIs, encodeFile, type FileUrl } from "./encode-parts.ts";
import { encodeQuestions, nameQuestions } from "./encode-question.ts";
import { stateOfTermination } from "./task-state.ts";
import { advanceStanding, asksBelow, asksItself, INITIAL_STANDING, type TreeStanding } from "./tree-standing.ts";
import type { A2aArtifact, A2aMessage, A2aStreamItem, A2aTaskState } from "./wire.ts";

interface TaskIds {
  readonly taskId: string;
  readonly contextId: string;
}

/** The part of a run's past that the next item of its stream depends on. */
export interface A2aState {
  /** `waiting`: the client was asked. `withdrawn`: shown text turned out never to have been stored, so the stream is over. */
  readonly phase: "new" | "working" | "waiting" | "over" | "withdrawn";
  /** Set once the task began. */
  readonly ids?: TaskIds;
  /** The artifact that the text of the step belongs to. */
  readonly artifactId: string;
  /** `none`: the client has nothing of it. `stale`: what it has is withdrawn, and the next chunk replaces it. */
  readonly text: "none" | "shown" | "stale";
  /** The open questions of the run and of the runs below it. */
  readonly questions: readonly TreeQuestion[];
  readonly standing: TreeStanding;
  /** The questions that the client was asked last, by their name. */
  readonly asked?: string;
  readonly failure?: string;
}

export const INITIAL_A2A_STATE: A2aState = {
  phase: "new",
  artifactId: "",
  text: "none",
  questions: [],
  standing: INITIAL_STANDING,
};

export interface A2aEncodingOptions {
  /** Where a client finds a file. As it is, unless given. */
  readonly fileUrl?: FileUrl;
  /** The stream stays while the task needs input: questions of runs below are told as they come. */
  readonly follow?: boolean;
}

type Encoded = readonly [A2aState, readonly A2aStreamItem[]];

/**
 * One event as the items that a client gets of it. Pure: the same state and event always give the same items. A task shows
 * the answer and its questions, those of the runs below included; everything else behind them is the agent's own.
 */
export function encodeA2aEvent(
  state: A2aState,
  event: AgentEvent,
  { fileUrl = asIs, follow = false }: A2aEncodingOptions = {},
): Encoded {
  if (state.phase === "over" || state.phase === "withdrawn") return [state, []];
  const [advanced, items] = event.lineage === undefined ? advance(state, event, fileUrl) : [state, []];
  if (advanced.phase === "over" || advanced.phase === "withdrawn") return [advanced, items];
  return tellPhase(state, note(advanced, event), { event, items, follow });
}

/** Notes what an event means for the questions of the tree. Most events mean nothing for them. */
function note(state: A2aState, event: AgentEvent): A2aState {
  const questions = advanceQuestions(state.questions, event);
  const standing = advanceStanding(state.standing, event);
  return questions === state.questions && standing === state.standing ? state : { ...state, questions, standing };
}

/** Says that the task works, or needs input, where that is news to the client. */
function tellPhase(
  before: A2aState,
  state: A2aState,
  {
    event,
    items,
    follow,
  }: { readonly event: AgentEvent; readonly items: readonly A2aStreamItem[]; readonly follow: boolean },
): Encoded {
  const { standing, questions } = state;
  if (asksItself(standing, questions) || (follow && asksBelow(standing, questions))) {
    const [next, asked] = ask(state, event.timestamp_ms);
    return [next, [...(before.phase === "new" ? [begin(event)] : []), ...items, ...asked]];
  }
  if (before.phase === "working") return [state, items];
  const ids = { taskId: event.run_id, contextId: event.thread_id };
  const told =
    before.phase === "new" ? begin(event) : update(state.ids ?? ids, event.timestamp_ms, "TASK_STATE_WORKING");
  return [{ ...state, phase: "working", ids: state.ids ?? ids }, [told, ...items]];
}

/**
 * Asks the open questions, unless the client was asked them already. For a stream that ends because nothing happens before a person decides
 * about runs below: no event says so.
 */
export function ask(state: A2aState, timeMs: number): Encoded {
  const { phase, questions, ids } = state;
  const asked = nameQuestions(questions);
  const isOver = phase === "over" || phase === "withdrawn";
  if (isOver || ids === undefined || questions.length === 0 || (phase === "waiting" && state.asked === asked))
    return [state, []];
  const question = update(ids, timeMs, "TASK_STATE_INPUT_REQUIRED", encodeQuestions(questions, ids));
  return [{ ...state, phase: "waiting", asked }, [question]];
}

function begin(event: AgentEvent): A2aStreamItem {
  return {
    task: { id: event.run_id, contextId: event.thread_id, status: status(event.timestamp_ms, "TASK_STATE_WORKING") },
  };
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

function finish(state: A2aState, event: Extract<AgentEvent, { type: "run_finish" }>): Encoded {
  const { termination, result } = event.data;
  const ids = { taskId: event.run_id, contextId: event.thread_id };
  if (termination.type === "suspended") return [state, []];
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
      update(ids, event.timestamp_ms, taskState, message),
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

function update(ids: TaskIds, timeMs: number, taskState: A2aTaskState, message?: A2aMessage): A2aStreamItem {
  return { statusUpdate: { ...ids, status: status(timeMs, taskState, message) } };
}

function status(timeMs: number, state: A2aTaskState, message?: A2aMessage) {
  return { state, ...(message !== undefined && { message }), timestamp: new Date(timeMs).toISOString() };
}
