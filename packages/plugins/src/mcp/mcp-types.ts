import type { Json } from "@reprise/state";

// Types that the declarations of the package mention. Nothing here needs the SDK, which users need not have installed.

/** How a server is doing. */
export interface McpServerStatus {
  readonly server: string;
  /** `idle`: not needed yet, or closed. */
  readonly state: "idle" | "connecting" | "ready" | "failed" | "needs_authorization";
  readonly transport: "stdio" | "streamable_http";
  /** Where a person has to go to let us in. */
  readonly authorizationUrl?: string;
  /** The revision of the protocol that was agreed on. */
  readonly protocolVersion?: string;
  /** The ids of its tools, as of the last list that could be had. */
  readonly tools: readonly string[];
  /** Counts the lists that differed from the one before. */
  readonly listVersion: number;
  /** Tools that the server lists and that cannot be used, with the reason. */
  readonly leftOut: readonly { readonly tool: string; readonly reason: string }[];
  readonly consecutiveFailures: number;
  readonly lastError?: string;
  readonly lastAttemptAt?: number;
  readonly lastSuccessAt?: number;
}

/** Answers requests for a model's text, for servers that ask their client for it. */
export type McpSampling = (request: Json) => Promise<Json> | Json;

/** How a server is told who we are, with OAuth. */
export interface OAuthSettings {
  readonly kind: "oauth";
  readonly redirect_url: string;
  readonly client_metadata_url?: string;
  readonly client_id?: string;
  readonly client_secret?: string;
  readonly scope?: string;
}
