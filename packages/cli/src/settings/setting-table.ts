export type SettingName =
  | "httpAddr"
  | "storageDir"
  | "databaseUrl"
  | "blobsUrl"
  | "liveUrl"
  | "config"
  | "agents"
  | "port"
  | "tensorzeroUrl"
  | "natsUrl"
  | "model"
  | "demo"
  | "mcpServer"
  | "requireKeys"
  | "allowedHosts"
  | "allowedOrigins"
  | "instanceId"
  | "role"
  | "drainMs"
  | "noticeMs"
  | "migrate"
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
    purpose: "the address to listen on; any but the loopback address needs API keys or tokens",
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
    purpose: "the folder of the SQLite file with the threads",
  },
  {
    name: "databaseUrl",
    flag: "--database-url <url>",
    variable: "DATABASE_URL",
    configured: "store",
    purpose:
      "a Postgres database for the threads, instead of the SQLite file; several, separated by commas, are one store",
  },
  {
    name: "blobsUrl",
    flag: "--blobs-url <url>",
    variable: "REPRISE_BLOBS_URL",
    configured: "blobs",
    purpose:
      "an S3 bucket for the bytes of larger files, as in s3://bucket/prefix?region=eu-central-1&endpoint=https://minio:9000&link_seconds=60",
  },
  {
    name: "liveUrl",
    flag: "--live-url <url>",
    variable: "REPRISE_LIVE_URL",
    configured: "live.url",
    purpose:
      "a NATS server that carries text to clients of other processes while it is written, as in nats://nats:4222",
  },
  {
    name: "config",
    flag: "--config <file>",
    variable: "REPRISE_CONFIG",
    alias: "AGENTOS_CONFIG",
    purpose: "a JSON file with agents and settings; without one and without a module there is one agent, `default`",
  },
  {
    name: "agents",
    flag: "--agents <module>",
    variable: "REPRISE_AGENTS",
    purpose: "a module that exports agents, as in agents.ts; `.env` cannot set it, because a module is code",
  },
  {
    name: "natsUrl",
    flag: "--nats-url <url>",
    variable: "REPRISE_NATS_URL",
    alias: "AGENTOS_NATS_URL",
    configured: "server.nats.url",
    purpose: "serves runs over NATS too; a server that others can reach needs API keys or tokens",
  },
  {
    name: "tensorzeroUrl",
    flag: "--tensorzero-url <url>",
    variable: "TENSORZERO_URL",
    purpose: "a TensorZero gateway for all model calls",
  },
  {
    name: "model",
    flag: "--model <provider/model>",
    variable: "REPRISE_MODEL",
    purpose:
      "the model of agents without one, as in openai/gpt-5-mini; by default a model whose key is in the environment",
  },
  {
    name: "demo",
    flag: "--demo",
    variable: "REPRISE_DEMO",
    purpose: "adds the demonstration tools, and the demonstration agents when there is no configuration",
  },
  {
    name: "mcpServer",
    flag: "--mcp-server <command>",
    variable: "MCP_SERVER_CMD",
    purpose: "a command that speaks MCP; its tools are given to the demonstration agents; `.env` cannot set it",
  },
  {
    name: "requireKeys",
    flag: "--require-keys",
    variable: "REPRISE_REQUIRE_KEYS",
    configured: "auth.api_keys",
    purpose: "requires an API key with every request; make one with `reprise keys create`",
  },
  {
    name: "allowedHosts",
    flag: "--allowed-hosts <names>",
    variable: "REPRISE_ALLOWED_HOSTS",
    configured: "server.allowed_hosts",
    purpose: "host names of the server besides the loopback ones, separated by commas",
  },
  {
    name: "allowedOrigins",
    flag: "--allowed-origins <origins>",
    variable: "REPRISE_ALLOWED_ORIGINS",
    configured: "server.allowed_origins",
    purpose: "origins whose pages may call the server, separated by commas",
  },
  {
    name: "instanceId",
    flag: "--instance-id <name>",
    variable: "REPRISE_INSTANCE_ID",
    purpose:
      "a name for this process that stays the same over restarts, so that it continues its unfinished runs at once",
  },
  {
    name: "role",
    flag: "--role <role>",
    variable: "REPRISE_ROLE",
    fallback: "all",
    purpose:
      "what a served process does: api answers requests and works on no run, worker works on runs and answers health checks alone, all does both",
  },
  {
    name: "drainMs",
    flag: "--drain-ms <milliseconds>",
    variable: "REPRISE_DRAIN_MS",
    fallback: "8000",
    purpose: "how long runs may take to come to a commit when a served process stops; others take over the rest",
  },
  {
    name: "noticeMs",
    flag: "--notice-ms <milliseconds>",
    variable: "REPRISE_NOTICE_MS",
    fallback: "0",
    purpose:
      "how long a process that stops still answers requests while /ready says no, so that a load balancer looks elsewhere",
  },
  {
    name: "migrate",
    flag: "--migrate <when>",
    variable: "REPRISE_MIGRATE",
    fallback: "auto",
    purpose:
      "auto creates and updates the tables of Postgres at the start; never leaves them alone and refuses old ones, for roles that may not change them",
  },
  {
    name: "tenant",
    flag: "--tenant <id>",
    variable: "REPRISE_TENANT",
    fallback: "default",
    purpose: "the tenant that owns the threads",
  },
  {
    name: "log",
    flag: "--log <level>",
    variable: "REPRISE_LOG",
    fallback: "warn",
    purpose: "the lowest level that is logged to standard error: debug, info, warn, error or silent",
  },
];

/** Flags that say how to answer. They have no variables: a script says them each time. */
export const OUTPUT_FLAGS: readonly { readonly flag: string; readonly purpose: string }[] = [
  { flag: "--json", purpose: "prints JSON for programs: one value, or one per line" },
  { flag: "--verbose", purpose: "prints the stacks of errors" },
];

/** Variables that others read: the providers of models, and the bucket of files. */
export const PROVIDER_VARIABLES: readonly { readonly variable: string; readonly purpose: string }[] = [
  { variable: "OPENAI_API_KEY", purpose: "models of OpenAI" },
  {
    variable: "OPENAI_BASE_URL",
    purpose: "an OpenAI-compatible server, as in http://127.0.0.1:11434/v1; set its model with REPRISE_MODEL",
  },
  { variable: "ANTHROPIC_API_KEY", purpose: "models of Anthropic" },
  { variable: "GOOGLE_GENERATIVE_AI_API_KEY", purpose: "models of Google" },
  { variable: "DEEPSEEK_API_KEY", purpose: "models of DeepSeek" },
  { variable: "AWS_ACCESS_KEY_ID", purpose: "the access key of the bucket of `--blobs-url`" },
  { variable: "AWS_SECRET_ACCESS_KEY", purpose: "its secret" },
  { variable: "AWS_SESSION_TOKEN", purpose: "of temporary keys" },
  { variable: "AWS_REGION", purpose: "the bucket's region, when `--blobs-url` does not say it" },
];
