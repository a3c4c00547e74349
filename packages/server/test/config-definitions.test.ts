import { checkConfig, createDefinitions, readConfig } from "@reprise/server/config";
import { describe, expect, it } from "vitest";
import { createPorts, problemsFrom, WHOLE_FILE } from "./support/config-world.ts";

/** A file with one thing in it. */
const agent = (more: object): object => ({ agents: [{ id: "a", model: "m", ...more }] });
const model = (entry: unknown): object => ({ models: { m: entry } });
const provider = (entry: unknown): object => ({ providers: { p: entry } });

describe("definitions", () => {
  const define = (file: unknown, ports = createPorts()) => createDefinitions(readConfig(file), ports);

  it("are agents, models and providers, with what exists in code", () => {
    const ports = createPorts();
    const { agents, models, providers, plugins } = define(WHOLE_FILE, ports);
    expect(agents?.map(({ spec }) => [spec.id, spec.model, spec.sections])).toEqual([
      ["assistant", "fast", { audit: { level: 3 } }],
      ["planner", "pool", {}],
    ]);
    // What the provider knows of a model is added to what the file says.
    expect(models?.[0]).toEqual({
      id: "fast",
      provider: "main",
      model: "described",
      chat_options: { temperature: 0 },
      context_window: 1_000,
      max_output_tokens: 500,
      pricing: { input_per_million: 1 },
    });
    expect(providers?.map(({ id }) => id)).toEqual(["main", "other"]);
    expect(plugins?.map(({ id }) => id)).toEqual(["audit"]);
    expect(ports.made.map(({ settings }) => settings)).toEqual([
      {
        adapterKind: "openai-compatible",
        endpoint: "http://127.0.0.1:1/v1",
        apiKey: "key-from-environment",
        headers: {},
      },
      { apiKey: "planted-token", headers: { "x-key": "planted-header" } },
    ]);
  });

  it("give an agent's own section precedence, and an agent without a model the default", () => {
    const given = createPorts();
    const main = given.createProvider("main", { headers: {} });
    const ports = { ...given, models: [{ id: "default", provider: "main", model: "x" }], providers: [main] };
    const file = {
      agents: [{ id: "a", plugin_ids: ["audit"], sections: { audit: { level: 1 } } }],
      plugins: { audit: { audit: { level: 3 } } },
    };
    const [agent] = define(file, ports).agents ?? [];
    expect([agent?.spec.model, agent?.spec.sections]).toEqual(["default", { audit: { level: 1 } }]);
  });

  it.each<[string, object, readonly (readonly [path: string, message: string])[]]>([
    [
      "a variable that is not set",
      {
        ...provider({ auth: { kind: "env", name: "NO_SUCH_KEY" } }),
        ...model({ provider: "p", model: "x" }),
        ...agent({}),
      },
      [["providers.p.auth.name", "`name` is NO_SUCH_KEY, a variable that is not set"]],
    ],
    [
      "a provider nobody has",
      { ...model({ provider: "mian", model: "x" }), ...provider({}), providers: { main: {} }, ...agent({}) },
      [["models.m.provider", '`provider` is "mian", which is not there. Known: main. Did you mean "main"?']],
    ],
    [
      "a pool of what is not there",
      { ...model({ pool: [{ model: "nothing" }, { model: "p/x" }] }), ...provider({}), ...agent({}) },
      [
        [
          "models.m.pool[0].model",
          '`model` is "nothing", which is not there. Known: m. Or name one as `provider/model` of p.',
        ],
      ],
    ],
    [
      "a pool of pools",
      { models: { m: { pool: [{ model: "n" }] }, n: { pool: [{ model: "p/x" }] } }, ...provider({}) },
      [["models.m.pool[0].model", '`model` is "n", a pool; pools hold models']],
    ],
    [
      "everything an agent names",
      agent({ plugin_ids: ["audti"], stop_condition_ids: ["s"], fallback_models: ["x"] }),
      [
        ["agents[0].model", '`model` is "m", which is not there. Known: none.'],
        ["agents[0].fallback_models[0]", '`fallback_models[0]` is "x", which is not there. Known: none.'],
        [
          "agents[0].plugin_ids[0]",
          '`plugin_ids[0]` is "audti", which is not there. Known: audit. Did you mean "audit"?',
        ],
        ["agents[0].stop_condition_ids[0]", '`stop_condition_ids[0]` is "s", which is not there. Known: none.'],
      ],
    ],
    [
      "a remote agent without a backend",
      { agents: [{ id: "r", endpoint: { url: "https://x.test", backend: "smoke" } }] },
      [["agents[0].endpoint", '`endpoint` needs the backend "smoke", which is not there. Give it in code.']],
    ],
    [
      "sections of nobody",
      { plugins: { audti: {}, audit: { adit: {}, audit: { level: "high" } } } },
      [
        ["plugins.audti", '`audti` is no plugin there is. Known: audit. Did you mean "audit"?'],
        ["plugins.audit.adit", "`adit` is not known (the nearest is `audit`)"],
        ["plugins.audit.audit", "`audit` does not fit: /level must be integer"],
      ],
    ],
    [
      "an adapter that refuses, without the key it was given",
      provider({ adapter_kind: "nonsense", auth: { kind: "token", value: "planted-token" } }),
      [["providers.p", 'No adapter "nonsense" takes the key [redacted].']],
    ],
    [
      "an adapter that breaks, without what it says",
      provider({ adapter_kind: "broken", auth: { kind: "env", name: "GOOD_KEY" } }),
      [["providers.p", "`p` cannot be made into a provider"]],
    ],
    [
      "what only the runtime knows",
      { ...agent({ model: "p/x", plugin_ids: ["audit"], sections: { audit: { level: "high" } } }), ...provider({}) },
      [
        [
          "agents[0].sections",
          'Agent "a": the section "audit" of the plugin "audit" does not fit its schema: /level must be integer.',
        ],
      ],
    ],
  ])("refuse %s", (_, file, expected) => {
    const problems = problemsFrom(() => define(file));
    expect(problems).toEqual(expected.map(([path, message]) => ({ path, message })));
  });

  it("take a remote agent when its backend is given in code", () => {
    const backend = { id: "a2a", check: () => undefined, run: () => Promise.reject(new Error("Not asked.")) };
    const file = {
      agents: [{ id: "r", kind: "a2a", endpoint: "https://x.test", auth: { kind: "bearer_token", token: "t" } }],
    };
    const { agents } = define(file, { ...createPorts(), backends: [backend] });
    expect(agents?.[0]?.spec.endpoint).toMatchObject({ url: "https://x.test", remote_agent_id: "r" });
  });
});

it("finds what is not there also beside what is not well formed", () => {
  const file = {
    agents: [
      { id: "broken", max_rounds: 0 },
      { id: "a", model: "fsat", delegates: ["broken", "nobody"] },
      "no agent",
      { id: "b", model: "blank" },
    ],
    models: {
      fast: { provider: "broken", model: "x" },
      slow: { provider: "nobody", model: "x" },
      blank: { provider: " " },
    },
    providers: { broken: { endpoint: 3 }, main: { auth: { kind: "env", name: "NO_SUCH_KEY" } } },
    plugins: { audti: {} },
    stoer: {},
  };
  expect(problemsFrom(() => checkConfig(file, createPorts())).map(({ path }) => path)).toEqual([
    "agents[0].max_rounds",
    "agents[2]",
    "models.blank.provider",
    "models.blank.model",
    "providers.broken.endpoint",
    "stoer",
    "providers.main.auth.name",
    "models.slow.provider",
    "plugins.audti",
    "agents[1].model",
  ]);
  expect(checkConfig(WHOLE_FILE, createPorts()).definitions.agents?.length).toBe(2);
});
