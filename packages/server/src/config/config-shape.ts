import {
  flag,
  json,
  listOf,
  needed,
  nonEmptyText,
  objectOf,
  oneOf,
  optional,
  recordOf,
  type Shape,
  text,
  textLike,
  textOr,
  unionOf,
  wholeNumberFrom,
  withOneOf,
} from "@reprise/contracts/shape";
import type { JwtClaims } from "../security/jwt.ts";
import type {
  A2aConfig,
  AcpAgentConfig,
  AcpConfig,
  AuthConfig,
  BlobsConfig,
  ConfigFile,
  EnvReference,
  JwtConfig,
  LiveEventsConfig,
  McpConfig,
  NatsGatewayConfig,
  ProviderAuth,
  ProviderConfig,
  ServerConfig,
  ServerLimitsConfig,
  StoreConfig,
} from "./config.ts";
import { agentEntry, modelEntry } from "./entry-shapes.ts";

const webAddress = textLike("an address that begins with http:// or https://", "^https?://\\S+$");
const variable = needed(textLike("the name of a variable", "^[A-Za-z_][A-Za-z0-9_]*$"), "The variable it is in.");
const environment: Shape<EnvReference> = unionOf<"kind", EnvReference>("kind", { env: { name: variable } });
const textOrVariable = textOr(nonEmptyText, environment);

const auth: Shape<ProviderAuth> = unionOf<"kind", ProviderAuth>("kind", {
  env: { name: variable },
  token: { value: needed(nonEmptyText, "The key itself. It is never shown again.") },
});

/** Who has models. */
export const providerShape: Shape<ProviderConfig> = objectOf<ProviderConfig>({
  adapter_kind: optional(nonEmptyText, "How it is spoken to. The provider's id unless given."),
  endpoint: optional(webAddress, "Where it is, when that is not where it usually is."),
  auth: optional(auth, "The credentials for the provider. Never shown."),
  headers: optional(
    recordOf(
      textLike("a text of one line", "^[^\\r\\n]*$"),
      textLike("the name of a header", "^[!#$%&'*+.^_`|~0-9A-Za-z-]+$"),
    ),
    "Sent with every request. Their values are never shown.",
  ),
});

const database = {
  url: optional(
    textOrVariable,
    "`postgres://user:password@host:port/database`, or the variable it is in. Several of them, separated by commas, are one store; not behind NATS.",
  ),
  schema: optional(nonEmptyText, "The schema its tables are in."),
};

const store: Shape<StoreConfig> = unionOf<"kind", StoreConfig>("kind", {
  sqlite: { file: optional(nonEmptyText, "The file.") },
  postgres: database,
  file: { folder: optional(nonEmptyText, "The folder, which belongs to the store alone.") },
  memory: {},
  nats: { nats_url: optional(textOrVariable, "The NATS server that buffers the writes."), ...database },
});

const blobs: Shape<BlobsConfig> = unionOf<"kind", BlobsConfig>("kind", {
  s3: {
    bucket: needed(nonEmptyText, "The bucket."),
    region: optional(nonEmptyText, "Its region; `us-east-1` unless given."),
    endpoint: optional(webAddress, "Where the service is, when that is not Amazon."),
    public_endpoint: optional(webAddress, "Where browsers reach the service, when that is another address."),
    prefix: optional(nonEmptyText, "What keys begin with, as in `reprise/`."),
    access_key_id: optional(textOrVariable, "The access key; `AWS_ACCESS_KEY_ID` unless given."),
    secret_access_key: optional(textOrVariable, "Its secret; `AWS_SECRET_ACCESS_KEY` unless given. Never shown."),
    session_token: optional(textOrVariable, "Of temporary keys; `AWS_SESSION_TOKEN` unless given. Never shown."),
    inline_bytes: optional(
      wholeNumberFrom(0),
      "Files of up to so many bytes stay in the database; 65,536 unless given.",
    ),
    link_seconds: optional(
      wholeNumberFrom(1),
      "Sends those who ask for a file to the bucket, by a link that works so long. Files come through the server unless given.",
    ),
  },
});

