import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import {
  createTaskSessionFromClient,
  type RawClientDispatch,
  type TaskEnabledSession,
} from "@modelcontextprotocol/ext-tasks/client";
import { onTestFinished } from "vitest";

const VERSION = "2026-07-28";
const INFO = { name: "test", version: "1.0.0" };
const CAPABILITIES = { elicitation: { form: {} }, extensions: { "io.modelcontextprotocol/tasks": {} } };

/** The official requester of tasks, in either era. The references that it gives out are good in any process. */
export async function openTaskSession(url: string, era: "legacy" | "modern"): Promise<TaskEnabledSession> {
  const client = new Client(INFO, {
    capabilities: era === "modern" ? CAPABILITIES : { elicitation: {} },
    versionNegotiation: { mode: era === "modern" ? { pin: VERSION } : "legacy" },
  });
  await client.connect(new StreamableHTTPClientTransport(new URL(`${url}/mcp`)));
  const options = { endpointId: "test" } as const;
  const framing = { protocolVersion: VERSION, clientInfo: INFO, clientCapabilities: CAPABILITIES };
  const session =
    era === "legacy"
      ? createTaskSessionFromClient(client, options)
      : createTaskSessionFromClient(client, {
          ...options,
          rawDispatch: dispatchTo(`${url}/mcp`),
          v2RequestFraming: framing,
        });
  onTestFinished(async () => {
    await session.close().catch(() => undefined);
    await client.close().catch(() => undefined);
  });
  return session;
}

/** The official client knows no results that are tasks, so its requester has the requests sent by its host. */
const dispatchTo =
  (address: string): RawClientDispatch =>
  async (request) => {
    const { method, params } = request as { method: string; params: { name?: string; taskId?: string } };
    const name = params.name ?? params.taskId;
    const response = await fetch(address, {
      method: "POST",
      headers: {
        "content-type": "application/json",
        accept: "application/json, text/event-stream",
        "mcp-protocol-version": VERSION,
        "mcp-method": method,
        ...(name !== undefined && { "mcp-name": name }),
      },
      body: JSON.stringify({ jsonrpc: "2.0", id: 1, ...(request as object) }),
    });
    const { result, error } = await response.json();
    return error === undefined ? { kind: "result", result } : { kind: "error", error };
  };
