import {
  type Amount,
  type ContentPart,
  type Message,
  type ModelPricing,
  type ModelRequest,
  type ModelSpec,
  mediaCostOf,
} from "@reprise/contracts";
import type { AnswerRange } from "./change-budget.ts";

/** The most an answer may have when neither the request nor the model says: then the request is made to say so. */
const OUTPUT_TOKENS = 16_384;
/** What a provider may add around a message or a tool. */
const FRAME_TOKENS = 16;
/** An image or a file has as many as its provider makes of it; no known one makes more of an image. */
const FILE_TOKENS = 10_000;

const encoder = new TextEncoder();

/** The smallest output limit that is requested. Providers refuse smaller ones, and a shorter answer would be useless. */
const LEAST_OUTPUT_TOKENS = 16;

/** The most a request can cost: what is sent, and what may come back. */
export interface WorstCase {
  /** What is sent; for media the whole of it. */
  readonly amount: Amount;
  /** Absent for media, which has no tokens. */
  readonly answer?: AnswerRange;
  /** Both together, with the longest answer. */
  readonly most: Amount;
}

/**
 * An upper bound, not a guess: a tokenizer makes no more tokens of a text than it has bytes. What turns out to be too much is
 * given back when the answer is there.
 */
export function worstCaseOf(request: ModelRequest, spec: ModelSpec | undefined): WorstCase {
  // Media has no tokens: it is paid by the piece, and one is asked for.
  if (spec?.surface === "generative") return { amount: priceOfOne(spec), most: priceOfOne(spec) };
  const outputTokens = outputLimit(request, spec);
  const inputTokens = boundTokens(request);
  const { input, output } = highestPrices(spec?.pricing);
  const microcents = Math.ceil(inputTokens * input * MICROCENTS);
  const each = output * MICROCENTS;
  return {
    amount: { microcents, tokens: inputTokens },
    answer: { least: Math.min(LEAST_OUTPUT_TOKENS, outputTokens), most: outputTokens, microcents: each },
    most: { microcents: microcents + Math.ceil(outputTokens * each), tokens: inputTokens + outputTokens },
  };
}

/** A price is in dollars for a million tokens; this makes it microcents for one. */
const MICROCENTS = 100;

function priceOfOne({ pricing }: ModelSpec): Amount {
  return { microcents: mediaCostOf(1, pricing).microcents, tokens: 0 };
}

function outputLimit({ options }: ModelRequest, spec: ModelSpec | undefined): number {
  const asked = options.max_tokens;
  return typeof asked === "number" ? asked : (spec?.max_output_tokens ?? OUTPUT_TOKENS);
}

function boundTokens({ system, messages, tools, output_schema }: ModelRequest): number {
  const described = tools.map((tool) => sizeOf(JSON.stringify(tool)) + FRAME_TOKENS);
  const shape = output_schema === undefined ? 0 : sizeOf(JSON.stringify(output_schema));
  return sizeOf(system) + shape + sum(described) + sum(messages.map(boundMessage));
}

function boundMessage({ content, tool_calls = [] }: Message): number {
  const parts: readonly ContentPart[] = typeof content === "string" ? [{ type: "text", text: content }] : content;
  const said = parts.map((part) => {
    if (part.type === "text") return sizeOf(part.text);
    return part.type === "reasoning" ? sizeOf(part.text) + sizeOf(part.encrypted ?? "") : FILE_TOKENS;
  });
  const called = tool_calls.map((call) => sizeOf(JSON.stringify(call)) + FRAME_TOKENS);
  return FRAME_TOKENS + sum(said) + sum(called);
}

/** Writing to a cache may cost more than reading the prompt. */
function highestPrices(pricing: ModelPricing | undefined): { readonly input: number; readonly output: number } {
  const {
    input_per_million: input = 0,
    output_per_million: output = 0,
    cache_write_per_million: write = 0,
  } = pricing ?? {};
  return { input: Math.max(input, write, pricing?.cache_read_per_million ?? 0), output };
}

function sizeOf(text: string): number {
  return encoder.encode(text).length;
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}
