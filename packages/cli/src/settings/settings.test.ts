import { expect, it } from "vitest";
import { chooseModel } from "../compose/choose-model.ts";
import { parseAddress } from "./read-address.ts";
import { Settings } from "./settings.ts";

it("takes a flag before a variable, that before the configuration, that before the default", () => {
  const settings = new Settings(
    { tenant: "flag" },
    { REPRISE_TENANT: "variable", REPRISE_LOG: "error", AGENTOS_HTTP_ADDR: " " },
  );
  expect([settings.value("tenant", "file"), settings.sourceOf("tenant")]).toEqual(["flag", "flag"]);
  expect([settings.value("log", "file"), settings.sourceOf("log")]).toEqual(["error", "environment"]);
  // A variable that is blank is not set.
  expect(settings.value("httpAddr", "file")).toBe("file");
  expect([settings.value("httpAddr"), settings.sourceOf("httpAddr")]).toEqual(["127.0.0.1:8080", "default"]);
  expect(settings.value("instanceId")).toBeUndefined();
});

it.each([
  [{ REPRISE_CONFIG: "new.json", AGENTOS_CONFIG: "old.json" }, {}, "new.json", "environment"],
  [{ AGENTOS_CONFIG: "old.json" }, {}, "old.json", "environment"],
  [{ AGENTOS_CONFIG: "old.json" }, { REPRISE_CONFIG: "file.json" }, "old.json", "environment"],
  [{ REPRISE_CONFIG: " " }, { AGENTOS_CONFIG: "file.json" }, "file.json", ".env"],
])(
  "reads a variable by its name, then by its alias, the environment before .env: %j %j",
  (environment, file, value, source) => {
    const settings = new Settings({}, environment, file);
    expect([settings.value("config"), settings.sourceOf("config")]).toEqual([value, source]);
  },
);

it.each([
  [{ demo: true }, {}, true],
  [{}, { REPRISE_DEMO: "1" }, true],
  [{}, { REPRISE_DEMO: "yes" }, true],
  [{}, { REPRISE_DEMO: "0" }, false],
  [{}, { REPRISE_DEMO: "false" }, false],
  [{}, {}, false],
])("is on or off: %j %j", (flags, variables, isOn) => {
  expect(new Settings(flags, variables).isOn("demo")).toBe(isOn);
});

it("reads lists, and lets the environment switch off what the file switches on", () => {
  const settings = new Settings({}, { REPRISE_ALLOWED_HOSTS: "a.example, b.example,", REPRISE_REQUIRE_KEYS: "off" });
  expect(settings.list("allowedHosts", ["c.example"])).toEqual(["a.example", "b.example"]);
  expect(settings.list("allowedOrigins", ["https://c.example"])).toEqual(["https://c.example"]);
  expect(settings.isOn("requireKeys", true)).toBe(false);
});

it.each([
  ["127.0.0.1:8080", { host: "127.0.0.1", port: 8080 }],
  ["localhost:0", { host: "localhost", port: 0 }],
  ["[::1]:80", { host: "::1", port: 80 }],
  [":80", { host: "0.0.0.0", port: 80 }],
])("reads the address %s", (address, parts) => {
  expect(parseAddress(address)).toEqual(parts);
});

it.each(["8080", "host", "host:", "host:99999", "a b:1", "::1:80", "http://host:80"])(
  "takes %s for no address",
  (address) => {
    expect(() => parseAddress(address)).toThrow("The address must be a host and a port");
  },
);

it.each([
  [{}, {}, undefined],
  [{}, { OPENAI_API_KEY: " " }, undefined],
  [{}, { ANTHROPIC_API_KEY: "k", DEEPSEEK_API_KEY: "k" }, "anthropic/claude-haiku-4-5"],
  [{}, { OPENAI_API_KEY: "k", REPRISE_MODEL: "ollama/llama3.2" }, "ollama/llama3.2"],
  [{ model: "openai/gpt-5" }, { REPRISE_MODEL: "ollama/llama3.2" }, "openai/gpt-5"],
])("chooses a model by %j %j", (flags, variables, model) => {
  expect(chooseModel(new Settings(flags, variables))).toBe(model);
});
