import { expect, it } from "vitest";
import { createProvider } from "./create-provider.ts";

const WORLD = { variables: {}, wordMs: 0 };

it.each([
  ["mine", { adapterKind: "smoke-signals" }, 'The provider mine has the unknown kind "smoke-signals". Known: openai, '],
  ["mine", {}, 'The provider mine has the unknown kind "mine".'],
  ["mine", { adapterKind: "openai-compatible" }, "The provider mine needs an endpoint"],
  [
    "anthropic",
    { headers: { "x-team": "a" } },
    "The provider anthropic takes no headers: only openai-compatible does.",
  ],
])("refuses %s with %j", (id, settings, message) => {
  expect(() => createProvider(id, { headers: {}, ...settings }, WORLD)).toThrow(message);
});

it.each([
  ["mine", { endpoint: "http://127.0.0.1:9/v1" }, "mine/m"],
  ["mine", { adapterKind: "openai-compatible", endpoint: "http://127.0.0.1:9/v1", apiKey: "k" }, "mine/m"],
  ["mine", { adapterKind: "vllm", endpoint: "http://127.0.0.1:9/v1" }, "vllm/m"],
  ["mine", { adapterKind: "anthropic", apiKey: "k" }, "anthropic/m"],
  ["ollama", {}, "ollama/m"],
])("makes %s of %j", (id, settings, model) => {
  const provider = createProvider(id, { headers: {}, ...settings }, WORLD);
  expect(provider.id).toBe(id);
  expect(provider.model("m").id).toBe(model);
});

it("takes the key of the environment where the configuration gives none, and says so when there is none", () => {
  const settings = { headers: {}, adapterKind: "anthropic" };
  expect(() => createProvider("a", settings, WORLD).model("m")).toThrow("Set ANTHROPIC_API_KEY in the environment.");
  const world = { variables: { ANTHROPIC_API_KEY: "k" }, wordMs: 0 };
  expect(createProvider("a", settings, world).model("m").id).toBe("anthropic/m");
});

it("sends no key of the environment to an address that the configuration names", () => {
  const world = { variables: { OPENAI_API_KEY: "ours", OPENAI_BASE_URL: "http://127.0.0.1:9/v1" }, wordMs: 0 };
  const elsewhere = { headers: {}, adapterKind: "openai", endpoint: "http://127.0.0.1:8/v1" };
  expect(() => createProvider("o", elsewhere, world).model("m")).toThrow("needs a key");
  expect(createProvider("o", { ...elsewhere, apiKey: "theirs" }, world).model("m").id).toBe("openai/m");
});

it("knows the demonstration's models, and no others of its kind", () => {
  const provider = createProvider("demo", { headers: {}, adapterKind: "scripted" }, WORLD);
  expect(provider.model("assistant").id).toBe("demo/assistant");
  expect(() => provider.model("genius")).toThrow('There is no demonstration model "genius". Known: assistant, ');
});
