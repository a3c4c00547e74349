import {
  createRpcPeer,
  NAMED_SESSION,
  PROMPT,
  RPC_ERRORS,
  RpcError,
  type RpcPeer,
  type RpcRequest,
  readParams,
} from "@reprise/protocols/acp";
import type { Json } from "@reprise/state";
import { closeSession, createSession, deleteSession, listSessions, loadSession } from "./answer-sessions.ts";
import { type AcpOptions, ConnectedClient } from "./connected-client.ts";
import { setConfigOption, setMode } from "./session-config.ts";

/** One client that is connected. */
export interface AcpConnection {
  /** Takes in one line of the client. */
  receive(line: string): void;
  /** The client is gone. Its runs continue or wait without it. */
  close(): void;
}

/** Speaks ACP with one client, line by line: sessions are threads, prompts are runs, permission requests are approvals. */
export function connectAcp(options: AcpOptions): AcpConnection {
  const peer: RpcPeer = createRpcPeer({
    write: (line) => options.write(line),
    admit: (method) => {
      if (method !== "initialize") client.assertIntroduced();
    },
    requests: {
      initialize: async ({ params }) => client.initialize(params),
      authenticate: async () => {
        throw new RpcError(RPC_ERRORS.invalidParams, "This agent needs no authentication: authMethods is empty.");
      },
      "session/new": (request) => createSession(client, request),
      "session/load": (request) => loadSession(client, request, { isShown: true }),
      "session/resume": (request) => loadSession(client, request, { isShown: false }),
      "session/list": ({ params }) => listSessions(client, params),
      "session/close": ({ params }) => closeSession(client, params),
      "session/delete": ({ params }) => deleteSession(client, params),
      "session/set_mode": ({ params }) => setMode(client, params),
      "session/set_config_option": ({ params }) => setConfigOption(client, params),
      "session/prompt": (request) => answerPrompt(client, request),
    },
    notifications: {
      "session/cancel": (params) => {
        const session = client.find(readParams(NAMED_SESSION, params).sessionId);
        if (session !== undefined) void session.cancel().catch((error) => client.warn(error));
      },
    },
  });
  const client = new ConnectedClient(options, peer);
  return { receive: (line) => peer.receive(line), close: () => client.leave() };
}

async function answerPrompt(client: ConnectedClient, { params, signal }: RpcRequest): Promise<Json> {
  const { sessionId, prompt } = readParams(PROMPT, params);
  const record = await client.records.load(sessionId);
  return client.open(sessionId).prompt(record, prompt, signal);
}
