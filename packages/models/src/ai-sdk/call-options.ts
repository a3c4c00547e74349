import type { ModelRequest, ToolDescriptor } from "@reprise/contracts";
import type { ModelOptions } from "../request/model-options.ts";
import type { ToolNames } from "../request/tool-names.ts";
import type { AiSdkModel } from "./ai-sdk-model.ts";
import { type CacheMarks, findCacheMarks } from "./cache-markers.ts";
import { writeProviderOptions } from "./provider-settings.ts";
import type { PromptMessage, WrittenPrompt } from "./write-prompt.ts";

/** What the options of a call are made of. */
export interface CallParts {
  readonly model: AiSdkModel;
  readonly request: ModelRequest;
  readonly options: ModelOptions;
  readonly prompt: WrittenPrompt;
  readonly names: ToolNames;
}

/** Writes the options of a call, in the words of the model's version. What is not set is left out. */
export function writeCallOptions({ model, request, options, prompt, names }: CallParts): object {
  const { tools, output_schema: output, signal } = request;
  const providerOptions = writeProviderOptions(model, options);
  const effort = options.reasoning_effort;
  const marks = findCacheMarks(model, request, prompt, options.prompt_cache);
  return {
    prompt: markMessages(prompt.messages, marks),
    ...(tools.length > 0 && {
      tools: tools.map((tool, index) => ({
        ...writeTool(tool, names),
        ...(marks?.isLastToolMarked && index === tools.length - 1 && { providerOptions: marks.mark }),
      })),
      toolChoice: writeChoice(options, names),
    }),
    ...given("maxOutputTokens", options.max_tokens),
    ...given("temperature", options.temperature),
    ...given("topP", options.top_p),
    ...given("topK", options.top_k),
    ...given("stopSequences", options.stop_sequences),
    ...given("seed", options.seed),
    ...given("presencePenalty", options.presence_penalty),
    ...given("frequencyPenalty", options.frequency_penalty),
    ...(output !== undefined && {
      responseFormat: { type: "json", schema: output.schema, name: output.name ?? "output" },
    }),
    ...(model.specificationVersion === "v4" && typeof effort === "string" && { reasoning: effort }),
    ...(Object.keys(providerOptions).length > 0 && { providerOptions }),
    abortSignal: signal,
  };
}

function markMessages(prompt: readonly PromptMessage[], marks: CacheMarks | undefined): readonly PromptMessage[] {
  if (marks === undefined) return prompt;
  const { messages, mark } = marks;
  return prompt.map((message, index) => (messages.has(index) ? { ...message, providerOptions: mark } : message));
}

function writeTool({ id, description, parameters }: ToolDescriptor, names: ToolNames): object {
  return { type: "function", name: names.toWire(id), description, inputSchema: parameters };
}

function writeChoice({ tool_choice = "auto" }: ModelOptions, names: ToolNames): object {
  return typeof tool_choice === "string"
    ? { type: tool_choice }
    : { type: "tool", toolName: names.toWire(tool_choice.tool) };
}

function given(name: string, value: unknown): object {
  return value === undefined ? {} : { [name]: value };
}
