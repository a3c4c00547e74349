import {
  type LanguageModel,
  type Message,
  type ModelChunk,
  ModelError,
  type ModelErrorKind,
  type ModelRequest,
  type TokenUsage,
} from "@reprise/contracts";
import { toStoredKeys } from "@reprise/contracts/shape";

/** The tokens of a scripted answer. */
export interface ScriptedUsage {
  readonly promptTokens?: number;
  readonly completionTokens?: number;
  readonly totalTokens?: number;
  readonly cacheReadTokens?: number;
  readonly cacheCreationTokens?: number;
  readonly thinkingTokens?: number;
}

/** One thing a scripted model does in a turn. Plain data, so that scripts can be stored, sent and generated. */
export type ScriptStep =
  /** Says text, in pieces when a list is given. */
  | { readonly text: string | readonly string[] }
  | { readonly reasoning: string }
  /** Data that only the provider can read, and expects back. */
  | { readonly encrypted: string }
  /** Makes a file: a `data:` URL, or where it lies. */
  | { readonly file: string; readonly mediaType: string }
  /** Calls a tool; `raw` is sent as the arguments' text, however broken. */
  | { readonly call: string; readonly arguments?: unknown; readonly raw?: string; readonly id?: string }
  /** Begins a call and never finishes it. */
  | { readonly unfinishedCall: string; readonly raw: string }
  | { readonly fail: ModelErrorKind }
  /** Says nothing more until it is aborted. */
  | { readonly stall: true }
  /** Ends the stream without finishing. */
  | { readonly cut: true }
  | { readonly stop: "end_turn" | "max_tokens" | "tool_use" | "stop_sequence" }
  /** The token usage of the answer. */
  | { readonly usage: ScriptedUsage };

/** The answer of the model to one request. */
export type ScriptTurn = string | readonly ScriptStep[];

export interface ScriptedModel extends LanguageModel {
  /** The requests made so far; of very many, the last thousand or more. */
  readonly requests: readonly ModelRequest[];
}

/**
 * Turns in order, or a function of the request. Each thread plays the script from its beginning. In another process it continues where it
 * is, because earlier turns stand in the messages of the thread. A script that was played to its end before begins again. When the script has
 * no turn left, the model fails.
 */
export type Script = readonly ScriptTurn[] | ((request: ModelRequest, turn: number) => ScriptTurn);

/** Where a thread is in a script, as far as it was asked here. */
interface ScriptPosition {
  readonly turn: number;
  readonly heard: number;
}

const KEPT_REQUESTS = 1_000;
const MAX_KEPT_POSITIONS = 10_000;

/** A model that follows a script, for first steps without a key and for tests instead of mocks. */
export function scriptedModel(script: Script, id: string = "scripted"): ScriptedModel {
  const requests: ModelRequest[] = [];
  /** By thread id; without one, by the first message. */
  const positions = new Map<string, ScriptPosition>();
  return {
    id,
    requests,
    async *stream(request): AsyncGenerator<ModelChunk> {
      requests.push(request);
      // A request holds the messages of its thread: a server that runs for days must not keep them all.
      if (requests.length > 2 * KEPT_REQUESTS) requests.splice(0, KEPT_REQUESTS);
      const thread = request.thread_id ?? request.messages[0]?.id ?? "";
      const position = findPosition(script, request, positions.get(thread));
      positions.delete(thread);
      positions.set(thread, position);
      const [oldest] = positions.keys();
      if (positions.size > MAX_KEPT_POSITIONS && oldest !== undefined) positions.delete(oldest);
      const turn = typeof script === "function" ? script(request, position.turn) : script[position.turn - 1];
      if (turn === undefined) {
        throw new ModelError("invalid_request", `The script of model ${id} has no turn ${position.turn}.`);
      }
      yield* play(typeof turn === "string" ? [{ text: turn }] : turn, request);
    },
  };
}