const live: Shape<LiveEventsConfig> = unionOf<"kind", LiveEventsConfig>("kind", {
  nats: {
    url: optional(textOrVariable, "`nats://user:password@host:4222`, or the variable it is in."),
    prefix: optional(nonEmptyText, "What subjects begin with; `reprise.live` unless given."),
  },
});

const claims = objectOf<JwtClaims>({
  tenant: optional(nonEmptyText, "The claim that names the tenant. Given, it must be there; `tenant` unless given."),
  scopes: optional(nonEmptyText, "The claim that lists the scopes; `scope` unless given."),
});

const jwt: Shape<JwtConfig> = withOneOf(
  objectOf<JwtConfig>({
    issuer: needed(nonEmptyText, "Who issues the tokens, as they say it in `iss`."),
    audience: needed(nonEmptyText, "Whom they are for, as they say it in `aud`."),
    algorithm: needed(
      oneOf("RS256", "RS384", "RS512", "PS256", "PS384", "PS512", "ES256", "ES384", "ES512", "EdDSA"),
      "How they are signed. No other is taken.",
    ),
    jwks_url: optional(webAddress, "Where the issuer publishes its keys."),
    public_key: optional(nonEmptyText, "The issuer's key, as PEM."),
    claims: optional(claims, "Where the tokens say what they open."),
  }),
  "jwks_url",
  "public_key",
);

const authentication = objectOf<AuthConfig>({
  api_keys: optional(flag, "Whether keys made by `reprise keys create` let in."),
  jwt: optional(jwt, "Tokens of an issuer that let in."),
});

const limits = objectOf<ServerLimitsConfig>({
  max_body_bytes: optional(wholeNumberFrom(1), "The longest body that is read."),
  max_blob_bytes: optional(wholeNumberFrom(1), "The largest file that is taken."),
  max_tenant_blob_bytes: optional(
    wholeNumberFrom(1),
    "How many bytes of files a tenant may have; 10 GiB unless given.",
  ),
  max_streams: optional(wholeNumberFrom(1), "The most streams at once."),
  max_streams_per_principal: optional(wholeNumberFrom(1), "The same for one principal."),
  requests_per_address: optional(wholeNumberFrom(1), "Requests in a window from one address."),
  requests_per_principal: optional(wholeNumberFrom(1), "Requests in a window of one principal."),
  window_ms: optional(wholeNumberFrom(1), "How long a window is."),
  headers_timeout_ms: optional(wholeNumberFrom(1), "How long a client may take to send its headers."),
  request_timeout_ms: optional(wholeNumberFrom(1), "How long a client may take to send a request."),
});

const mcp = objectOf<McpConfig>({
  agents: optional(listOf(nonEmptyText), "The agents that they can call. All of them unless given."),
  tools: optional(
    listOf(
      objectOf<NonNullable<McpConfig["tools"]>[number]>({
        agent: needed(nonEmptyText, "The agent whose tool it is: its plugins and lists apply."),
        tool: needed(nonEmptyText, "The id of the tool."),
      }),
    ),
    "Tools that they can call without the model of an agent. None unless given.",
  ),
  task_after_ms: optional(
    wholeNumberFrom(0),
    "How long a client that can follow tasks waits before its call becomes one. 5,000 unless given.",
  ),
});

const acp = objectOf<AcpConfig>({
  mcp_servers: optional(
    oneOf("all", "http", "none"),
    "Which MCP servers editors may bring to their sessions: all, those with an address, or none. `all` unless given.",
  ),
});

const a2a = objectOf<A2aConfig>({
  message_agents: optional(
    listOf(nonEmptyText),
    "Agents that answer with a message instead of a task, when a run completes without a question. None unless given.",
  ),
});

/** A subject to listen to: words between dots, none of them a wildcard. */
const subject = textLike("a NATS subject without wildcards, as in agentos.ai-sdk.runs", "^[^\\s.*>]+(\\.[^\\s.*>]+)*$");

const natsGateway = objectOf<NatsGatewayConfig>({
  url: optional(textOrVariable, "The NATS servers, separated by commas."),
  ag_ui_subject: optional(subject, "Where AG-UI requests come in; `agentos.ag-ui.runs` unless given."),
  ai_sdk_subject: optional(subject, "Where AI SDK requests come in; `agentos.ai-sdk.runs` unless given."),
  queue: optional(nonEmptyText, "The queue group of the processes that share the requests; `reprise` unless given."),
});

