import type { JsonSchemaValidator } from "@modelcontextprotocol/client";
import {
  describeThrown,
  type Egress,
  RepriseError,
  type Tool,
  type ToolContext,
  type ToolSourceContext,
} from "@reprise/contracts";
import { findSectionProblem } from "@reprise/runtime";
import type { Json, JsonObject } from "@reprise/state";
import { transportOf } from "./call-result.ts";
import { createEgressFetch, MAX_MESSAGE_BYTES } from "./egress-fetch.ts";
import { cut, type ListedTool, readListedTool } from "./listed-tool.ts";
import { loadClient, type McpSdk } from "./load-client.ts";
import { DEFAULTS, type McpServerSettings } from "./mcp-settings.ts";
import type { McpServerStatus } from "./mcp-types.ts";
import { McpOAuth } from "./oauth.ts";
import { carryTask } from "./tasks.ts";
import { toolIds } from "./tool-ids.ts";

export type McpClient = InstanceType<McpSdk["Client"]>;

/** The settings and services of a connection. */
export interface ConnectionOptions {
  /** Tells connections with the same name of a server apart. */
  readonly id: string;
  readonly server: string;
  readonly settings: McpServerSettings;
  /** Executes a call of one of its tools. */
  execute(call: ConnectionCall): Promise<unknown>;
  /** Prepares a new client, before it connects. */
  configure?(client: McpClient): void;
  /** The capabilities that the client announces to servers. */
  readonly capabilities?: object;
}

/** A call of a tool on its connection. */
export interface ConnectionCall {
  readonly connection: McpConnection;
  readonly id: string;
  readonly tool: ListedTool;
  readonly input: JsonObject;
  readonly context: ToolContext;
}

/** After a failure the next attempt waits: 1 s, 2 s, 4 s … up to a minute. */
const FIRST_WAIT_MS = 1_000;
const LONGEST_WAIT_MS = 60_000;
const LIST_PAGES = 64;
const MODERN = "2026-07-28";
const MAX_LEFT_OUT = 50;
const STDERR_CHARS = 1_000;

/** The content that a server offers beside tools, as far as the operator allows it for the model. */
export interface ServerContent {
  readonly resources: boolean;
  readonly prompts: boolean;
}

/** The tools and the content of a server at one time. */
interface Snapshot {
  readonly tools: readonly Tool[];
  readonly content: ServerContent;
  /** The list as text, to see whether the next list differs. */
  readonly text: string;
  readonly leftOut: McpServerStatus["leftOut"];
}

/**
 * One server. It connects when it is needed and again when the connection was lost. A list of tools replaces the one before as a whole;
 * when no list can be had, the one before stays.
 */
export class McpConnection {
  readonly id: string;
  readonly server: string;
  readonly settings: McpServerSettings;
  readonly #options: ConnectionOptions;
  #egress: Egress | undefined;
  #oauth: McpOAuth | undefined;
  #client: McpClient | undefined;
  #connecting: Promise<McpClient> | undefined;
  #refreshing: Promise<void> | undefined;
  #snapshot: Snapshot = { tools: [], content: { resources: false, prompts: false }, text: "", leftOut: [] };
  #listVersion = 0;
  #isStale = true;
  #freshUntil = 0;
  #failures = 0;
  #retryAt = 0;
  #lastError: string | undefined;
  #lastAttemptAt: number | undefined;
  #lastSuccessAt: number | undefined;
  #stderr = "";

  constructor(options: ConnectionOptions) {
    this.#options = options;
    this.id = options.id;
    this.server = options.server;
    this.settings = options.settings;
  }

  get tools(): readonly Tool[] {
    return this.#snapshot.tools;
  }

  get content(): ServerContent {
    return this.#snapshot.content;
  }

  /** Whether the connection is up. */
  get isOpen(): boolean {
    return this.#client !== undefined;
  }

  /** Whether a person was asked to let us in. */
  get isAuthorizing(): boolean {
    return this.#oauth?.authorizationUrl !== undefined;
  }

