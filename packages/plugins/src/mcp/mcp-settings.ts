import {
  flag,
  listOf,
  needed,
  nonEmptyText,
  type ObjectShape,
  objectOf,
  oneOf,
  optional,
  recordOf,
  type Shape,
  secret,
  text,
  textLike,
  unionOf,
  wholeNumberFrom,
} from "@reprise/contracts/shape";
import type { OAuthSettings } from "./mcp-types.ts";

/** The operator's settings for one tool. They override the hints of the server. */
export interface McpToolSettings {
  readonly class?: "read_only" | "mutating";
  readonly destructive?: boolean;
  readonly idempotent?: boolean;
  readonly needs_approval?: boolean;
  readonly hidden?: boolean;
}

/** How a server is told who we are. */
export type McpAuthSettings =
  | { readonly kind: "bearer"; readonly token: string }
  | { readonly kind: "env"; readonly name: string }
  | OAuthSettings;

/** One server: a command to start, or a URL. */
export interface McpServerSettings {
  readonly command?: string;
  readonly args?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  readonly inherit_env?: readonly string[];
  readonly cwd?: string;
  readonly url?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly auth?: McpAuthSettings;
  readonly private_network?: boolean;
  readonly protocol?: "auto" | "legacy" | "modern";
  readonly required?: boolean;
  readonly ignore_hints?: boolean;
  readonly tools?: Readonly<Record<string, McpToolSettings>>;
  readonly resources?: boolean;
  readonly prompts?: boolean;
  readonly connect_timeout_ms?: number;
  readonly timeout_ms?: number;
  readonly max_call_ms?: number;
  readonly max_task_ms?: number;
  readonly refresh_interval_ms?: number;
  readonly max_tools?: number;
  readonly max_description_chars?: number;
  readonly max_result_bytes?: number;
}

export interface McpSettings {
  readonly servers?: Readonly<Record<string, McpServerSettings>>;
}

type Limit = Extract<keyof McpServerSettings, `${string}_ms` | `max_${string}`>;

/** Limits of a server that says nothing else. */
export const DEFAULTS: Readonly<Record<Limit, number>> = {
  connect_timeout_ms: 15_000,
  timeout_ms: 60_000,
  max_call_ms: 600_000,
  max_task_ms: 86_400_000,
  refresh_interval_ms: 300_000,
  max_tools: 256,
  max_description_chars: 2_048,
  max_result_bytes: 4_194_304,
};

const tool: ObjectShape<McpToolSettings> = objectOf<McpToolSettings>({
  class: optional(oneOf("read_only", "mutating"), "Whether calls only read."),
  destructive: optional(flag, "Whether a call may destroy something."),
  idempotent: optional(flag, "Whether a call may be made again after a crash."),
  needs_approval: optional(flag, "Whether a human must agree to every call."),
  hidden: optional(flag, "Whether the tool is left out."),
});

const auth: Shape<McpAuthSettings> = unionOf<"kind", McpAuthSettings>("kind", {
  bearer: { token: needed(secret, "The token.") },
  env: { name: needed(nonEmptyText, "The variable that holds the token.") },
  oauth: {
    redirect_url: needed(nonEmptyText, "Where the authorization server sends people back to."),
    client_metadata_url: optional(nonEmptyText, "The client id metadata document of this installation."),
    client_id: optional(nonEmptyText, "The id of a client that was registered before."),
    client_secret: optional(secret, "Its secret."),
    scope: optional(nonEmptyText, "The scopes to ask for."),
  },
});

/**
 * The id of a tool is `mcp__server__tool`. Without double underscores, and none at its ends, the name of a server can be told from the
 * name of a tool, and two servers never have the same id.
 */
const serverName: Shape<string> = textLike(
  "1 to 32 letters, digits, - or single _ between them",
  "^(?=.{1,32}$)[A-Za-z0-9-]+(_[A-Za-z0-9-]+)*$",
);

const milliseconds: Shape<number> = wholeNumberFrom(1);

const server: ObjectShape<McpServerSettings> = objectOf<McpServerSettings>({
  command: optional(nonEmptyText, "The program to start. It speaks MCP over its standard input and output."),
  args: optional(listOf(text), "Its arguments. No shell reads them."),
  env: optional(recordOf(secret), "Variables of its environment, beside a few harmless ones such as PATH."),
  inherit_env: optional(listOf(nonEmptyText), "Variables of our environment that it gets."),
  cwd: optional(nonEmptyText, "The folder it starts in."),
  url: optional(nonEmptyText, "The address of a Streamable HTTP server."),
  headers: optional(recordOf(secret), "Headers of every request to the URL."),
  auth: optional(auth, "The token for the URL."),
  private_network: optional(flag, "Whether the host name of the URL may lead into a private network."),
  protocol: optional(oneOf("auto", "legacy", "modern"), "The era to speak. `auto` asks the server."),
  required: optional(flag, "Whether a run fails when the server cannot be reached."),
  ignore_hints: optional(flag, "Whether what the server says about its tools (read-only, idempotent) is ignored."),
  tools: optional(recordOf(tool), "What you know about single tools, by their name on the server."),
  resources: optional(flag, "Whether the model may list and read its resources. True unless given."),
  prompts: optional(flag, "Whether the model may list and get its prompts. True unless given."),
  connect_timeout_ms: optional(milliseconds, "How long connecting and listing may take. 15,000 unless given."),
  timeout_ms: optional(milliseconds, "How long a call may be silent. 60,000 unless given."),
  max_call_ms: optional(milliseconds, "How long a call may take in all. 600,000 unless given."),
  max_task_ms: optional(milliseconds, "How long a task of the server may take. A day unless given."),
  refresh_interval_ms: optional(milliseconds, "When tools are listed again without a notice. 300,000 unless given."),
  max_tools: optional(wholeNumberFrom(1), "How many tools count. 256 unless given."),
  max_description_chars: optional(wholeNumberFrom(1), "How much of a description counts. 2,048 unless given."),
  max_result_bytes: optional(wholeNumberFrom(1), "How large a result may be. 4,194,304 unless given."),
});

const servers: Shape<Readonly<Record<string, McpServerSettings>>> = recordOf(server, serverName);

/** Servers start programs and read the environment: a change over HTTP may not name any. */
const fromFile: typeof servers = { ...servers, schema: { ...servers.schema, "x-reprise-file-only": true } };

export const SETTINGS: ObjectShape<McpSettings> = objectOf<McpSettings>({
  servers: optional(fromFile, "The MCP servers, by name."),
});

/** Why a server cannot be used, or undefined. Said once for code and once for a section. */
export function findServerProblem(name: string, { command, url }: McpServerSettings): string | undefined {
  if ((command === undefined) === (url === undefined))
    return `The MCP server ${name} must have either a command or a url.`;
  if (url !== undefined && !/^https?:$/.test(URL.parse(url)?.protocol ?? ""))
    return `The url of the MCP server ${name} must be an http or https address.`;
  return undefined;
}