const server = objectOf<ServerConfig>({
  address: optional(
    textLike("a host and a port, as in 127.0.0.1:8080", "^(\\[[0-9a-fA-F:.]+\\]|[^\\s:/]+):[0-9]{1,5}$"),
    "Where it listens. Another address than the loopback one needs `auth`.",
  ),
  allowed_hosts: optional(listOf(nonEmptyText), "Names it is reached by, beside those of the loopback address."),
  allowed_origins: optional(listOf(webAddress), "Origins whose pages may use it, exactly as browsers send them."),
  trusted_proxies: optional(
    listOf(nonEmptyText),
    "Proxies in front, as `10.0.0.0/8`: what they say of clients is believed.",
  ),
  public_url: optional(webAddress, "Where browsers reach it, when that is not what requests say."),
  push_origins: optional(
    listOf(webAddress),
    "Origins of A2A push receivers that may be in a private network, as `http://10.0.0.5:9000`. Others must be public.",
  ),
  a2a: optional(a2a, "How A2A clients are answered."),
  acp: optional(acp, "What editors may bring to `reprise acp`."),
  mcp: optional(mcp, "What MCP clients see at `/mcp` and over stdio."),
  nats: optional(natsGateway, "Serves runs over NATS too."),
  limits: optional(limits, "What clients may take up."),
});

const acpAgent = objectOf<AcpAgentConfig>({
  command: needed(nonEmptyText, "The program to start."),
  args: optional(listOf(text), "Its arguments."),
  cwd: optional(nonEmptyText, "The folder it works in; the folder of this process unless given."),
  env: optional(recordOf(text, nonEmptyText), "Variables it gets beside those that are inherited."),
  inherit_env: optional(
    listOf(nonEmptyText),
    "The names of variables of this process that it inherits: `PATH`, `HOME` and a few more unless given, and no key.",
  ),
  after_loss: optional(
    oneOf("ask", "again"),
    "For a run whose process was lost while it worked: ask a person, or ask the agent again. `ask` unless given.",
  ),
  turn_timeout_ms: optional(
    wholeNumberFrom(1),
    "How long a turn may take until it ends or asks; 30 minutes unless given.",
  ),
  start_timeout_ms: optional(wholeNumberFrom(1), "How long it may take to open a session; 60 seconds unless given."),
  idle_timeout_ms: optional(
    wholeNumberFrom(1),
    "How long it stays alive while it waits for a decision; 15 minutes unless given.",
  ),
  max_text_length: optional(wholeNumberFrom(1), "The longest answer in characters; 1,000,000 unless given."),
});

/** The one description of the configuration: the reader, the JSON Schema and the reference page are made of it. */
export const CONFIG_SHAPE: Shape<ConfigFile> = objectOf<ConfigFile>({
  $schema: optional(nonEmptyText, "For editors. Not read."),
  agents: optional(listOf(agentEntry), "What can be run."),
  models: optional(recordOf(modelEntry, nonEmptyText), "Models by the id agents name them by; pools too."),
  providers: optional(recordOf(providerShape, nonEmptyText), "Who has the models, by the id models name them by."),
  plugins: optional(
    recordOf(recordOf(json, nonEmptyText), nonEmptyText),
    "By plugin, its sections, for every agent that has the plugin and no such section of its own.",
  ),
  acp_agents: optional(
    recordOf(acpAgent, nonEmptyText),
    'Programs that speak ACP, by the name that agents use in `endpoint: { backend: "acp", url: "acp:<name>" }`. Only the file can name them.',
  ),
  workflows: optional(
    listOf(nonEmptyText),
    "Workflow documents and agent files: files, folders, or patterns as in `./flows/*.yaml`, from the folder of the configuration. Only the file can name them.",
  ),
  store: optional(store, "Where threads live."),
  blobs: optional(blobs, "Where the bytes of larger files are. In the store unless given."),
  live: optional(live, "How events of runs reach readers in other processes while they happen."),
  auth: optional(authentication, "Who may come in."),
  server: optional(server, "Where the server listens, and for whom."),
});
