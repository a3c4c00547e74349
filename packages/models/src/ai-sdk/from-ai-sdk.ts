import {
  createRedactor,
  type LanguageModel,
  type ModelChunk,
  type ModelRequest,
  type Secret,
  toSecret,
} from "@reprise/contracts";
import type { Speaker } from "../failure/failed-answer.ts";
import { readModelOptions } from "../request/model-options.ts";
import type { FileReading } from "../request/read-file.ts";
import { nameTools, type ToolNames } from "../request/tool-names.ts";
import { aiSdkFailure } from "./ai-sdk-failure.ts";
import { type AiSdkModel, assertVersion, type StreamPart, type UrlPatterns } from "./ai-sdk-model.ts";
import { AnswerReader } from "./answer-reader.ts";
import { writeCallOptions } from "./call-options.ts";
import { writePrompt } from "./write-prompt.ts";

export interface FromAiSdkOptions {
  /** The id by which agents know it; `provider/model` unless it is given. */
  readonly id?: string;
  /** The keys the model was made with, so that they can be taken out of what the provider says. */
  readonly secrets?: readonly (Secret | string)[];
}

/** Makes a model of one of an AI SDK provider package, whichever of the specifications v2, v3 and v4 it follows. */
export function fromAiSdk(model: AiSdkModel, options: FromAiSdkOptions = {}): LanguageModel {
  assertVersion(model);
  const id = options.id ?? `${model.provider}/${model.modelId}`;
  const secrets = (options.secrets ?? []).map(toSecret);
  const speaker: Speaker = { model: id, redact: (text) => createRedactor(secrets)(text) };
  return { id, stream: (request) => streamAnswer(model, request, speaker) };
}

async function* streamAnswer(model: AiSdkModel, request: ModelRequest, speaker: Speaker): AsyncGenerator<ModelChunk> {
  const { signal } = request;
  const names = nameTools(request.tools);
  const options = await writeOptions(model, request, speaker.model, names);
  const reader = (await openStream(model, options, speaker, signal)).getReader();
  const answer = new AnswerReader(speaker.model, model, names);
  const chunks: ModelChunk[] = [];
  let isOver = false;
  try {
    while (!isOver) {
      const { done, value } = await reader.read();
      isOver = done ? answer.breakOff() : takePart(value, answer, chunks);
      for (const chunk of chunks) yield chunk;
      chunks.length = 0;
    }
  } catch (error) {
    answer.salvage(chunks);
    for (const chunk of chunks) yield chunk;
    throw aiSdkFailure(speaker, error, true, signal);
  } finally {
    // Also when the reader stopped early: the provider should stop too.
    await reader.cancel().catch(() => undefined);
  }
}

/** Takes one part in; true when it was the last. An error in a stream is thrown as it stands there. */
function takePart(value: unknown, answer: AnswerReader, chunks: ModelChunk[]): boolean {
  // What a version has no part for is not in its stream; what only some of them have is optional in ours.
  const part = value as StreamPart;
  if (part.type === "error") throw part.error;
  return answer.take(part, chunks);
}

async function openStream(
  model: AiSdkModel,
  options: object,
  speaker: Speaker,
  signal: AbortSignal,
): Promise<ReadableStream<unknown>> {
  try {
    // Written in the words of the model's own version, whose type cannot be named here.
    return (await model.doStream(options as never)).stream;
  } catch (error) {
    throw aiSdkFailure(speaker, error, false, signal);
  }
}

async function writeOptions(model: AiSdkModel, request: ModelRequest, id: string, names: ToolNames): Promise<object> {
  const options = readModelOptions(id, request.options);
  const patterns = await model.supportedUrls;
  const files: FileReading = {
    model: id,
    load: request.load,
    takesUrl: (url, mediaType) => takesUrl(patterns, url, mediaType),
  };
  const prompt = await writePrompt(request, { model, files, names });
  return writeCallOptions({ model, request, options, prompt, names });
}

/** Media types are named whole, as `image/*`, or as `*`. */
function takesUrl(patterns: UrlPatterns, url: string, mediaType: string): boolean {
  const [kind] = mediaType.split("/", 1);
  const matching = Object.entries(patterns).filter(([type]) =>
    ["*", "*/*", `${kind}/*`, mediaType].includes(type.toLowerCase()),
  );
  return matching.some(([, expressions]) => expressions.some((expression) => expression.test(url)));
}
