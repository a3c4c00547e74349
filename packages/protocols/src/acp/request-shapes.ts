import {
  describeProblem,
  isPlainObject,
  listOf,
  narrowed,
  needed,
  nonEmptyText,
  type ObjectShape,
  openObjectOf,
  optional,
  type Shape,
  text,
  unchecked,
  unionOf,
  wholeNumberFrom,
} from "@reprise/contracts/shape";
import type { Json } from "@reprise/state";
import type { AcpContent, AcpPermissionOutcome, AcpResource } from "./acp-types.ts";
import { RPC_ERRORS, RpcError } from "./rpc-peer.ts";

/** Reads the params of a request. Throws `-32602` and names what is wrong. */
export function readParams<Value>(shape: Shape<Value>, params: Json): Value {
  const value = isPlainObject(params) ? withoutNulls(params) : params;
  const [problem] = shape.problems(value, []);
  // It has the shape that was just checked.
  if (problem === undefined) return value as Value;
  throw new RpcError(RPC_ERRORS.invalidParams, `Invalid params: ${describeProblem(problem)}.`);
}

/** Optional fields may be null in ACP, which means the same as leaving them out. */
function withoutNulls(params: { readonly [key: string]: unknown }): { readonly [key: string]: unknown } {
  return Object.fromEntries(Object.entries(params).filter(([, value]) => value !== null));
}

/** ACP names files by absolute paths, of either kind of system. */
const absolutePath: Shape<string> = narrowed(text, (path) =>
  typeof path === "string" && /^(\/|[A-Za-z]:[\\/]|\\\\)/.test(path) ? undefined : "it must be an absolute path",
);

/** A variable of the environment, or a header. */
interface NamedValue {
  readonly name: string;
  readonly value: string;
}

const namedValues: Shape<readonly NamedValue[]> = listOf(
  openObjectOf<NamedValue>({ name: needed(nonEmptyText), value: needed(text) }),
);

/** An MCP server that a client names: a command, which has no type, or an address. */
export interface AcpMcpServer {
  readonly type?: string;
  readonly name: string;
  readonly command?: string;
  readonly args?: readonly string[];
  readonly env?: readonly NamedValue[];
  readonly url?: string;
  readonly headers?: readonly NamedValue[];
}

const MCP_SERVER: Shape<AcpMcpServer> = narrowed(
  openObjectOf<AcpMcpServer>({
    type: optional(text),
    name: needed(nonEmptyText),
    command: optional(nonEmptyText),
    args: optional(listOf(text)),
    env: optional(namedValues),
    url: optional(nonEmptyText),
    headers: optional(namedValues),
  }),
  (value) => {
    if (!isPlainObject(value)) return undefined;
    const { type = "stdio", command, url } = value;
    if (type === "stdio") return command === undefined ? "it must have a command" : undefined;
    if (type !== "http") return 'its type must be "http", or absent for a command';
    return typeof url === "string" && /^https?:\/\//.test(url) ? undefined : "it must have an http or https url";
  },
);

const sessionId = needed(nonEmptyText);
const folders = {
  cwd: needed(absolutePath),
  additionalDirectories: optional(listOf(absolutePath)),
  mcpServers: optional(listOf(MCP_SERVER)),
};

export interface SessionFolders {
  readonly cwd: string;
  readonly additionalDirectories?: readonly string[];
  readonly mcpServers?: readonly AcpMcpServer[];
}

export interface NamedSession {
  readonly sessionId: string;
}

interface ClientCapabilities {
  readonly session?: Json;
  readonly elicitation?: Json;
}

export interface InitializeParams {
  readonly protocolVersion: number;
  readonly clientCapabilities?: ClientCapabilities;
}

export const INITIALIZE: ObjectShape<InitializeParams> = openObjectOf<InitializeParams>({
  protocolVersion: needed(wholeNumberFrom(0)),
  clientCapabilities: optional(
    openObjectOf<ClientCapabilities>({
      session: optional(unchecked<Json>()),
      elicitation: optional(unchecked<Json>()),
    }),
  ),
});

export const NEW_SESSION: ObjectShape<SessionFolders> = openObjectOf<SessionFolders>(folders);

export const OLD_SESSION: ObjectShape<SessionFolders & NamedSession> = openObjectOf<SessionFolders & NamedSession>({
  sessionId,
  ...folders,
});

export const NAMED_SESSION: ObjectShape<NamedSession> = openObjectOf<NamedSession>({ sessionId });

export interface ListSessionsParams {
  readonly cwd?: string;
  readonly cursor?: string;
}

export const LIST_SESSIONS: ObjectShape<ListSessionsParams> = openObjectOf<ListSessionsParams>({
  cwd: optional(absolutePath),
  cursor: optional(nonEmptyText),
});

export interface SetModeParams extends NamedSession {
  readonly modeId: string;
}

export const SET_MODE: ObjectShape<SetModeParams> = openObjectOf<SetModeParams>({ sessionId, modeId: needed(text) });

export interface SetConfigParams extends NamedSession {
  readonly configId: string;
  readonly value: string;
}

export const SET_CONFIG: ObjectShape<SetConfigParams> = openObjectOf<SetConfigParams>({
  sessionId,
  configId: needed(text),
  value: needed(text),
});

const RESOURCE: Shape<AcpResource> = narrowed(
  openObjectOf<AcpResource>({
    uri: needed(text),
    mimeType: optional(unchecked<string | null>()),
    text: optional(text),
    blob: optional(text),
  }),
  (value) =>
    isPlainObject(value) && (value.text === undefined) === (value.blob === undefined)
      ? "it must have either text or blob"
      : undefined,
);

const CONTENT: Shape<AcpContent> = unionOf<"type", AcpContent>(
  "type",
  {
    text: { text: needed(text) },
    image: { data: needed(text), mimeType: needed(nonEmptyText), uri: optional(unchecked<string | null>()) },
    audio: { data: needed(text), mimeType: needed(nonEmptyText) },
    resource_link: {
      name: needed(text),
      uri: needed(text),
      mimeType: optional(unchecked<string | null>()),
    },
    resource: { resource: needed(RESOURCE) },
  },
  openObjectOf,
);

export interface PromptParams extends NamedSession {
  readonly prompt: readonly AcpContent[];
}

export const PROMPT: ObjectShape<PromptParams> = openObjectOf<PromptParams>({
  sessionId,
  prompt: needed(
    narrowed(listOf(CONTENT), (value) =>
      Array.isArray(value) && value.length === 0 ? "it must not be empty" : undefined,
    ),
  ),
});

export const PERMISSION_ANSWER: ObjectShape<{ readonly outcome: AcpPermissionOutcome }> = openObjectOf<{
  readonly outcome: AcpPermissionOutcome;
}>({
  outcome: needed(
    unionOf<"outcome", AcpPermissionOutcome>(
      "outcome",
      { cancelled: {}, selected: { optionId: needed(text) } },
      openObjectOf,
    ),
  ),
});
