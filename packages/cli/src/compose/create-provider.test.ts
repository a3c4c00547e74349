import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, it, onTestFinished } from "vitest";
import { createProvider } from "./create-provider.ts";

const WORLD = { variables: {}, isFromFile: () => false, wordMs: 0 };

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
  const world = { ...WORLD, variables: { ANTHROPIC_API_KEY: "k" } };
  expect(createProvider("a", settings, world).model("m").id).toBe("anthropic/m");
});

it("sends no key of the environment to an address that the configuration names", async () => {
  const sent: (string | undefined)[] = [];
  const elsewhere = createServer((request, response) => {
    sent.push(request.headers.authorization);
    response.writeHead(400).end();
  });
  await new Promise<void>((resolve) => elsewhere.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void elsewhere.close());
  // A listening server has an address of this form.
  const { port } = elsewhere.address() as AddressInfo;
  const settings = { headers: {}, adapterKind: "openai", endpoint: `http://127.0.0.1:${port}/v1` };
  const world = { ...WORLD, variables: { OPENAI_API_KEY: "ours", ANTHROPIC_API_KEY: "ours" } };
  for (const own of [{}, { apiKey: "theirs" }]) {
    const model = createProvider("o", { ...settings, ...own }, world).model("m");
    const request = { system: "", messages: [], tools: [], options: {}, signal: new AbortController().signal };
    await Array.fromAsync(model.stream(request)).catch(() => undefined);
  }
  expect(sent).toEqual([undefined, "Bearer theirs"]);
  const anthropic = createProvider("a", { ...settings, adapterKind: "anthropic" }, world);
  expect(() => anthropic.model("m")).toThrow("needs a key");
});

it("knows the demonstration's models, and no others of its kind", () => {
  const provider = createProvider("demo", { headers: {}, adapterKind: "scripted" }, WORLD);
  expect(provider.model("assistant").id).toBe("demo/assistant");
  expect(() => provider.model("genius")).toThrow('There is no demonstration model "genius". Known: assistant, ');
});
