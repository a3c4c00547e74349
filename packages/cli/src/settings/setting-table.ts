export type SettingName =
  | "httpAddr"
  | "storageDir"
  | "databaseUrl"
  | "config"
  | "agents"
  | "port"
  | "tensorzeroUrl"
  | "model"
  | "demo"
  | "requireKeys"
  | "allowedHosts"
  | "allowedOrigins"
  | "instanceId"
  | "tenant"
  | "log";

/** Something that can be set by a flag, a variable of the environment, or the configuration file. */
export interface Setting {
  /** As commander names the flag's value. */
  readonly name: SettingName;
  readonly flag: string;
  readonly variable: string;
  /** An older name of the variable. The name itself goes before it. */
  readonly alias?: string;
  /** Where the configuration file says the same. */
  readonly configured?: string;
  readonly fallback?: string;
  readonly purpose: string;
}

/** Every setting there is. `--help`, the reference page and the reader are made of this table. */
export const SETTINGS: readonly Setting[] = [
  {
    name: "httpAddr",
    flag: "--http-addr <address>",
    variable: "REPRISE_HTTP_ADDR",
    alias: "AGENTOS_HTTP_ADDR",
    configured: "server.address",
    fallback: "127.0.0.1:8080",
    purpose: "where the server listens; another address than the loopback one needs keys or tokens",
  },
  {
    name: "port",
    flag: "--port <port>",
    variable: "REPRISE_PORT",
    purpose: "the port of that address; 0 takes any free port",
  },
  {
    name: "storageDir",
    flag: "--storage-dir <folder>",
    variable: "REPRISE_STORAGE_DIR",
    alias: "AGENTOS_STORAGE_DIR",
    configured: "store",
    fallback: "./threads",
    purpose: "the folder of the SQLite file that threads live in",
  },
  {
    name: "databaseUrl",
    flag: "--database-url <url>",
    variable: "DATABASE_URL",
    configured: "store",
    purpose: "a Postgres database that threads live in, instead of the SQLite file",
  },
  {
    name: "config",
    flag: "--config <file>",
    variable: "REPRISE_CONFIG",
    alias: "AGENTOS_CONFIG",
    purpose: "the configuration, a JSON file; without one there is one agent, `default`",
  },
  {
    name: "agents",
    flag: "--agents <module>",
    variable: "REPRISE_AGENTS",
    purpose: "a module that exports agents, as in agents.ts; `.env` cannot name it, because it is run",
  },
  {
    name: "tensorzeroUrl",
    flag: "--tensorzero-url <url>",
    variable: "TENSORZERO_URL",
    purpose: "a TensorZero gateway that every agent's model calls go through",
  },
  {
    name: "model",
    flag: "--model <provider/model>",
    variable: "REPRISE_MODEL",
    purpose:
      "the model of agents that name none, as in openai/gpt-5-mini; without one, what the keys in the environment allow",
  },
  {
    name: "demo",
    flag: "--demo",
    variable: "REPRISE_DEMO",
    purpose: "the tools of the demonstration, and its agents where there is no configuration",
  },
  {
    name: "requireKeys",
    flag: "--require-keys",
    variable: "REPRISE_REQUIRE_KEYS",
    configured: "auth.api_keys",
    purpose: "ask every request for an API key; make one with `reprise keys create`",
  },
  {
    name: "allowedHosts",
    flag: "--allowed-hosts <names>",
    variable: "REPRISE_ALLOWED_HOSTS",
    configured: "server.allowed_hosts",
    purpose: "names the server is reached by beside those of the loopback address, with commas between them",
  },
  {
    name: "allowedOrigins",
    flag: "--allowed-origins <origins>",
    variable: "REPRISE_ALLOWED_ORIGINS",
    configured: "server.allowed_origins",
    purpose: "origins whose pages may use the server, with commas between them",
  },
  {
    name: "instanceId",
    flag: "--instance-id <name>",
    variable: "REPRISE_INSTANCE_ID",
    purpose: "the name this process works under, the same over restarts: what it left unfinished is taken up at once",
  },
  {
    name: "tenant",
    flag: "--tenant <id>",
    variable: "REPRISE_TENANT",
    fallback: "default",
    purpose: "whose threads are meant",
  },
  {
    name: "log",
    flag: "--log <level>",
    variable: "REPRISE_LOG",
    fallback: "warn",
    purpose: "what is logged to standard error: debug, info, warn, error or silent",
  },
];

/** Flags that say how to answer. They have no variables: a script says them each time. */
export const OUTPUT_FLAGS: readonly { readonly flag: string; readonly purpose: string }[] = [
  { flag: "--json", purpose: "answers for programs: one JSON value, or one a line where there are many" },
  { flag: "--verbose", purpose: "errors with their stacks" },
];

/** Variables that others read: the providers of models. */
export const PROVIDER_VARIABLES: readonly { readonly variable: string; readonly purpose: string }[] = [
  { variable: "OPENAI_API_KEY", purpose: "models of OpenAI" },
  {
    variable: "OPENAI_BASE_URL",
    purpose:
      "another server that speaks as OpenAI does, as in http://127.0.0.1:11434/v1; name its model with REPRISE_MODEL",
  },
  { variable: "ANTHROPIC_API_KEY", purpose: "models of Anthropic" },
  { variable: "GOOGLE_GENERATIVE_AI_API_KEY", purpose: "models of Google" },
  { variable: "DEEPSEEK_API_KEY", purpose: "models of DeepSeek" },
];
