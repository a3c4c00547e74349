import { RepriseError } from "@reprise/contracts";
import { scriptedModel } from "@reprise/models";
import { definePlugin, defineTool } from "@reprise/runtime";
import { type ConfigPorts, type ConfigProblem, type ProviderSettings, problemsOf } from "@reprise/server/config";

/** Ports whose providers say who was asked, and what they were made of. */
export interface TestPorts extends ConfigPorts {
  readonly made: readonly { readonly id: string; readonly settings: ProviderSettings }[];
}

/** Its models repeat the system prompt; asked to `hold`, they call the tool of that name first. */
export function createPorts(more: Partial<ConfigPorts> = {}): TestPorts {
  const made: { id: string; settings: ProviderSettings }[] = [];
  return {
    variable: (name) => (name === "GOOD_KEY" || name === "OTHER_KEY" ? "key-from-environment" : undefined),
    createProvider: (id, settings) => {
      if (settings.adapterKind === "nonsense") {
        throw new RepriseError("INVALID_DEFINITION", `No adapter "nonsense" takes the key ${settings.apiKey}.`);
      }
      if (settings.adapterKind === "broken") throw new TypeError(`a foreign error with ${settings.apiKey}`);
      made.push({ id, settings });
      return {
        id,
        model: (name) =>
          scriptedModel(({ system, messages }) => {
            const [first, last] = [messages.at(0)?.content, messages.at(-1)];
            if (first === "hold" && last?.role === "user") return [{ call: "hold" }];
            return `${id}/${name}: ${system}`;
          }, `${id}/${name}`),
        describe: (name) =>
          name === "described"
            ? { context_window: 1_000, max_output_tokens: 500, pricing: { input_per_million: 1 } }
            : undefined,
      };
    },
    plugins: [audit],
    made,
    ...more,
  };
}

const audit = definePlugin({
  id: "audit",
  sections: { audit: { type: "object", properties: { level: { type: "integer" } }, additionalProperties: false } },
});

/** A tool that returns when it is let go, and says when it was called. */
export function createHold() {
  const called = Promise.withResolvers<void>();
  const release = Promise.withResolvers<void>();
  const tool = defineTool({
    id: "hold",
    description: "Waits.",
    execute: async () => {
      called.resolve();
      await release.promise;
      return "released";
    },
  });
  return { tool, called: called.promise, release: () => release.resolve() };
}

/** The problems of a `CONFIG_INVALID`. */
export function problemsFrom(attempt: () => unknown): readonly ConfigProblem[] {
  try {
    attempt();
    return [];
  } catch (error) {
    const problems = problemsOf(error);
    if (problems.length === 0) throw error;
    return problems;
  }
}

/** Everything a file can say, and right. */
export const WHOLE_FILE = {
  $schema: "./config.schema.json",
  agents: [
    {
      kind: "local",
      id: "assistant",
      name: "Assistant",
      description: "Primary hosted assistant",
      model: "fast",
      system_prompt: "You are a helpful assistant.",
      max_rounds: 10,
      tool_execution_mode: "parallel_streaming",
      behavior_ids: ["audit"],
      stop_condition_specs: [{ type: "max_rounds", rounds: 10 }],
    },
    { id: "planner", model_id: "pool", instructions: "Plan.", delegates: ["assistant"], fallback_models: ["main/x"] },
  ],
  models: {
    fast: { provider: "main", model: "described", chat_options: { temperature: 0 } },
    slow: { provider_id: "other", upstream_model: "big", context_window: 8_000, pricing: { input_per_million: 2 } },
    pool: { pool: [{ model: "fast", weight: 2 }, { model: "slow" }, { model: "main/third" }] },
  },
  providers: {
    main: {
      adapter_kind: "openai-compatible",
      endpoint: "http://127.0.0.1:1/v1",
      auth: { kind: "env", name: "GOOD_KEY" },
    },
    other: { auth: { kind: "token", value: "planted-token" }, headers: { "x-key": "planted-header" } },
  },
  plugins: { audit: { audit: { level: 3 } } },
  store: { kind: "postgres", url: { kind: "env", name: "DATABASE_URL" }, schema: "agents" },
  auth: {
    api_keys: true,
    jwt: {
      issuer: "https://issuer.test",
      audience: "agents",
      algorithm: "ES256",
      jwks_url: "https://issuer.test/keys",
      claims: { scopes: "permissions" },
    },
  },
  server: {
    address: "[::1]:8080",
    allowed_hosts: ["agents.test"],
    allowed_origins: ["https://app.test"],
    trusted_proxies: ["10.0.0.0/8"],
    public_url: "https://agents.test",
    push_origins: ["http://10.0.0.5:9000"],
    limits: { max_body_bytes: 1_000, requests_per_address: 10, window_ms: 1_000 },
  },
} as const;
