import { RepriseError } from "@reprise/contracts";
import { configSchema, readConfig } from "@reprise/server/config";
import { Ajv2020 } from "ajv/dist/2020.js";
import { describe, expect, it } from "vitest";
import { problemsFrom, WHOLE_FILE } from "./support/config-world.ts";

const fits = new Ajv2020({ allErrors: true }).compile(configSchema());

/** A file with one thing in it. */
const agent = (more: object): object => ({ agents: [{ id: "a", model: "m", ...more }] });
const model = (entry: unknown): object => ({ models: { m: entry } });
const provider = (entry: unknown): object => ({ providers: { p: entry } });
const jwt = (more: object): object => ({
  auth: { jwt: { issuer: "i", audience: "a", algorithm: "RS256", jwks_url: "https://i.test", ...more } },
});

describe("what the schema says is what the reader says", () => {
  it.each<[string, unknown]>([
    ["nothing but an object", {}],
    ["everything", WHOLE_FILE],
    ["an agent without a kind", agent({})],
    ["an agent without a model", { agents: [{ id: "a" }] }],
    ["a remote agent", agent({ kind: "a2a", endpoint: "https://x.test", auth: { kind: "bearer_token", token: "t" } })],
    ["a store in memory", { store: { kind: "memory" } }],
    ["a store by its variable", { store: { kind: "nats", nats_url: { kind: "env", name: "NATS_URL" } } }],
    [
      "a key as PEM",
      jwt({}) && { auth: { jwt: { issuer: "i", audience: "a", algorithm: "EdDSA", public_key: "PEM" } } },
    ],
  ])("takes %s", (_, file) => {
    expect(problemsFrom(() => readConfig(file))).toEqual([]);
    expect(fits(file), JSON.stringify(fits.errors)).toBe(true);
  });

  it.each<[string, unknown, readonly (readonly [path: string, message: string])[]]>([
    ["no object", [], [["", "The configuration must be an object (got an array)"]]],
    ["null", null, [["", "The configuration must be an object (got null)"]]],
    ["a field nobody knows", { sotre: {} }, [["sotre", "`sotre` is not known (the nearest is `store`)"]]],
    ["agents that are no list", { agents: {} }, [["agents", "`agents` must be an array (got an object)"]]],
    ["an agent that is no object", { agents: ["a"] }, [["agents[0]", "`agents[0]` must be an object (got a string)"]]],
    ["an agent without an id", { agents: [{ model: "m" }] }, [["agents[0].id", "`id` is required"]]],
    ["an agent with a blank id", agent({ id: " \t" }), [["agents[0].id", "`id` must be a non-empty string"]]],
    [
      "an agent with a blank model",
      agent({ model: "  " }),
      [["agents[0].model", "`model` must be a non-empty string"]],
    ],
    [
      "a blank in a list",
      agent({ delegates: ["b", " "] }),
      [["agents[0].delegates[1]", "`delegates[1]` must be a non-empty string"]],
    ],
    [
      "a misspelt field",
      agent({ max_runds: 3 }),
      [["agents[0].max_runds", "`max_runds` is not known (the nearest is `max_rounds`)"]],
    ],
    ["a kind nobody knows", agent({ kind: "acp" }), [["agents[0].kind", "`kind` must be one of local, a2a"]]],
    [
      "a condition without its number",
      agent({ stop_condition_specs: [{ type: "max_rounds" }] }),
      [["agents[0].stop_condition_specs[0].rounds", "`rounds` is required"]],
    ],
    ["a model without a provider", model({ model: "x" }), [["models.m.provider", "`provider` is required"]]],
    [
      "a model with an id",
      model({ provider: "p", model: "x", id: "m" }),
      [["models.m.id", "`id` is not known: the key of a model is its id"]],
    ],
    ["a model that is no object", model("x"), [["models.m", "`m` must be an object (got a string)"]]],
    ["a blank model", model({ provider: "p", model: " " }), [["models.m.model", "`model` must be a non-empty string"]]],
    [
      "a blank in a pool",
      model({ pool: [{ model: " " }] }),
      [["models.m.pool[0].model", "`model` must be a non-empty string"]],
    ],
    [
      "a misspelt field of a pool",
      model({ pool: [{ model: "x", wieght: 1 }] }),
      [["models.m.pool[0].wieght", "`wieght` is not known (the nearest is `weight`)"]],
    ],
    [
      "a blank key",
      { models: { " ": { provider: "p", model: "x" } } },
      [['models[" "]', "` ` is not a valid key: a key must be a non-empty string"]],
    ],
    [
      "a blank provider",
      provider({ adapter_kind: "" }),
      [["providers.p.adapter_kind", "`adapter_kind` must be a non-empty string"]],
    ],
    [
      "an endpoint that is none",
      provider({ endpoint: "ftp://x" }),
      [["providers.p.endpoint", "`endpoint` must be an address that begins with http:// or https://"]],
    ],
    [
      "a key in the wrong place",
      provider({ auth: "sk-1" }),
      [["providers.p.auth", "`auth` must be an object (got a string)"]],
    ],
    [
      "a key of an unknown kind",
      provider({ auth: { kind: "sk-1" } }),
      [["providers.p.auth.kind", "`kind` must be one of env, token"]],
    ],
    [
      "a token without a value",
      provider({ auth: { kind: "token" } }),
      [["providers.p.auth.value", "`value` is required"]],
    ],
    [
      "a variable that is none",
      provider({ auth: { kind: "env", name: "A KEY" } }),
      [["providers.p.auth.name", "`name` must be the name of a variable"]],
    ],
    [
      "a header that is none",
      provider({ headers: { "a b": "x" } }),
      [['providers.p.headers["a b"]', "`a b` is not a valid key: a key must be the name of a header"]],
    ],
    [
      "a header of two lines",
      provider({ headers: { a: "x\r\ny" } }),
      [["providers.p.headers.a", "`a` must be a text of one line"]],
    ],
    [
      "sections that are none",
      { plugins: { audit: 3 } },
      [["plugins.audit", "`audit` must be an object (got a number)"]],
    ],
    [
      "a store of an unknown kind",
      { store: { kind: "redis" } },
      [["store.kind", "`kind` must be one of sqlite, postgres, file, memory, nats"]],
    ],
    [
      "a store without a kind",
      { store: { file: "x" } },
      [["store.kind", "`kind` must be one of sqlite, postgres, file, memory, nats (got undefined)"]],
    ],
    [
      "a field of another store",
      { store: { kind: "sqlite", folder: "x" } },
      [["store.folder", "`folder` is not known"]],
    ],
    [
      "an algorithm with a shared secret",
      jwt({ algorithm: "HS256" }),
      [
        [
          "auth.jwt.algorithm",
          "`algorithm` must be one of RS256, RS384, RS512, PS256, PS384, PS512, ES256, ES384, ES512, EdDSA",
        ],
      ],
    ],
    [
      "two sources of keys",
      jwt({ public_key: "PEM" }),
      [["auth.jwt", "`jwt` must have exactly one of `jwks_url` and `public_key` (got 2)"]],
    ],
    [
      "an address without a port",
      { server: { address: "127.0.0.1" } },
      [["server.address", "`address` must be a host and a port, as in 127.0.0.1:8080"]],
    ],
    [
      "a limit that is none",
      { server: { limits: { max_streams: 0 } } },
      [["server.limits.max_streams", "`max_streams` must be a whole number of at least 1 (got 0)"]],
    ],
    [
      "a flag that is none",
      { auth: { api_keys: "yes" } },
      [["auth.api_keys", "`api_keys` must be true or false (got a string)"]],
    ],
  ])("refuses %s", (_, file, expected) => {
    const problems = problemsFrom(() => readConfig(file));
    expect(problems).toEqual(expected.map(([path, message]) => ({ path, message })));
    expect(fits(file)).toBe(false);
  });
});

