import { ModelError, type ModelRequest } from "@reprise/contracts";

type Options = ModelRequest["options"];
type Value = Options[string];

export type ReasoningLevel = "none" | "low" | "medium" | "high" | "max";

/** How long a provider with explicit caching keeps the beginning of a request. */
export interface PromptCache {
  /** How long, where the provider lets one choose. */
  readonly ttl?: "5m" | "1h";
  /** Requests with the same key are sent to where their beginning is kept. */
  readonly key?: string;
}

/** The settings of a request, for all providers. */
export interface ModelOptions {
  readonly temperature?: number;
  readonly top_p?: number;
  readonly top_k?: number;
  readonly max_tokens?: number;
  readonly stop_sequences?: readonly string[];
  readonly seed?: number;
  readonly presence_penalty?: number;
  readonly frequency_penalty?: number;
  readonly reasoning_effort?: ReasoningLevel | { readonly budget: number };
  /** `auto`, `none`, `required`, or the one tool the model has to call. */
  readonly tool_choice?: "auto" | "none" | "required" | { readonly tool: string };
  readonly parallel_tool_calls?: boolean;
  readonly prompt_cache?: PromptCache;
  /** For one provider alone, by its name, as its AI SDK package takes them. */
  readonly provider_options?: { readonly [provider: string]: { readonly [key: string]: Value } };
  /** Fields of the body as they are, for servers that speak chat completions. */
  readonly extra?: { readonly [key: string]: Value };
}

type Check = (value: Value) => unknown;

const number: Check = (value) => (typeof value === "number" && Number.isFinite(value) ? value : undefined);
const text: Check = (value) => (typeof value === "string" && value !== "" ? value : undefined);
const object: Check = (value) => (isObject(value) ? value : undefined);

const CHECKS: Readonly<Record<keyof ModelOptions, readonly [check: Check, expected: string]>> = {
  temperature: [number, "a number"],
  top_p: [number, "a number"],
  top_k: [number, "a number"],
  max_tokens: [(value) => (Number.isInteger(value) && Number(value) > 0 ? value : undefined), "a whole number above 0"],
  stop_sequences: [readTexts, "a list of texts"],
  seed: [number, "a number"],
  presence_penalty: [number, "a number"],
  frequency_penalty: [number, "a number"],
  reasoning_effort: [readEffort, '"none", "low", "medium", "high", "max" or {"budget": tokens}'],
  tool_choice: [readChoice, '"auto", "none", "required" or {"tool": name}'],
  parallel_tool_calls: [(value) => (typeof value === "boolean" ? value : undefined), "true or false"],
  prompt_cache: [readCache, 'true, false or {"ttl": "5m" | "1h", "key": text}'],
  provider_options: [
    (value) => (isObject(value) && Object.values(value).every(isObject) ? value : undefined),
    "an object of objects",
  ],
  extra: [object, "an object"],
};

/** Reads the settings of a request. One that is misspelt or wrong is refused before the provider is asked. */
export function readModelOptions(model: string, options: Options): ModelOptions {
  const read: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(options)) {
    if (value === null || (name === "prompt_cache" && value === false)) continue;
    if (!isOption(name))
      throw refuse(
        model,
        `the option ${JSON.stringify(name)} is not known. What only this server knows goes into "extra"`,
      );
    const [check, expected] = CHECKS[name];
    const checked = check(value);
    if (checked === undefined) throw refuse(model, `the option ${JSON.stringify(name)} must be ${expected}`);
    read[name] = checked;
  }
  // Each field was checked by its row of the table.
  return read as ModelOptions;
}

export function refuse(model: string, problem: string): ModelError {
  return new ModelError("invalid_request", `Model ${model} was not asked: ${problem}.`);
}

function isOption(name: string): name is keyof ModelOptions {
  return Object.hasOwn(CHECKS, name);
}

function isObject(value: Value | undefined): value is { readonly [key: string]: Value } {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function readTexts(value: Value): unknown {
  const list = typeof value === "string" ? [value] : value;
  return Array.isArray(list) && list.every((item) => typeof item === "string") ? list : undefined;
}

function readEffort(value: Value): unknown {
  if (isObject(value)) return number(value.budget ?? null) === undefined ? undefined : value;
  return typeof value === "string" && ["none", "low", "medium", "high", "max"].includes(value) ? value : undefined;
}

function readChoice(value: Value): unknown {
  if (isObject(value)) return text(value.tool ?? null) === undefined ? undefined : value;
  return typeof value === "string" && ["auto", "none", "required"].includes(value) ? value : undefined;
}

function readCache(value: Value): unknown {
  if (value === true) return {};
  if (!isObject(value)) return undefined;
  const { ttl, key, ...others } = value;
  const isKnown = Object.keys(others).length === 0 && (key === undefined || text(key) !== undefined);
  return isKnown && (ttl === undefined || ttl === "5m" || ttl === "1h") ? value : undefined;
}
