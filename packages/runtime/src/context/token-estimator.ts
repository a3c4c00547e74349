import {
  type CountTokens,
  describeThrown,
  type Log,
  type Message,
  type ModelRequest,
  type TokenCounter,
  type ToolDescriptor,
} from "@reprise/contracts";
import { estimateByRule } from "./token-rule.ts";

/** What a provider writes around a message, a call and a tool. */
const MESSAGE_TOKENS = 4;
const CALL_TOKENS = 20;
const TOOL_TOKENS = 20;
/** An image or a file: what the usual providers make of a large image. What is in it is not looked at. */
const FILE_TOKENS = 1_600;
/** Sealed thoughts are no text; this many characters of them stand for a token. */
const SEALED_CHARACTERS = 4;

/**
 * Says how many tokens a request is. Messages and tools never change, so each is counted once, however often it is sent: one more turn
 * costs what the turn brings.
 */
export class TokenEstimator {
  readonly #counter: TokenCounter | undefined;
  readonly #log: Log;
  #count: CountTokens = estimateByRule;
  #loading: Promise<void> | undefined;
  #known = new WeakMap<object, number>();
  /** Agents have few system texts, and they come back with every request. */
  readonly #texts = new Map<string, number>();

  constructor(counter: TokenCounter | undefined, log: Log) {
    this.#counter = counter;
    this.#log = log;
  }

  /** Loads the tokenizer, once, when there is one. Without it, or when it cannot be had, the rule counts. */
  prepare(): Promise<void> {
    this.#loading ??= this.#load();
    return this.#loading;
  }

  /** Who counts. */
  get method(): "tokenizer" | "rule" {
    return this.#count === estimateByRule || this.#count.isEstimate === true ? "rule" : "tokenizer";
  }

  /** Everything of a request but its messages. */
  estimateFrame({ system, tools, output_schema }: Pick<ModelRequest, "system" | "tools" | "output_schema">): number {
    const schema = output_schema?.schema;
    const shape = schema === undefined ? 0 : this.#once(schema, () => this.#size(schema));
    const described = tools.reduce((sum, tool) => sum + this.#once(tool, () => this.#sizeOfTool(tool)), 0);
    return this.#countText(system) + shape + described;
  }

  estimateMessage(message: Message): number {
    return this.#once(message, () => this.#sizeOfMessage(message));
  }

  async #load(): Promise<void> {
    if (this.#counter === undefined) return;
    try {
      const count = await this.#counter.load();
      this.#count = (text) => this.#countOrGuess(count, text);
      this.#known = new WeakMap();
      this.#texts.clear();
    } catch (error) {
      this.#log("warn", "the tokenizer cannot be loaded; a rule counts tokens", { problem: describeThrown(error) });
    }
  }

  #countOrGuess(count: CountTokens, text: string): number {
    try {
      return count(text);
    } catch (error) {
      this.#log("warn", "the tokenizer failed; a rule counted instead", { problem: describeThrown(error) });
      return estimateByRule(text);
    }
  }

  #once(value: object, measure: () => number): number {
    const known = this.#known.get(value);
    if (known !== undefined) return known;
    const tokens = measure();
    this.#known.set(value, tokens);
    return tokens;
  }

  #countText(text: string): number {
    const known = this.#texts.get(text);
    if (known !== undefined) return known;
    if (this.#texts.size >= MOST_TEXTS) this.#texts.clear();
    const tokens = this.#count(text);
    this.#texts.set(text, tokens);
    return tokens;
  }

  #sizeOfTool({ id, description, parameters }: ToolDescriptor): number {
    return TOOL_TOKENS + this.#count(id) + this.#count(description) + this.#size(parameters);
  }

  #sizeOfMessage({ content, tool_calls = [] }: Message): number {
    let tokens = MESSAGE_TOKENS;
    for (const { name, arguments: given } of tool_calls) tokens += CALL_TOKENS + this.#count(name) + this.#size(given);
    if (typeof content === "string") return tokens + this.#count(content);
    for (const part of content) {
      if (part.type === "text") tokens += this.#count(part.text);
      else if (part.type !== "reasoning") tokens += FILE_TOKENS;
      else tokens += this.#count(part.text) + Math.ceil((part.encrypted?.length ?? 0) / SEALED_CHARACTERS);
    }
    return tokens;
  }

  #size(value: unknown): number {
    return this.#count(JSON.stringify(value));
  }
}

const MOST_TEXTS = 100;
