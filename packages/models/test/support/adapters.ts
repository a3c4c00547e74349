import { createAmazonBedrock } from "@ai-sdk/amazon-bedrock";
import { createAnthropic } from "@ai-sdk/anthropic";
import { createDeepSeek } from "@ai-sdk/deepseek";
import { createGoogle } from "@ai-sdk/google";
import { createOpenAI } from "@ai-sdk/openai";
import type { LanguageModel } from "@reprise/contracts";
import { environmentProviders, fromAiSdk, openaiCompatible } from "@reprise/models";
import { createOpenAI as createOpenAI2 } from "ai-sdk-openai-v2";
import { createOpenAI as createOpenAI3 } from "ai-sdk-openai-v3";

/** Planted where keys belong. It must never be seen anywhere else. */
export const CANARY = "sk-canary-Zq81kd73hf9qPd02";

export type WireProtocol = "chat" | "responses" | "anthropic" | "google" | "bedrock";

/** A way to speak to a model, over real HTTP. */
export interface Adapter {
  readonly name: string;
  readonly protocol: WireProtocol;
  /** Whether answers are judged by our own code before a package sees them. */
  readonly isGuarded: boolean;
  open(url: string): LanguageModel;
}

const apiKey = CANARY;

const OWN: Adapter = {
  name: "openaiCompatible",
  protocol: "chat",
  isGuarded: true,
  open: (url) => openaiCompatible({ id: "local", baseUrl: `${url}/v1`, apiKey }).model("test"),
};

type Made = Parameters<typeof fromAiSdk>[0];

const PACKAGES: readonly (readonly [name: string, protocol: WireProtocol, make: (url: string) => Made])[] = [
  ["openai v2, chat", "chat", (url) => createOpenAI2({ apiKey, baseURL: `${url}/v1` }).chat("test")],
  ["openai v3, chat", "chat", (url) => createOpenAI3({ apiKey, baseURL: `${url}/v1` }).chat("test")],
  ["openai v4, chat", "chat", (url) => createOpenAI({ apiKey, baseURL: `${url}/v1` }).chat("test")],
  ["openai v2, responses", "responses", (url) => createOpenAI2({ apiKey, baseURL: `${url}/v1` }).responses("gpt-5")],
  ["openai v3, responses", "responses", (url) => createOpenAI3({ apiKey, baseURL: `${url}/v1` }).responses("gpt-5")],
  ["openai v4, responses", "responses", (url) => createOpenAI({ apiKey, baseURL: `${url}/v1` }).responses("gpt-5")],
  ["anthropic v4", "anthropic", (url) => createAnthropic({ apiKey, baseURL: `${url}/v1` })("claude-sonnet-4-5")],
  ["google v4", "google", (url) => createGoogle({ apiKey, baseURL: `${url}/v1beta` })("gemini-2.5-flash")],
  ["deepseek v4", "chat", (url) => createDeepSeek({ apiKey, baseURL: url })("deepseek-flash")],
  ["bedrock v4", "bedrock", (url) => createAmazonBedrock({ apiKey, region: "us-east-1", baseURL: url })("test")],
];

/** By the variables people set, as an agent names them. */
const BY_ENVIRONMENT: readonly (readonly [
  id: string,
  protocol: WireProtocol,
  variables: (url: string) => Record<string, string>,
])[] = [
  ["openai/test", "chat", (url) => ({ OPENAI_BASE_URL: `${url}/v1`, OPENAI_API_KEY: CANARY })],
  [
    "anthropic/claude-sonnet-4-5",
    "anthropic",
    (url) => ({ ANTHROPIC_BASE_URL: `${url}/v1`, ANTHROPIC_API_KEY: CANARY }),
  ],
  [
    "google/gemini-2.5-flash",
    "google",
    (url) => ({ GOOGLE_GENERATIVE_AI_BASE_URL: `${url}/v1beta`, GOOGLE_GENERATIVE_AI_API_KEY: CANARY }),
  ],
  ["deepseek/deepseek-flash", "chat", (url) => ({ DEEPSEEK_BASE_URL: url, DEEPSEEK_API_KEY: CANARY })],
  [
    "bedrock/test",
    "bedrock",
    (url) => ({
      AWS_REGION: "us-east-1",
      AWS_ACCESS_KEY_ID: "AKIAIOSFODNN7EXAMPLE",
      AWS_SECRET_ACCESS_KEY: CANARY,
      AWS_ENDPOINT_URL_BEDROCK_RUNTIME: url,
    }),
  ],
  ["ollama/llama", "chat", (url) => ({ OLLAMA_BASE_URL: `${url}/v1` })],
  ["vllm/llama", "chat", (url) => ({ VLLM_BASE_URL: `${url}/v1`, VLLM_API_KEY: CANARY })],
  ["tensorzero/agent_chat", "chat", (url) => ({ TENSORZERO_URL: url, TENSORZERO_API_KEY: CANARY })],
];

/** A model by its id, as the environment says. */
export function fromEnvironment(id: string, variables: Readonly<Record<string, string | undefined>>): LanguageModel {
  const [provider = "", ...rest] = id.split("/");
  const found = environmentProviders(variables).find((each) => each.id === provider);
  if (found === undefined) throw new Error(`There is no provider ${provider}.`);
  return found.model(rest.join("/"));
}

export const ADAPTERS: readonly Adapter[] = [
  OWN,
  ...PACKAGES.map(
    ([name, protocol, make]): Adapter => ({ name, protocol, isGuarded: false, open: (url) => fromAiSdk(make(url)) }),
  ),
  ...BY_ENVIRONMENT.map(
    ([id, protocol, variables]): Adapter => ({
      name: `${id} by the environment`,
      protocol,
      isGuarded: true,
      open: (url) => fromEnvironment(id, variables(url)),
    }),
  ),
];
