import {
  type EventData,
  type FilePart,
  type Message,
  type ModelRequest,
  type OutputSchema,
  redactCredentials,
  type ToolDescriptor,
} from "@reprise/contracts";
import type { Json } from "@reprise/state";
import { boundText, type TextLimits } from "./bound-text.ts";
import type { DispatchedCall } from "./dispatch-tool.ts";
import { type ChainFailure, type ModelChain, withoutReasoning } from "./model-chain.ts";
import type { CompleteCall, Turn, TurnChunk } from "./turn.ts";

type LoopEventType = "node_delta" | "node_reasoning_delta" | "node_tool_call" | "node_tool_result" | "node_cost";

/** What a loop shows: the body of a canonical event, without the id of a run, a session or a node. */
export type ToolLoopEvent = {
  [Type in LoopEventType]: { readonly type: Type; readonly data: Omit<EventData[Type], "node_id"> };
}[LoopEventType];

/** A call that the model asked for and that can be dispatched. */
export interface LoopCall {
  /** The same for the same call at the same place of the conversation. */
  readonly id: string;
  readonly tool_id: string;
  readonly arguments: Json;
}

export interface ToolLoopLimits {
  /** Rounds of tool calls. The model is asked one time more at most. */
  readonly maxToolTurns: number;
  /** Calls that may be wrong (an unknown tool, bad arguments) over all rounds. */
  readonly maxToolCorrections: number;
  /** What the model reads of one result. */
  readonly toolResult: TextLimits;
}

export const DEFAULT_TOOL_LOOP_LIMITS: ToolLoopLimits = {
  maxToolTurns: 16,
  maxToolCorrections: 3,
  toolResult: { bytes: 50 * 1024, lines: 2_000 },
};

export interface ToolLoopOptions {
  /** The beginning of the ids of messages and calls. */
  readonly key: string;
  readonly chain: ModelChain;
  readonly system: string;
  readonly messages: readonly Message[];
  readonly tools: readonly ToolDescriptor[];
  readonly options: ModelRequest["options"];
  readonly outputSchema?: OutputSchema;
  readonly load?: ModelRequest["load"];
  readonly hash: (text: string) => string;
  readonly emit: (event: ToolLoopEvent) => void;
  /** Runs one call of a known tool. Calls of read-only tools that stand side by side overlap. */
  readonly dispatch: (call: LoopCall) => Promise<DispatchedCall>;
  /** Keeps a result that is too long for the model; answers where it is. */
  readonly spill?: (text: string) => Promise<string | undefined>;
  readonly signal: AbortSignal;
  readonly limits?: Partial<ToolLoopLimits>;
}

/** Why a loop ended without an answer. */
export type ToolLoopFailure =
  | ChainFailure
  | { readonly kind: "cancelled" }
  | { readonly kind: "tool_denied"; readonly message: string }
  | { readonly kind: "tool_failed"; readonly message: string }
  | { readonly kind: "tool_incapable"; readonly message: string }
  | { readonly kind: "turn_limit"; readonly message: string };

export interface ToolLoopAnswer {
  readonly text: string;
  readonly files: readonly FilePart[];
  readonly stopReason: Turn["stop_reason"];
}

export interface ToolLoopResult {
  readonly outcome: { readonly kind: "answered"; readonly answer: ToolLoopAnswer } | ToolLoopFailure;
  /** The conversation with every whole round: each call in it has its result. */
  readonly messages: readonly Message[];
  readonly tokens: { readonly input: number; readonly output: number };
  /** The model that answered, or was asked last. */
  readonly model: string;
}

/** The longest beginning of a result that its event shows. */
const SUMMARY_CHARACTERS = 500;

/**
 * Runs a model with tools until it answers: asks it, executes the calls it wants, gives it the results and asks again. Knows no run, no thread and no
 * store: events are bodies, calls go through `dispatch`, everything else is in the answer. Cancelling wins over every other end.
 */
export async function runToolLoop(options: ToolLoopOptions): Promise<ToolLoopResult> {
  const loop = new ToolLoop(options);
  const outcome = await loop.run();
  const { messages, tokens } = loop;
  return {
    outcome: options.signal.aborted ? { kind: "cancelled" } : outcome,
    messages,
    tokens,
    model: options.chain.active.model,
  };
}

type Ending = ToolLoopResult["outcome"];

/** A call with what became of it. */
interface SettledCall {
  readonly call: LoopCall & { readonly provider_call_id: string };
  readonly dispatched: DispatchedCall;
}

class ToolLoop {
  readonly #options: ToolLoopOptions;
  readonly #limits: ToolLoopLimits;
  readonly #tools: ReadonlyMap<string, ToolDescriptor>;
  messages: readonly Message[];
  readonly tokens: { input: number; output: number } = { input: 0, output: 0 };
  #cost = 0;
  #corrections = 0;
  #provider: string | undefined;

