import {
  type AgentEvent,
  type EventData,
  type FactData,
  type FilePart,
  ModelError,
  type StopReason,
  type TokenUsage,
} from "@reprise/contracts";
import { getAt, type Json } from "@reprise/state";
import { callIdOf } from "../loop/derived-ids.ts";
import type { CompleteCall, Turn, TurnChunk, TurnOptions } from "../turn/turn.ts";
import { decodeFailure } from "./failure.ts";
import { NOTE } from "./notes.ts";
import type { Playback } from "./playback.ts";
import type { TurnPlace } from "./witness.ts";

/** A turn as far as it was played. */
interface PlayedTurn {
  text: string;
  reasoning: string;
  encrypted: string | undefined;
  readonly calls: Map<number, CompleteCall>;
}

/** Shows what the model said when the run was recorded, and comes to the same turn, or fails as it did. */
export async function playTurn(playback: Playback, place: TurnPlace, options: TurnOptions): Promise<Turn> {
  const { workspace, stepId } = place;
  const { expected } = playback;
  const startsEarly = workspace.agent.spec.start_reads_early;
  const played: PlayedTurn = { text: "", reasoning: "", encrypted: undefined, calls: new Map() };
  const complete = expected.held.find((event) => event.type === "inference_complete" && event.step_id === stepId);
  for (;;) {
    // A turn that had just ended was not cancelled any more.
    const isOver = complete !== undefined && playback.nextShown === undefined;
    // What was begun meanwhile had begun before the run was cancelled.
    if (!isOver && playback.isCancelDue) await playback.pauseTurn();
    if (!isOver && options.request.signal.aborted) {
      throw new ModelError("cancelled", "The model call was cancelled.");
    }
    const event = playback.nextShown;
    if (event === undefined) break;
    // Of a read that was begun meanwhile.
    if (event.type === "activity_snapshot") {
      await playback.pauseTurn();
    } else if (event.step_id !== stepId || !show(place, options, playback, played, event)) break;
    // A read begins while the model goes on, and is under way before the next call is there.
    if (event.type === "tool_call_ready" && startsEarly) await workspace.services.env.yield();
  }
  const failure = expected.peek(NOTE.turn(stepId), "failed");
  if (failure !== undefined) throw decodeFailure(failure);
  const facts = complete?.type === "inference_complete" ? complete.data : undefined;
  playback.mono += facts?.duration_ms ?? 0;
  const files = filesOf(playback, stepId);
  workspace.refersTo(files.flatMap(({ url }) => (expected.changeset.blob_refs.includes(url) ? [url] : [])));
  return {
    text: played.text,
    reasoning: played.reasoning,
    encrypted: played.encrypted,
    ...(files.length > 0 && { files }),
    calls: [...played.calls.values()].toSorted((left, right) => left.index - right.index),
    stop_reason: stopReason(expected.peek(NOTE.turn(stepId), "stop_reason"), played),
    usage: readUsage(facts),
  };
}

/** Shows one event of a turn again; false when it is none. */
function show(
  { workspace, stepId, session }: TurnPlace,
  options: TurnOptions,
  playback: Playback,
  played: PlayedTurn,
  event: AgentEvent,
): boolean {
  switch (event.type) {
    case "model_routed":
      for (const attempt of attemptsOf(event.data)) session.note({ ...attempt, outcome: "succeeded" });
      workspace.show(event.type, event.data ?? {}, stepId);
      return true;
    case "cost_recorded": {
      const { run_cost_microcents: total, priced } = event.data ?? {};
      if (typeof total === "number") workspace.setRun({ cost_microcents: total });
      if (priced === false) workspace.setRun({ is_unpriced: true });
      workspace.show(event.type, event.data ?? {}, stepId);
      return true;
    }
    case "budget_warning":
    case "context_resolved":
      workspace.show(event.type, event.data ?? {}, stepId);
      return true;
    default: {
      const chunk = chunkOf(playback, stepId, event);
      if (chunk === undefined) return false;
      take(played, chunk);
      options.show(chunk);
      return true;
    }
  }
}

function chunkOf(playback: Playback, stepId: string, event: AgentEvent): TurnChunk | undefined {
  switch (event.type) {
    case "text_delta":
    case "reasoning_delta":
      return { type: event.type, delta: event.data.delta };
    case "reasoning_encrypted_value":
      return { type: event.type, encrypted_value: event.data.encrypted_value };
    case "tool_call_start":
      return { type: event.type, index: indexOf(stepId, event.data.id), name: event.data.name };
    case "tool_call_delta":
      return { type: event.type, index: indexOf(stepId, event.data.id), args_delta: event.data.args_delta };
    case "tool_call_ready": {
      const call = completeCall(playback, stepId, event.data);
      return { type: event.type, index: call.index, call };
    }
    case "step_reset":
      return { type: "reset" };
    default:
      return undefined;
  }
}

function take(played: PlayedTurn, chunk: TurnChunk): void {
  if (chunk.type === "text_delta") played.text += chunk.delta;
  else if (chunk.type === "reasoning_delta") played.reasoning += chunk.delta;
  else if (chunk.type === "reasoning_encrypted_value") played.encrypted = chunk.encrypted_value;
  else if (chunk.type === "tool_call_ready") played.calls.set(chunk.index, chunk.call);
  else if (chunk.type === "reset") {
    played.text = "";
    played.reasoning = "";
    played.encrypted = undefined;
    played.calls.clear();
  }
}

/** The place of a call in its step. */
function indexOf(stepId: string, callId: string): number {
  return Number(callId.slice(callIdOf(stepId, 0).length - 1));
}

function completeCall(
  { expected }: Playback,
  stepId: string,
  { id, name, arguments: value }: EventData["tool_call_ready"],
): CompleteCall {
  const row = expected.changeset.calls.find(({ call_id }) => call_id === id);
  const { problem } = row ?? {};
  return {
    index: indexOf(stepId, id),
    provider_id: row?.provider_call_id ?? "",
    name,
    arguments: problem === undefined ? { ok: true, value } : { ok: false, value, problem },
  };
}

/** The files a model made, as its message names them. */
function filesOf({ expected }: Playback, stepId: string): NonNullable<Turn["files"]> {
  const message = expected.changeset.messages.find(({ id }) => id === `${stepId}-m`);
  if (message === undefined || typeof message.content === "string") return [];
  return message.content.filter((part): part is FilePart => part.type === "image" || part.type === "file");
}

function stopReason(noted: Json | undefined, { calls }: PlayedTurn): StopReason {
  // Noted by the live witness, from a turn.
  if (typeof noted === "string") return noted as StopReason;
  return calls.size > 0 ? "tool_use" : "end_turn";
}

function readUsage(facts: EventData["inference_complete"] | undefined): TokenUsage {
  return facts?.usage ?? {};
}

/** Who answered, as the fact about the route tells it. */
function attemptsOf(fact: FactData | undefined): readonly { readonly provider: string; readonly model: string }[] {
  const chain = fact?.chain;
  return (Array.isArray(chain) ? chain : []).flatMap((attempt) => {
    const [outcome, provider, model] = ["outcome", "provider", "model"].map((key) => getAt(attempt, [key]));
    const isAnswer = outcome === "succeeded" && typeof provider === "string" && typeof model === "string";
    return isAnswer ? [{ provider, model }] : [];
  });
}
