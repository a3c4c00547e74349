import { type LanguageModel, type Message, type ModelChunk, ModelError, type ModelRequest } from "@reprise/contracts";
import type { ModelLine, ModelMessageShape } from "../ledger/ledger-line.ts";
import { pauseFor } from "./pause-for.ts";
import { placeInScript } from "./place-in-script.ts";
import { createRunScript, type ScriptedTurn } from "./run-script.ts";

export interface ChaosModelOptions {
  /** The model that is asked over HTTP; without one the script is played in the process. */
  readonly remote?: LanguageModel;
  /** Told of every model call before it is answered. */
  record(line: Pick<ModelLine, "kind" | "script" | "step" | "messages">): Promise<void>;
  point(name: string): void;
}

/** After its script a model has only this to say: somebody steered the run at its end. */
const AFTERWORD: ScriptedTurn = { text: ["That was all."], calls: [], pauseMs: 0, isCut: false };

/** The turn a model takes at a step of a script. */
export function turnOf(script: string, step: number): ScriptedTurn {
  return createRunScript(script).turns[step] ?? AFTERWORD;
}

/** A model that plays scripts slowly enough to be killed in the middle of them. */
export function createChaosModel({ record, point, remote }: ChaosModelOptions): LanguageModel {
  const cut = new Set<string>();
  return {
    id: "chaos",
    async *stream(request): AsyncGenerator<ModelChunk> {
      const found = placeInScript(request.messages);
      if (found === undefined) throw new ModelError("invalid_request", "Nobody asked for a script.");
      const { script, step, said } = found;
      await record({ kind: "model", script, step, messages: request.messages.map(shapeOf) });
      point("model:request");
      const turn = restOf(turnOf(script, step), said);
      if (remote !== undefined) {
        yield* relay(remote, turn, request, point);
        return;
      }
      const place = `${script}#${step}`;
      const isCut = turn.isCut && !cut.has(place);
      cut.add(place);
      yield* play(turn, isCut, request, point);
    },
  };
}

/** What is left of a turn whose beginning was said before. */
function restOf(turn: ScriptedTurn, said: string): ScriptedTurn {
  if (said === "") return turn;
  const { reasoning: _said, ...rest } = turn;
  const left = turn.text.join("").slice(said.length);
  return { ...rest, text: left === "" ? [] : [left] };
}

/** Passes on what the other side says, slowly enough to be killed meanwhile. */
async function* relay(
  remote: LanguageModel,
  { pauseMs }: ScriptedTurn,
  request: ModelRequest,
  point: (name: string) => void,
): AsyncGenerator<ModelChunk> {
  let hasPaused = false;
  for await (const chunk of remote.stream(request)) {
    if (chunk.type === "finish") point("model:finish");
    yield chunk;
    await pauseFor(1, request.signal);
    if (hasPaused) continue;
    hasPaused = true;
    point("model:midway");
    await pauseFor(pauseMs, request.signal);
  }
}

async function* play(
  turn: ScriptedTurn,
  isCut: boolean,
  { signal }: ModelRequest,
  point: (name: string) => void,
): AsyncGenerator<ModelChunk> {
  if (turn.reasoning !== undefined) yield { type: "reasoning_delta", delta: turn.reasoning };
  for (const delta of turn.text) {
    yield { type: "text_delta", delta };
    await pauseFor(1, signal);
  }
  point("model:midway");
  await pauseFor(turn.pauseMs, signal);
  if (isCut) return;
  for (const [index, call] of turn.calls.entries()) {
    const id = `provider_${index}`;
    const text = JSON.stringify(call.arguments);
    yield { type: "tool_call_start", id, name: call.tool };
    yield { type: "tool_call_delta", id, args_delta: text.slice(0, 6) };
    await pauseFor(1, signal);
    yield { type: "tool_call_delta", id, args_delta: text.slice(6) };
    yield { type: "tool_call_ready", id, name: call.tool, arguments: text };
  }
  point("model:finish");
  const usage = { prompt_tokens: 10, completion_tokens: turn.text.length };
  yield { type: "finish", stop_reason: turn.calls.length > 0 ? "tool_use" : "end_turn", usage };
}

function shapeOf({ role, id, tool_calls, tool_call_id }: Message): ModelMessageShape {
  return {
    role,
    id,
    ...(tool_calls !== undefined && tool_calls.length > 0 && { calls: tool_calls.map((call) => call.id) }),
    ...(tool_call_id !== undefined && { answers: tool_call_id }),
  };
}
