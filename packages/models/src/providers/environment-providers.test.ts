import { RepriseError } from "@reprise/contracts";
import { expect, it } from "vitest";
import { scriptedModel } from "../scripted/scripted-model.ts";
import { environmentProviders, withEnvironment } from "./environment-providers.ts";
import { createPackagedProvider } from "./packaged-provider.ts";
import { readKey } from "./variables.ts";

function failureOf(id: string, variables: Record<string, string>): RepriseError {
  const [provider, name = ""] = id.split("/");
  const found = environmentProviders(variables).find((each) => each.id === provider);
  try {
    found?.model(name);
  } catch (error) {
    if (RepriseError.is(error)) return error;
  }
  throw new Error(`${id} is ready.`);
}

it.each([
  ["openai/gpt-5", {}, "Model openai/gpt-5 needs a key. Set OPENAI_API_KEY in the environment."],
  ["openai/gpt-5", { OPENAI_API_KEY: "  " }, "Model openai/gpt-5 needs a key. Set OPENAI_API_KEY in the environment."],
  ["anthropic/claude", {}, "Model anthropic/claude needs a key. Set ANTHROPIC_API_KEY in the environment."],
  ["google/gemini", {}, "Model google/gemini needs a key. Set GOOGLE_GENERATIVE_AI_API_KEY in the environment."],
  ["deepseek/flash", {}, "Model deepseek/flash needs a key. Set DEEPSEEK_API_KEY in the environment."],
  ["bedrock/nova", {}, "Model bedrock/nova needs a region. Set AWS_REGION in the environment."],
  [
    "bedrock/nova",
    { AWS_REGION: "us-east-1" },
    "Model bedrock/nova needs a key. Set AWS_ACCESS_KEY_ID in the environment.",
  ],
  ["vllm/llama", {}, "Model vllm/llama needs an address. Set VLLM_BASE_URL in the environment."],
  ["tensorzero/chat", {}, "Model tensorzero/chat needs an address. Set TENSORZERO_URL in the environment."],
])("says what %s lacks with %j", (id, variables, message) => {
  expect(failureOf(id, variables)).toMatchObject({ code: "PROVIDER_NOT_READY", message });
});

it("says the package and the key at once when both are missing", () => {
  const provider = createPackagedProvider({
    id: "elsewhere",
    name: "@ai-sdk/elsewhere",
    factories: ["createElsewhere"],
    credentials: (model) => ({ settings: { apiKey: readKey({}, "ELSEWHERE_API_KEY", model) } }),
  });
  expect(() => provider.model("m")).toThrow(
    "Model elsewhere/m needs the package @ai-sdk/elsewhere. Run: npm install @ai-sdk/elsewhere. Model elsewhere/m needs a key. Set ELSEWHERE_API_KEY in the environment.",
  );
});

it("says which package to install", () => {
  const provider = createPackagedProvider({
    id: "elsewhere",
    name: "@ai-sdk/elsewhere",
    factories: ["createElsewhere"],
    credentials: () => ({ settings: {} }),
  });
  const message = "Model elsewhere/m needs the package @ai-sdk/elsewhere. Run: npm install @ai-sdk/elsewhere.";
  expect(() => provider.model("m")).toThrow(message);
});

it("needs nothing but an address for a server that speaks chat completions", () => {
  const ids = environmentProviders({ OPENAI_BASE_URL: "http://127.0.0.1:9/v1" }).map((provider) => provider.id);
  expect(ids).toEqual(["openai", "anthropic", "google", "deepseek", "bedrock", "ollama", "vllm", "tensorzero"]);
  const [openai, , , , , ollama] = environmentProviders({ OPENAI_BASE_URL: "http://127.0.0.1:9/v1" });
  expect(openai?.model("m").id).toBe("openai/m");
  expect(ollama?.model("llama3.2:1b").id).toBe("ollama/llama3.2:1b");
});

it("never repeats an address, which may hold a password", () => {
  const [openai] = environmentProviders({ OPENAI_BASE_URL: "ftp://user:hunter2@host" });
  expect(() => openai?.model("m")).toThrow("The base URL of the provider openai is not an http(s) address.");
});

it("gives the same model each time it is asked for one", () => {
  const [, anthropic] = environmentProviders({ ANTHROPIC_API_KEY: "k" });
  expect(anthropic?.model("claude-sonnet-5")).toBe(anthropic?.model("claude-sonnet-5"));
});

it("knows what a model costs", () => {
  const [openai] = environmentProviders({});
  expect(openai?.describe?.("gpt-5")).toMatchObject({ pricing: { output_per_million: 10 } });
  expect(openai?.describe?.("gpt-5000")).toBeUndefined();
});

it("lets what was given go before", () => {
  const mine = { id: "openai", model: () => scriptedModel([]) };
  const own = scriptedModel([], "default");
  const { models, providers } = withEnvironment({ models: [own], providers: [mine] }, {});
  expect(providers.filter(({ id }) => id === "openai")).toEqual([mine]);
  expect(models).toEqual([own]);
});

it("has a model `default` where the environment names one, and says so where it does not", () => {
  const named = withEnvironment({}, { REPRISE_MODEL: "openai/gpt-5-mini" });
  expect(named.models).toEqual([
    expect.objectContaining({ id: "default", provider: "openai", model: "gpt-5-mini", context_window: 400_000 }),
  ]);
  const unnamed = withEnvironment({}, {});
  const [spec] = unnamed.models;
  const provider = unnamed.providers.find(({ id }) => spec !== undefined && "provider" in spec && spec.provider === id);
  expect(() => provider?.model("REPRISE_MODEL")).toThrow(
    "Model default is not named. Set REPRISE_MODEL in the environment",
  );
});
