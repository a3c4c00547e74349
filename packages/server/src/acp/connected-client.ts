import { isPlainObject } from "@reprise/contracts/shape";
import {
  ACP_VERSION,
  INITIALIZE,
  type InitializeParams,
  RPC_ERRORS,
  RpcError,
  type RpcPeer,
  readParams,
} from "@reprise/protocols/acp";
import type { TenantRuntime } from "@reprise/runtime";
import type { Json } from "@reprise/state";
import type { EditorServers } from "./editor-servers.ts";
import { OpenSession } from "./open-session.ts";
import { SessionRecords } from "./session-records.ts";

export interface AcpOptions {
  readonly runtime: TenantRuntime;
  /** Sends one line to the client. A promise is back-pressure. */
  write(line: string): void | Promise<void>;
  /** The agent of new sessions: `default`, or the first one, unless given. */
  readonly agent?: string;
  /** Shown to the client. */
  readonly version: string;
  /** Uses the MCP servers that the client brings to its sessions. Without it they are not used. */
  readonly editorServers?: EditorServers;
  /** Hears of requests that are served only in part. */
  warn?(text: string): void;
}

/** The client of a connection: what it can show, and the sessions that it has open. */
export class ConnectedClient {
  readonly options: AcpOptions;
  readonly runtime: TenantRuntime;
  readonly records: SessionRecords;
  readonly #peer: RpcPeer;
  readonly #sessions = new Map<string, OpenSession>();
  #introduced: InitializeParams | undefined;

  constructor(options: AcpOptions, peer: RpcPeer) {
    this.options = options;
    this.runtime = options.runtime;
    this.records = new SessionRecords(options.runtime);
    this.#peer = peer;
  }

  assertIntroduced(): void {
    if (this.#introduced === undefined)
      throw new RpcError(RPC_ERRORS.invalidRequest, "The first request must be initialize.");
  }

  initialize(params: Json): Json {
    this.#introduced = readParams(INITIALIZE, params);
    return {
      protocolVersion: ACP_VERSION,
      agentInfo: { name: "reprise", title: "Reprise", version: this.options.version },
      agentCapabilities: {
        loadSession: true,
        promptCapabilities: { image: true, audio: true, embeddedContext: true },
        mcpCapabilities: { http: this.options.editorServers !== undefined, sse: false },
        sessionCapabilities: { list: {}, resume: {}, close: {}, delete: {} },
      },
      authMethods: [],
    };
  }

  get defaultAgent(): string {
    const ids = this.runtime.agents().map(({ id }) => id);
    return this.options.agent ?? ids.find((id) => id === "default") ?? ids[0] ?? "default";
  }

  /** A session that was opened before in this process. */
  find(id: string): OpenSession | undefined {
    return this.#sessions.get(id);
  }

  /** A session, opened when it is not. */
  open(id: string): OpenSession {
    const known = this.#sessions.get(id);
    if (known !== undefined) return known;
    const { session: shown, elicitation } = this.#introduced?.clientCapabilities ?? {};
    const session = new OpenSession(id, {
      runtime: this.runtime,
      records: this.records,
      peer: this.#peer,
      encoding: { notices: isOffered(shown, "notices"), compaction: isOffered(shown, "compaction") },
      hasForms: isOffered(elicitation, "form"),
      warn: (error) => this.warn(error),
    });
    this.#sessions.set(id, session);
    return session;
  }

  forget(id: string): void {
    this.#sessions.delete(id);
  }

  /** The client is gone. Its runs continue or wait without it. */
  leave(): void {
    const gone = new RpcError(RPC_ERRORS.internal, "The client is gone.");
    this.#peer.close(gone.message);
    for (const session of this.#sessions.values()) session.leave(gone);
    this.#sessions.clear();
  }

  /** Tells the owner of the process, and the client where it shows notices, once its request is answered. */
  tell(session: OpenSession, title: string, answered: Promise<void>): void {
    this.options.warn?.(title);
    if (isOffered(this.#introduced?.clientCapabilities?.session, "notices"))
      void answered.then(() => session.update({ sessionUpdate: "notice", severity: "warning", title }));
  }

  warn(error: unknown): void {
    this.options.warn?.(error instanceof Error ? error.message : String(error));
  }
}

/** A capability is offered by an object, or by true. */
function isOffered(capabilities: unknown, name: string): boolean {
  if (!isPlainObject(capabilities)) return false;
  const offered = capabilities[name];
  return offered !== undefined && offered !== null && offered !== false;
}