it.each<[string, unknown, readonly string[]]>([
  ["two agents with one id", { agents: [{ id: "a" }, { id: "b" }, { id: "a" }] }, ["agents[2].id"]],
  ["two names of one field", agent({ model_id: "x" }), ["agents[0].model"]],
  ["a remote agent without an endpoint", agent({ kind: "a2a" }), ["agents[0].kind"]],
  [
    "more output than window",
    model({ provider: "p", model: "x", context_window: 1, max_output_tokens: 2 }),
    ["models.m.max_output_tokens"],
  ],
  ["an empty pool", model({ pool: [] }), ["models.m.pool"]],
  ["a weight of nothing", model({ pool: [{ model: "x", weight: 0 }] }), ["models.m.pool[0].weight"]],
  ["what is no JSON", { agents: [{ id: "a", sections: { x: () => 1 } }] }, [""]],
])("also refuses %s, which a schema cannot say", (_, file, paths) => {
  expect(problemsFrom(() => readConfig(file)).map(({ path }) => path)).toEqual(paths);
});

it("lists every problem of a file, in its details and its message", () => {
  const file = { agents: [{ id: " ", max_rounds: 0 }], models: { m: {} }, providers: { p: { endpoint: 3 } }, store: 1 };
  const paths = problemsFrom(() => readConfig(file)).map(({ path }) => path);
  expect(paths).toEqual([
    "agents[0].id",
    "agents[0].max_rounds",
    "models.m.provider",
    "models.m.model",
    "providers.p.endpoint",
    "store",
  ]);
  try {
    readConfig(file);
  } catch (error) {
    if (!RepriseError.is(error, "CONFIG_INVALID")) throw error;
    expect(error.message.split("\n").slice(0, 2)).toEqual([
      "6 things are wrong with the configuration:",
      "agents[0].id: `id` must be a non-empty string",
    ]);
  }
});