function findPosition(script: Script, { messages }: ModelRequest, last: ScriptPosition | undefined): ScriptPosition {
  const answers = messages.filter(({ role }) => role === "assistant");
  const heard = typeof script === "function" ? answers.length : countHeard(script, answers);
  // The turn after the last one; more when others asked meanwhile.
  if (last !== undefined) return { turn: last.turn + Math.max(1, heard - last.heard), heard };
  const turn = typeof script === "function" ? heard + 1 : turnAfter(script, heard);
  return { turn, heard };
}

/** How many turns of a script stand among the answers of a thread. Other models may have answered there too. */
function countHeard(script: readonly ScriptTurn[], answers: readonly Message[]): number {
  const spoken = script.filter((turn) => !isMute(turn)).map(describeTurn);
  let heard = 0;
  for (const answer of answers) if (spoken[heard % spoken.length] === describeAnswer(answer)) heard += 1;
  return heard;
}

/** Describes the text and the calls of a turn, as its message shows them. */
function describeTurn(turn: ScriptTurn): string {
  const steps = typeof turn === "string" ? [{ text: turn }] : turn;
  const texts = steps.flatMap((step) => ("text" in step ? step.text : []));
  const calls = steps.flatMap((step) => ("call" in step ? [[step.call, step.arguments ?? {}]] : []));
  return JSON.stringify([texts.join(""), calls]);
}

function describeAnswer({ content, tool_calls = [] }: Message): string {
  const parts =
    typeof content === "string" ? [content] : content.map((part) => (part.type === "text" ? part.text : ""));
  return JSON.stringify([parts.join(""), tool_calls.map((call) => [call.name, call.arguments])]);
}

/** The turn that follows so many answers. A turn that failed left none: it was followed by one that did. */
function turnAfter(script: readonly ScriptTurn[], answers: number): number {
  let turn = 1;
  for (let left = answers; left > 0; turn++) if (!isMute(script[turn - 1])) left -= 1;
  return turn > script.length ? 1 : turn;
}

function isMute(turn: ScriptTurn | undefined): boolean {
  return typeof turn === "object" && turn.some((step) => "fail" in step || "cut" in step || "stall" in step);
}

async function* play(steps: readonly ScriptStep[], request: ModelRequest): AsyncGenerator<ModelChunk> {
  let calls = 0;
  let usage: TokenUsage | undefined;
  for (const step of steps) {
    if ("text" in step) {
      for (const delta of typeof step.text === "string" ? [step.text] : step.text) yield { type: "text_delta", delta };
    } else if ("reasoning" in step) yield { type: "reasoning_delta", delta: step.reasoning };
    else if ("encrypted" in step) yield { type: "reasoning_encrypted", value: step.encrypted };
    else if ("file" in step) yield { type: "file", url: step.file, media_type: step.mediaType };
    else if ("call" in step) {
      calls++;
      yield* playCall(step.id ?? `call_${calls}`, step.call, step.raw ?? JSON.stringify(step.arguments ?? {}));
    } else if ("unfinishedCall" in step) {
      yield { type: "tool_call_start", id: "unfinished", name: step.unfinishedCall };
      yield { type: "tool_call_delta", id: "unfinished", args_delta: step.raw };
    } else if ("fail" in step) throw new ModelError(step.fail, `The script says: ${step.fail}.`);
    else if ("stall" in step) await aborted(request.signal);
    else if ("cut" in step) return;
    else if ("usage" in step) usage = toStoredKeys(step.usage);
    else return yield { type: "finish", stop_reason: step.stop, ...(usage && { usage }) };
  }
  yield { type: "finish", stop_reason: calls > 0 ? "tool_use" : "end_turn", ...(usage && { usage }) };
}

function* playCall(id: string, name: string, text: string): Generator<ModelChunk> {
  yield { type: "tool_call_start", id, name };
  yield { type: "tool_call_delta", id, args_delta: text };
  yield { type: "tool_call_ready", id, name, arguments: text };
}

function aborted(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    const stop = (): void => reject(new ModelError("cancelled", "The model call was cancelled."));
    if (signal.aborted) stop();
    else signal.addEventListener("abort", stop, { once: true });
  });
}
