import type { Message, RunRecord } from "@reprise/contracts";
import type { Json } from "@reprise/state";
import { outputArtifact } from "./encode-event.ts";
import { artifactsOf, asIs, encodeMessage, type FileUrl, isPublic } from "./encode-parts.ts";
import { asksClient, encodeQuestions, type OpenQuestion } from "./encode-question.ts";
import { stateOfRun } from "./task-state.ts";
import { type A2aMessage, type A2aTask, type A2aTaskState, isTerminalState } from "./wire.ts";

/** What a task is made of: a run as it is stored. */
export interface TaskSource {
  readonly run: RunRecord;
  /** The messages of the run, in their order. */
  readonly messages: readonly Message[];
  /** Those that keep the run from continuing, of the runs below it too. */
  readonly questions: readonly OpenQuestion[];
  /** The answer of an agent with an output schema. */
  readonly output?: Json;
}

export interface EncodeTaskOptions {
  /** How many of the latest messages are shown; all unless given. */
  readonly historyLength?: number;
  /** False leaves the artifacts out. */
  readonly includeArtifacts?: boolean;
  readonly fileUrl?: FileUrl;
}

export function encodeTask(source: TaskSource, options: EncodeTaskOptions = {}): A2aTask {
  const { run, messages, output } = source;
  const { historyLength = Number.POSITIVE_INFINITY, includeArtifacts = true, fileUrl = asIs } = options;
  const ids = { taskId: run.run_id, contextId: run.thread_id };
  const shown = messages.filter(isPublic);
  const answers = shown.filter(({ role }) => role === "assistant").flatMap((message) => artifactsOf(message, fileUrl));
  const artifacts = output === undefined ? answers : [...answers, outputArtifact(run.run_id, output)];
  const history = shown
    .map((message) => encodeMessage(message, ids, fileUrl))
    .filter(({ parts }) => parts.length > 0)
    .slice(-historyLength);
  const isAsking = run.status === "waiting" && source.questions.some(asksClient);
  const message = isAsking ? encodeQuestions(source.questions, ids) : endMessage(run, ids);
  return {
    id: run.run_id,
    contextId: run.thread_id,
    status: {
      state: isAsking ? "TASK_STATE_INPUT_REQUIRED" : stateOfRun(run),
      ...(message !== undefined && { message }),
      timestamp: new Date(run.updated_at).toISOString(),
    },
    ...(includeArtifacts && artifacts.length > 0 && { artifacts }),
    ...(historyLength > 0 && history.length > 0 && { history }),
  };
}

/** The answer of a completed task alone, for clients that get a message instead of a task. */
export function messageOfTask({ id, contextId, artifacts = [] }: A2aTask): A2aMessage {
  const parts = artifacts.flatMap((artifact) => artifact.parts);
  return {
    messageId: artifacts.at(-1)?.artifactId ?? `${id}-end`,
    contextId,
    role: "ROLE_AGENT",
    parts: parts.length === 0 ? [{ text: "" }] : parts,
  };
}

/** A task of which only its state is known: its run is queued, or ended before it began. */
export function bareTask(
  { taskId, contextId }: { readonly taskId: string; readonly contextId: string },
  state: A2aTaskState,
  timeMs: number,
): A2aTask {
  return { id: taskId, contextId, status: { state, timestamp: new Date(timeMs).toISOString() } };
}

function endMessage(
  run: RunRecord,
  ids: { readonly taskId: string; readonly contextId: string },
): A2aMessage | undefined {
  const state = stateOfRun(run);
  if (!isTerminalState(state) || state === "TASK_STATE_COMPLETED") return undefined;
  const text = run.termination_detail ?? run.termination_code ?? "";
  return { messageId: `${run.run_id}-end`, ...ids, role: "ROLE_AGENT", parts: [{ text }] };
}
