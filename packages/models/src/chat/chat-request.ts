import type { ModelRequest, ToolDescriptor } from "@reprise/contracts";
import { type ModelOptions, refuse } from "../request/model-options.ts";
import type { ToolNames } from "../request/tool-names.ts";
import type { ChatMessage } from "./chat-wire.ts";
import { isStrictSchema } from "./strict-schema.ts";

/** What the body of a request is made of. */
export interface ChatRequestParts {
  /** The id of the model, for messages; `name` is what the server calls it. */
  readonly id: string;
  readonly name: string;
  readonly request: ModelRequest;
  readonly options: ModelOptions;
  readonly messages: readonly ChatMessage[];
  readonly names: ToolNames;
}

/** Writes the body of a request. What is not set is left out: servers differ in what they know. */
export function writeBody({ id, name, request, options, messages, names }: ChatRequestParts): object {
  const { tools, output_schema: output } = request;
  const effort = writeEffort(id, options.reasoning_effort);
  return {
    model: name,
    messages,
    stream: true,
    stream_options: { include_usage: true },
    ...(tools.length > 0 && {
      tools: tools.map((tool) => writeTool(tool, names)),
      ...writeToolSettings(options, names),
    }),
    ...pick(options, ["temperature", "top_p", "seed", "presence_penalty", "frequency_penalty"]),
    ...(options.top_k !== undefined && { top_k: options.top_k }),
    ...(options.max_tokens !== undefined && { [maxTokensField(name)]: options.max_tokens }),
    ...(options.stop_sequences !== undefined && { stop: options.stop_sequences }),
    ...(effort !== undefined && { reasoning_effort: effort }),
    ...(options.prompt_cache?.key !== undefined && { prompt_cache_key: options.prompt_cache.key }),
    ...(output !== undefined && {
      response_format: {
        type: "json_schema",
        json_schema: { name: output.name ?? "output", schema: output.schema, strict: isStrictSchema(output.schema) },
      },
    }),
    ...options.extra,
  };
}

function writeTool({ id, description, parameters }: ToolDescriptor, names: ToolNames): object {
  return { type: "function", function: { name: names.toWire(id), description, parameters } };
}

function writeToolSettings({ tool_choice, parallel_tool_calls }: ModelOptions, names: ToolNames): object {
  const choice =
    typeof tool_choice === "object"
      ? { type: "function", function: { name: names.toWire(tool_choice.tool) } }
      : tool_choice;
  return {
    ...(choice !== undefined && { tool_choice: choice }),
    ...(parallel_tool_calls !== undefined && { parallel_tool_calls }),
  };
}

function writeEffort(id: string, effort: ModelOptions["reasoning_effort"]): string | undefined {
  if (typeof effort === "object")
    throw refuse(id, "chat completions take a level of reasoning effort, not a number of tokens");
  return effort === "max" ? "xhigh" : effort;
}

/** OpenAI's models that think refuse the old name of the field; most other servers know only that. */
function maxTokensField(name: string): string {
  return /^(o\d|gpt-[5-9])/.test(name) ? "max_completion_tokens" : "max_tokens";
}

function pick<Key extends keyof ModelOptions>(options: ModelOptions, keys: readonly Key[]): Pick<ModelOptions, Key> {
  const given = keys.filter((key) => options[key] !== undefined).map((key) => [key, options[key]] as const);
  // Exactly the given ones of the keys.
  return Object.fromEntries(given) as Pick<ModelOptions, Key>;
}