  constructor(options: ToolLoopOptions) {
    this.#options = options;
    this.#limits = { ...DEFAULT_TOOL_LOOP_LIMITS, ...options.limits };
    this.#tools = new Map(options.tools.map((tool) => [tool.id, tool]));
    this.messages = options.messages;
    // A chain that has answered before knows to whom the conversation belongs.
    this.#provider = options.chain.attempts === 0 ? undefined : options.chain.active.provider;
  }

  async run(): Promise<Ending> {
    for (let round = 1; ; round += 1) {
      if (this.#options.signal.aborted) return { kind: "cancelled" };
      const answered = await this.#ask();
      if (answered.kind !== "answer") return answered;
      const { turn } = answered;
      if (turn.calls.length === 0) return this.#answer(round, turn);
      if (round > this.#limits.maxToolTurns) return turnLimit(this.#limits.maxToolTurns);
      const ending = await this.#round(round, turn);
      if (ending !== undefined) return ending;
    }
  }

  async #ask(): ReturnType<ModelChain["take"]> {
    const { chain, system, tools, options, outputSchema, load, signal } = this.#options;
    const request: ModelRequest = {
      system,
      messages: this.messages,
      tools,
      options,
      ...(outputSchema !== undefined && { output_schema: outputSchema }),
      ...(load !== undefined && { load }),
      signal,
    };
    const answered = await chain.take(request, (chunk) => this.#show(chunk));
    this.#count();
    const { provider } = chain.active;
    // From here on the conversation belongs to another provider: what the first one thought is never sent again, not even to itself.
    if (this.#provider !== undefined && this.#provider !== provider) this.messages = withoutReasoning(this.messages);
    this.#provider = provider;
    return answered;
  }

  #show(chunk: TurnChunk): void {
    const { emit, chain } = this.#options;
    const { model } = chain.active;
    if (chunk.type === "text_delta") emit({ type: "node_delta", data: { delta: chunk.delta, model } });
    if (chunk.type === "reasoning_delta") emit({ type: "node_reasoning_delta", data: { delta: chunk.delta, model } });
  }

  #count(): void {
    for (const { number, model, usage = {}, cost } of this.#options.chain.drainAttempts()) {
      const input_tokens = usage.prompt_tokens ?? 0;
      const output_tokens = usage.completion_tokens ?? 0;
      this.tokens.input += input_tokens;
      this.tokens.output += output_tokens;
      const { microcents: cost_microcents, priced } = cost ?? { microcents: 0, priced: false };
      this.#cost += cost_microcents;
      const counted = { input_tokens, output_tokens, cost_microcents, cumulative_cost_microcents: this.#cost };
      this.#options.emit({ type: "node_cost", data: { model, ...counted, attempt: number, priced } });
    }
  }

  #answer(round: number, turn: Turn): Ending {
    const { text, files = [], stop_reason: stopReason } = turn;
    this.messages = [...this.messages, this.#assistantMessage(round, turn, [])];
    return { kind: "answered", answer: { text, files, stopReason } };
  }

  /** The turn joins the conversation together with all its results, or not at all. */
  async #round(round: number, turn: Turn): Promise<Ending | undefined> {
    const asked = turn.calls.map((call) => ({ parsed: call.arguments, call: this.#callOf(round, call) }));
    const settled: SettledCall[] = [];
    while (settled.length < asked.length) {
      const batch = this.#nextBatch(asked.slice(settled.length));
      const done = await Promise.all(batch.map((one) => this.#dispatch(one)));
      settled.push(...done);
      const ending = this.#judge(done);
      if (ending !== undefined) return ending;
    }
    const results: Message[] = [];
    for (const { call, dispatched } of settled) results.push(await this.#resultMessage(call, dispatched));
    const calls = settled.map(({ call }) => call);
    this.messages = [...this.messages, this.#assistantMessage(round, turn, calls), ...results];
    return undefined;
  }

  #callOf(round: number, { index, name, arguments: { value }, provider_id }: CompleteCall): SettledCall["call"] {
    const { key, hash } = this.#options;
    // A conversation that is held again may ask something else at this place: that is another call.
    const digest = hash(JSON.stringify([name, value])).slice(0, 12);
    return {
      id: `${key}-t${round}-c${index}-${digest}`,
      tool_id: name,
      arguments: value,
      provider_call_id: provider_id,
    };
  }

  /** Calls of read-only tools that follow each other, or one of another kind. */
  #nextBatch<Asked extends { readonly call: LoopCall }>(asked: readonly Asked[]): readonly Asked[] {
    const isOther = ({ call }: Asked): boolean => this.#tools.get(call.tool_id)?.class !== "read_only";
    const end = asked.findIndex(isOther);
    if (end === -1) return asked;
    return asked.slice(0, Math.max(end, 1));
  }

  async #dispatch({
    parsed,
    call,
  }: {
    readonly parsed: CompleteCall["arguments"];
    readonly call: SettledCall["call"];
  }): Promise<SettledCall> {
    const { emit, chain, dispatch, signal } = this.#options;
    const { id, tool_id } = call;
    const attempt = chain.attempts;
    const { model } = chain.active;
    emit({ type: "node_tool_call", data: { id, tool_id, model, arguments: call.arguments, attempt } });
    const problem = this.#problemOf(tool_id, parsed);
    const dispatched: DispatchedCall =
      problem === undefined
        ? signal.aborted
          ? { outcome: "cancelled" }
          : await dispatch(call)
        : { outcome: "correctable", problem };
    const success = dispatched.outcome === "result" && dispatched.success;
    const output_summary = redactCredentials(textOf(dispatched).slice(0, SUMMARY_CHARACTERS).toWellFormed());
    emit({ type: "node_tool_result", data: { id, tool_id, success, output_summary, attempt } });
    return { call, dispatched };
  }

  #problemOf(tool: string, parsed: CompleteCall["arguments"]): string | undefined {
    if (!this.#tools.has(tool)) {
      return `There is no tool ${JSON.stringify(tool)}. Known: ${[...this.#tools.keys()].join(", ") || "none"}.`;
    }
    return parsed.ok ? undefined : `Cannot call ${tool}: ${parsed.problem}.`;
  }

  /** Whether a call of a batch ends the turn: cancelling first, then the first in the order of the model. */
  #judge(done: readonly SettledCall[]): Ending | undefined {
    if (this.#options.signal.aborted || done.some(({ dispatched }) => dispatched.outcome === "cancelled")) {
      return { kind: "cancelled" };
    }
    for (const { call, dispatched } of done) {
      const ending = this.#endingOf(call.tool_id, dispatched);
      if (ending !== undefined) return ending;
    }
    return undefined;
  }

  #endingOf(tool: string, dispatched: DispatchedCall): Ending | undefined {
    switch (dispatched.outcome) {
      case "result":
      case "cancelled":
        return undefined;
      case "correctable":
        this.#corrections += 1;
        if (this.#corrections <= this.#limits.maxToolCorrections) return undefined;
        return {
          kind: "tool_failed",
          message: `The model made more than ${this.#limits.maxToolCorrections} wrong tool calls, the last one of ${tool}.`,
        };
      case "denied":
        return { kind: "tool_denied", message: dispatched.message };
      case "failed":
        return { kind: "tool_failed", message: dispatched.message };
      case "incapable":
        return { kind: "tool_incapable", message: dispatched.message };
      default:
        return dispatched satisfies never;
    }
  }

  async #resultMessage({ id, tool_id }: LoopCall, dispatched: DispatchedCall): Promise<Message> {
    const { spill } = this.#options;
    const { toolResult } = this.#limits;
    const whole = textOf(dispatched);
    const { text, isCut } = boundText(whole, toolResult);
    const ref = isCut ? await spill?.(whole) : undefined;
    const content = ref === undefined ? text : boundText(whole, toolResult, ref).text;
    const isError = dispatched.outcome !== "result" || !dispatched.success;
    return {
      id: `${id}-r`,
      role: "tool",
      tool_call_id: id,
      content,
      metadata: { tool_name: tool_id, status: isError ? "error" : "success" },
    };
  }

  #assistantMessage(round: number, turn: Turn, calls: readonly SettledCall["call"][]): Message {
    const { text, reasoning, encrypted, files = [] } = turn;
    const hasReasoning = reasoning !== "" || encrypted !== undefined;
    const { provider } = this.#options.chain.active;
    const thought = {
      type: "reasoning",
      text: reasoning,
      ...(encrypted !== undefined && { encrypted }),
      provider,
    } as const;
    const parts = [...(hasReasoning ? [thought] : []), { type: "text", text } as const, ...files];
    return {
      id: `${this.#options.key}-t${round}-m`,
      role: "assistant",
      content: parts.length > 1 ? parts : text,
      ...(calls.length > 0 && {
        tool_calls: calls.map(({ id, tool_id: name, arguments: given, provider_call_id }) => ({
          id,
          name,
          arguments: given,
          provider_call_id,
        })),
      }),
    };
  }
}

/** A result as the model reads it. */
function textOf(dispatched: DispatchedCall): string {
  switch (dispatched.outcome) {
    case "result":
      return typeof dispatched.data === "string" ? dispatched.data : JSON.stringify(dispatched.data);
    case "correctable":
      return dispatched.problem;
    case "cancelled":
      return "The call was cancelled.";
    case "denied":
    case "failed":
    case "incapable":
      return dispatched.message;
    default:
      return dispatched satisfies never;
  }
}

function turnLimit(turns: number): Ending {
  return { kind: "turn_limit", message: `The model asked for tools in more than ${turns} rounds.` };
}
