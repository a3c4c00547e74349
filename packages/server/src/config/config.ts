import type { Json, JsonObject } from "@reprise/state";
import type { JwtAlgorithm, JwtClaims } from "../security/jwt.ts";

/** A text that is looked up in the environment when it is needed. */
export interface EnvReference {
  readonly kind: "env";
  readonly name: string;
}

/** The credential for a provider: the name of an environment variable that holds the key, or the key itself. */
export type ProviderAuth = EnvReference | { readonly kind: "token"; readonly value: string };

/** Who has models, and how it is reached. */
export interface ProviderConfig {
  readonly adapter_kind?: string;
  readonly endpoint?: string;
  readonly auth?: ProviderAuth;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Where threads live. Left out, the host decides. */
export type StoreConfig =
  | { readonly kind: "sqlite"; readonly file?: string }
  | { readonly kind: "postgres"; readonly url?: string | EnvReference; readonly schema?: string }
  | { readonly kind: "file"; readonly folder?: string }
  | { readonly kind: "memory" }
  | {
      readonly kind: "nats";
      readonly nats_url?: string | EnvReference;
      readonly url?: string | EnvReference;
      readonly schema?: string;
    };

/** Where the bytes of larger files are, beside a SQLite or Postgres store. */
export interface BlobsConfig {
  readonly kind: "s3";
  readonly bucket: string;
  readonly region?: string;
  readonly endpoint?: string;
  readonly public_endpoint?: string;
  readonly prefix?: string;
  readonly access_key_id?: string | EnvReference;
  readonly secret_access_key?: string | EnvReference;
  readonly session_token?: string | EnvReference;
  readonly inline_bytes?: number;
  readonly link_seconds?: number;
}

/** How events of runs reach readers in other processes while they happen. */
export interface LiveEventsConfig {
  readonly kind: "nats";
  readonly url?: string | EnvReference;
  readonly prefix?: string;
}

/** Tokens that others issue. Exactly one of `jwks_url` and `public_key`. */
export interface JwtConfig {
  readonly issuer: string;
  readonly audience: string;
  readonly algorithm: JwtAlgorithm;
  readonly jwks_url?: string;
  readonly public_key?: string;
  readonly claims?: JwtClaims;
}

/** Who may come in. */
export interface AuthConfig {
  readonly api_keys?: boolean;
  readonly jwt?: JwtConfig;
}

export interface ServerLimitsConfig {
  readonly max_body_bytes?: number;
  readonly max_blob_bytes?: number;
  readonly max_tenant_blob_bytes?: number;
  readonly max_streams?: number;
  readonly max_streams_per_principal?: number;
  readonly requests_per_address?: number;
  readonly requests_per_principal?: number;
  readonly window_ms?: number;
  readonly headers_timeout_ms?: number;
  readonly request_timeout_ms?: number;
}

/** What MCP clients see. */
export interface McpConfig {
  readonly agents?: readonly string[];
  readonly tools?: readonly { readonly agent: string; readonly tool: string }[];
  readonly task_after_ms?: number;
}

/** What editors may bring. */
export interface AcpConfig {
  readonly mcp_servers?: "all" | "http" | "none";
}

/** How A2A clients are answered. */
export interface A2aConfig {
  readonly message_agents?: readonly string[];
}

/** A gateway that serves runs over NATS. */
export interface NatsGatewayConfig {
  readonly url?: string | EnvReference;
  readonly ag_ui_subject?: string;
  readonly ai_sdk_subject?: string;
  readonly queue?: string;
}

/** Where the server listens, and for whom. */
export interface ServerConfig {
  readonly address?: string;
  readonly allowed_hosts?: readonly string[];
  readonly allowed_origins?: readonly string[];
  readonly trusted_proxies?: readonly string[];
  readonly public_url?: string;
  readonly push_origins?: readonly string[];
  readonly a2a?: A2aConfig;
  readonly acp?: AcpConfig;
  readonly mcp?: McpConfig;
  readonly nats?: NatsGatewayConfig;
  readonly limits?: ServerLimitsConfig;
}

/** A program that speaks ACP, and how it is started. Agents name it by `endpoint: { backend: "acp", url: "acp:<name>" }`. */
export interface AcpAgentConfig {
  readonly command: string;
  readonly args?: readonly string[];
  readonly cwd?: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly inherit_env?: readonly string[];
  readonly after_loss?: "ask" | "again";
  readonly turn_timeout_ms?: number;
  readonly start_timeout_ms?: number;
  readonly idle_timeout_ms?: number;
  readonly max_text_length?: number;
}

/** The configuration as it stands in a file: everything may be left out. */
export interface ConfigFile {
  readonly $schema?: string;
  readonly agents?: readonly JsonObject[];
  readonly models?: Readonly<Record<string, JsonObject>>;
  readonly providers?: Readonly<Record<string, ProviderConfig>>;
  readonly plugins?: Readonly<Record<string, Readonly<Record<string, Json>>>>;
  readonly acp_agents?: Readonly<Record<string, AcpAgentConfig>>;
  readonly workflows?: readonly string[];
  readonly store?: StoreConfig;
  readonly blobs?: BlobsConfig;
  readonly live?: LiveEventsConfig;
  readonly auth?: AuthConfig;
  readonly server?: ServerConfig;
}

/** One JSON document: what to run, and on what. Checked; agents and models are as they were written. */
export interface Config extends Omit<ConfigFile, "$schema"> {
  readonly agents: readonly JsonObject[];
  readonly models: Readonly<Record<string, JsonObject>>;
  readonly providers: Readonly<Record<string, ProviderConfig>>;
}
