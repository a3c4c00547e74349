import { createOpenAI } from "@ai-sdk/openai";
import type { LanguageModel, ModelRequest } from "../../packages/contracts/src/index.ts";
import { fromAiSdk, openaiCompatible } from "../../packages/models/src/index.ts";

/** A way to read an answer. Returns its text. */
export interface Reader {
  readonly name: string;
  /** What it is compared with; absent for what others are compared with. */
  readonly against?: string;
  readonly isTarget: boolean;
  read(baseUrl: string): Promise<string>;
}

const REQUEST: Omit<ModelRequest, "signal"> = {
  system: "",
  messages: [{ id: "m", role: "user", content: "Count." }],
  tools: [],
  options: {},
};

export const READERS: readonly Reader[] = [
  { name: "fetch and JSON.parse", isTarget: false, read: readByHand },
  {
    name: "openaiCompatible",
    against: "fetch and JSON.parse",
    isTarget: true,
    read: (url) => readModel(modelAt(url, openCompatible)),
  },
  { name: "AI SDK's openai alone", against: "fetch and JSON.parse", isTarget: false, read: readAiSdk },
  {
    name: "fromAiSdk of it",
    against: "AI SDK's openai alone",
    isTarget: false,
    read: (url) => readModel(modelAt(url, openAiSdk)),
  },
];

/** The least anybody has to do: lines, JSON, the text. */
async function readByHand(baseUrl: string): Promise<string> {
  const response = await fetch(`${baseUrl}/chat/completions`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ model: "bench", messages: [{ role: "user", content: "Count." }], stream: true }),
  });
  const decoder = new TextDecoder();
  let rest = "";
  let text = "";
  // A body is an async iterable in Node; the DOM's types do not say so.
  for await (const bytes of response.body as unknown as AsyncIterable<Uint8Array>) {
    const lines = (rest + decoder.decode(bytes, { stream: true })).split("\n");
    rest = lines.pop() ?? "";
    for (const line of lines) {
      if (!line.startsWith("data: ") || line === "data: [DONE]") continue;
      text += JSON.parse(line.slice(6)).choices[0]?.delta.content ?? "";
    }
  }
  return text;
}

async function readAiSdk(baseUrl: string): Promise<string> {
  const prompt = [{ role: "user" as const, content: [{ type: "text" as const, text: "Count." }] }];
  const { stream } = await createOpenAI({ apiKey: "none", baseURL: baseUrl }).chat("bench").doStream({ prompt });
  const reader = stream.getReader();
  let text = "";
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return text;
    if (value.type === "text-delta") text += value.delta;
  }
}

async function readModel(model: LanguageModel): Promise<string> {
  let text = "";
  for await (const chunk of model.stream({ ...REQUEST, signal: new AbortController().signal })) {
    if (chunk.type === "text_delta") text += chunk.delta;
  }
  return text;
}

const models = new Map<string, LanguageModel>();

/** A model is made once, as an agent does. */
function modelAt(url: string, open: (url: string) => LanguageModel): LanguageModel {
  const key = `${open.name} ${url}`;
  const known = models.get(key) ?? open(url);
  models.set(key, known);
  return known;
}

function openCompatible(baseUrl: string): LanguageModel {
  return openaiCompatible({ id: "bench", baseUrl }).model("bench");
}

function openAiSdk(baseURL: string): LanguageModel {
  return fromAiSdk(createOpenAI({ apiKey: "none", baseURL }).chat("bench"));
}