  status(): McpServerStatus {
    const { settings } = this;
    const isBusy = this.#connecting !== undefined || this.#refreshing !== undefined;
    const rest = this.#client === undefined ? "idle" : "ready";
    const authorizationUrl = this.#oauth?.authorizationUrl;
    const failed = authorizationUrl === undefined ? "failed" : "needs_authorization";
    const protocolVersion = this.#client?.getNegotiatedProtocolVersion();
    return {
      server: this.server,
      state: isBusy ? "connecting" : this.#failures > 0 ? failed : rest,
      ...(authorizationUrl !== undefined && { authorizationUrl }),
      transport: transportOf(settings),
      ...(protocolVersion !== undefined && { protocolVersion }),
      tools: this.tools.map(({ descriptor }) => descriptor.id),
      listVersion: this.#listVersion,
      leftOut: this.#snapshot.leftOut,
      consecutiveFailures: this.#failures,
      ...(this.#lastError !== undefined && { lastError: this.#lastError }),
      ...(this.#lastAttemptAt !== undefined && { lastAttemptAt: this.#lastAttemptAt }),
      ...(this.#lastSuccessAt !== undefined && { lastSuccessAt: this.#lastSuccessAt }),
    };
  }

  /** Has a list that is fresh, if the server lets us. Fails only for a server that is required and was never listed. */
  prepare({ egress, documents }: Pick<ToolSourceContext, "egress" | "documents">): Promise<void> | undefined {
    this.#egress = egress ?? this.#egress;
    const { auth } = this.settings;
    if (auth?.kind === "oauth") this.#oauth ??= new McpOAuth(this.server, auth, documents("mcp_oauth"));
    const now = Date.now();
    const isFresh = !this.#isStale && now < this.#freshUntil;
    if (isFresh || (now < this.#retryAt && !this.#isMissing)) return undefined;
    return this.refresh().catch((error: unknown) => {
      if (this.#isMissing) throw error;
    });
  }

  /** Lists the tools now. A failure is thrown and noted; the list before stays. */
  refresh(): Promise<void> {
    this.#refreshing ??= this.#refresh().finally(() => {
      this.#refreshing = undefined;
    });
    return this.#refreshing;
  }

  /** The client, connected. */
  client(): Promise<McpClient> {
    if (this.#client !== undefined) return Promise.resolve(this.#client);
    this.#connecting ??= this.#connect().finally(() => {
      this.#connecting = undefined;
    });
    return this.#connecting;
  }

  async close(): Promise<void> {
    const client = this.#client ?? (await this.#connecting?.catch(() => undefined));
    this.#client = undefined;
    this.#isStale = true;
    await client?.close();
  }

  /** Takes in where the authorization server sent a person back to, and connects. */
  async finishAuthorization(callback: string): Promise<void> {
    const oauth = this.#oauth;
    const sdk = await loadClient();
    const params = new URL(callback).searchParams;
    if (oauth === undefined || !(await oauth.isExpected(params.get("state"))))
      throw new RepriseError(
        "INVALID_REQUEST",
        `MCP server ${this.server}: this authorization was not requested, or was completed already. Start it again.`,
      );
    const transport = this.#createTransport(sdk);
    if (!(transport instanceof sdk.StreamableHTTPClientTransport)) return;
    await transport.finishAuth(params);
    await this.refresh();
  }

  get #isMissing(): boolean {
    return this.settings.required === true && this.#lastSuccessAt === undefined;
  }

  async #refresh(): Promise<void> {
    this.#lastAttemptAt = Date.now();
    const { connect_timeout_ms: timeout = DEFAULTS.connect_timeout_ms, refresh_interval_ms: interval } = this.settings;
    try {
      const client = await this.client();
      // Before it is listed: a change that is told meanwhile counts.
      this.#isStale = false;
      const { tools, resources, prompts } = client.getServerCapabilities() ?? {};
      const listed = tools === undefined ? { tools: [] } : await list(client, timeout);
      await this.#take(listed.tools, {
        resources: resources !== undefined && this.settings.resources !== false,
        prompts: prompts !== undefined && this.settings.prompts !== false,
      });
      // The client keeps what the server says of how long a list is good in its own store, and answers from there.
      const told = "ttlMs" in listed && typeof listed.ttlMs === "number" ? Math.max(listed.ttlMs, 0) : undefined;
      const lasts = told ?? interval ?? DEFAULTS.refresh_interval_ms;
      this.#lastSuccessAt = Date.now();
      this.#freshUntil = this.#lastSuccessAt + lasts;
      this.#failures = 0;
      this.#retryAt = 0;
      this.#lastError = undefined;
    } catch (error) {
      this.#isStale = true;
      this.#failures += 1;
      this.#retryAt = Date.now() + Math.min(FIRST_WAIT_MS * 2 ** (this.#failures - 1), LONGEST_WAIT_MS);
      this.#lastError = cut(this.#explain(error), STDERR_CHARS);
      throw new Error(`MCP server ${this.server}: ${this.#lastError}`, { cause: error });
    }
  }

  #explain(error: unknown): string {
    const said = this.#stderr.trim();
    return said === "" ? describeThrown(error) : `${describeThrown(error)} (its standard error ends: ${said})`;
  }

  /** Swaps the list as a whole. Compiling schemas takes time, so others get a turn in between. */
  async #take(listed: readonly ListedTool[], content: ServerContent): Promise<void> {
    const { max_tools: most = DEFAULTS.max_tools, tools: own = {} } = this.settings;
    const text = JSON.stringify([listed, content]);
    if (text === this.#snapshot.text) return;
    const shown = listed.filter(({ name }) => own[name]?.hidden !== true);
    const ids = toolIds(
      this.server,
      shown.map(({ name }) => name),
    );
    const tools = new Map<string, Tool>();
    const leftOut: { tool: string; reason: string }[] = [];
    for (const tool of shown) {
      const id = ids.get(tool.name) ?? "";
      const reason = tools.has(id) ? "the server lists it twice" : this.#add(tools, id, tool, most);
      if (reason !== undefined && leftOut.length < MAX_LEFT_OUT) leftOut.push({ tool: cut(tool.name, 128), reason });
      await new Promise((resolve) => setImmediate(resolve));
    }
    this.#snapshot = { tools: [...tools.values()], content, text, leftOut };
    this.#listVersion += 1;
  }

  /** Adds a tool, or says why not. */
  #add(tools: Map<string, Tool>, id: string, listed: ListedTool, most: number): string | undefined {
    if (tools.size >= most) return `the server has more than ${most} tools`;
    const { server, settings } = this;
    try {
      const execute = (input: JsonObject, context: ToolContext): Promise<unknown> =>
        this.#options.execute({ connection: this, id, tool: listed, input, context });
      tools.set(id, readListedTool(listed, { id, server, settings, execute }));
      return undefined;
    } catch (error) {
      return cut(describeThrown(error), 300);
    }
  }

  async #connect(): Promise<McpClient> {
    const sdk = await loadClient();
    const { connect_timeout_ms: timeout = DEFAULTS.connect_timeout_ms, protocol = "auto" } = this.settings;
    const client = new sdk.Client(
      { name: "reprise", version: "0.1.0" },
      {
        capabilities: { ...this.#options.capabilities },
        versionNegotiation: {
          mode: protocol === "modern" ? { pin: MODERN } : protocol,
          probe: { timeoutMs: Math.ceil(timeout / 3) },
        },
        // A question to people outlives a request: it suspends the call.
        inputRequired: { autoFulfill: false },
        listMaxPages: LIST_PAGES,
        listChanged: { tools: { autoRefresh: false, debounceMs: 0, onChanged: () => this.#markStale() } },
        // Schemas of a server may hold patterns that take for ever; ours are linear.
        jsonSchemaValidator: { getValidator: (schema) => validatorOf(schema as JsonObject) },
      },
    );
    this.#options.configure?.(client);
    client.onclose = () => {
      if (this.#client === client) this.#client = undefined;
    };
    client.onerror = () => undefined;
    try {
      await client.connect(carryTasks(this.#createTransport(sdk)), { timeout });
    } catch (error) {
      await client.close().catch(() => undefined);
      throw error;
    }
    this.#client = client;
    return client;
  }

  #markStale(): void {
    this.#isStale = true;
  }

  #createTransport(sdk: McpSdk): Transport {
    const { command, args = [], env = {}, inherit_env: inherited = [], cwd, url = "", headers = {} } = this.settings;
    this.#stderr = "";
    if (command !== undefined) {
      const passed = inherited.flatMap((name) => {
        const value = process.env[name];
        return value === undefined ? [] : [[name, value] as const];
      });
      const transport = new sdk.StdioClientTransport({
        command,
        args: [...args],
        env: { ...sdk.getDefaultEnvironment(), ...Object.fromEntries(passed), ...env },
        ...(cwd !== undefined && { cwd }),
        stderr: "pipe",
        maxBufferSize: MAX_MESSAGE_BYTES,
      });
      transport.stderr?.on("data", (piece) => {
        this.#stderr = (this.#stderr + String(piece)).slice(-STDERR_CHARS);
      });
      return transport;
    }
    return new sdk.StreamableHTTPClientTransport(new URL(url), {
      fetch: createEgressFetch(this.#egress, this.settings),
      ...(this.#oauth !== undefined && { authProvider: this.#oauth }),
      requestInit: { headers: { ...headers, ...this.#authorization() } },
    });
  }

  #authorization(): Record<string, string> {
    const { auth } = this.settings;
    if (auth === undefined || auth.kind === "oauth") return {};
    const token = auth.kind === "env" ? process.env[auth.name] : auth.token;
    if (token === undefined || token === "")
      throw new Error(`the variable ${auth.kind === "env" ? auth.name : ""} is not set`);
    return { authorization: `Bearer ${token}` };
  }
}

type Transport = Parameters<McpClient["connect"]>[0];

/** Lets tasks through a client that does not know them. */
function carryTasks(transport: Transport): Transport {
  let receive: Transport["onmessage"];
  return Object.defineProperty(transport, "onmessage", {
    get: (): Transport["onmessage"] => receive && ((message, extra) => receive?.(carryTask(message), extra)),
    set: (given: Transport["onmessage"]) => {
      receive = given;
    },
  });
}

async function list(client: McpClient, timeout: number): Promise<{ readonly tools: readonly ListedTool[] }> {
  return client.listTools(undefined, { timeout, cacheMode: "refresh" });
}

function validatorOf<Value>(schema: JsonObject): JsonSchemaValidator<Value> {
  return (value) => {
    const problem = findSectionProblem(schema, value as Json);
    if (problem !== undefined) return { valid: false, data: undefined, errorMessage: problem };
    // Found to be what its schema describes.
    return { valid: true, data: value as Value, errorMessage: undefined };
  };
}
