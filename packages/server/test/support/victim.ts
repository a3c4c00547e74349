import type { Route } from "@reprise/server";
import { says } from "./open-demo.ts";
import type { GuardedServer } from "./start-guarded.ts";
import { VICTIM_EXPERIMENTS } from "./victim-experiments.ts";

/** What somebody has on a server, and others want: a thread with a run that is done and one that waits, a key and a blob. */
export interface Victim {
  readonly threadId: string;
  readonly doneId: string;
  readonly waitingId: string;
  /** The request of a route for these things, with a body its owner gets in with. */
  requestFor(route: Route): { readonly path: string; readonly body?: object };
  /** Everything that can be said of them, and of what was made out of them. */
  look(): Promise<readonly string[]>;
}

export const nameOf = ({ method, path }: Route): string => `${method} ${path}`;

export async function createVictim(server: GuardedServer, owner: string, name: string): Promise<Victim> {
  const [threadId, doneId, waitingId] = [`t-${name}`, `done-${name}`, `waiting-${name}`];
  const start = async (said: string, runId: string): Promise<unknown> =>
    (await server.send(owner, "POST", "/v1/runs", says(said, { threadId, runId }))).text();
  await start("hello", doneId);
  await start("pay 5", waitingId);
  const flowId = `flow-${name}`;
  const flow = { inputs: { version: "1" }, run_id: flowId, thread_id: `flow-thread-${name}` };
  await (await server.send(owner, "POST", "/v1/workflows/release/runs", flow)).text();
  // Read until it waits.
  await (await server.ask(owner, `/v1/workflow-runs/${flowId}/events`)).text();
  const key = await (await server.send(owner, "POST", "/v1/keys", { name, scopes: ["read"] })).json();
  const upload = { method: "POST", headers: { "content-type": "text/plain" }, body: `secret of ${name}` };
  const blob = await (await server.ask(owner, "/v1/blobs", upload)).json();
  const callId = `${waitingId}-s1-c0`;
  const ids: Readonly<Record<string, string>> = {
    threads: threadId,
    runs: waitingId,
    decisions: callId,
    keys: key.id,
    blobs: blob.id,
    agents: "assistant",
    config: "configured",
    workflows: "release",
    "workflow-runs": flowId,
  };
  const bodies: Readonly<Record<string, object>> = {
    "PATCH /v1/threads/:id/metadata": { title: "x" },
    "POST /v1/runs/:id/inputs": { decisions: [{ target_id: callId, action: "resume" }] },
    "POST /v1/decisions/:id": { action: "approve" },
    "POST /v1/runs/:id/rerun": { step: 1 },
    "PATCH /v1/runs/:id/budget": { limit_tokens: 1 },
    "POST /v1/agents/:id/tools/:tool_id/run": { arguments: { amount: 1 }, threadId },
    "POST /v1/ai-sdk/agents/:agent_id/runs": {
      id: threadId,
      messages: [{ id: "u1", role: "user", parts: [{ type: "text", text: "hello" }] }],
    },
    "POST /v1/a2a/agents/:agent_id/:action": { contextId: threadId, input: "hello" },
    "POST /v1/a2a/agents/:agent_id/rpc": { jsonrpc: "2.0", id: 1, method: "GetTask", params: { id: waitingId } },
    "POST /v1/a2a/agents/:agent_id/tasks/:task/pushNotificationConfigs": { url: "https://receiver.test" },
    "POST /v1/ag-ui/agents/:agent_id/runs": {
      threadId,
      runId: "another",
      messages: [{ id: "u1", role: "user", content: "hello" }],
      tools: [],
      context: [],
    },
    "POST /v1/workflows/:id/runs": { inputs: { version: "2" }, thread_id: `flow-thread-${name}` },
    "POST /v1/workflow-runs/:id/gates/:gate": { decision: "approved" },
    "POST /v1/workflow-runs/:id/events/:name": {},
    "POST /v1/workflow-runs/:id/restart": { from: "notes" },
    "PUT /v1/config/agents/:id": { model: "configured", system_prompt: "Changed." },
    "PUT /v1/config/models/:id": { provider: "provider-0", model: "changed" },
    "PUT /v1/config/providers/:id": { endpoint: "http://127.0.0.1:2" },
  };
  const own = [
    "/v1/experiments",
    `/v1/threads/${threadId}`,
    `/v1/threads/${threadId}/export`,
    `/v1/threads?parent_thread_id=${threadId}`,
    `/v1/runs?thread_id=${threadId}`,
    `/v1/decisions?run_id=${waitingId}`,
    `/v1/workflow-runs/${flowId}`,
    `/v1/runs?thread_id=flow-thread-${name}`,
    "/v1/keys",
  ];
  return {
    threadId,
    doneId,
    waitingId,
    requestFor(route) {
      const kind = route.path.replace(/\/(ai-sdk|ag-ui|a2a)\//, "/").split("/")[2] ?? "";
      // Only what is done can be told again.
      const isTold = /\/(replay|rerun|compare|export|model-calls|case)$/.test(route.path) && kind === "runs";
      const experimentId = VICTIM_EXPERIMENTS[route.method === "DELETE" ? 1 : 0];
      const id = isTold ? doneId : kind === "experiments" ? experimentId : ids[kind];
      if (id === undefined) throw new Error(`Nothing is there for ${nameOf(route)}: say what its ids name.`);
      const path = route.path
        .replace("config/providers/:id", "config/providers/provider-0")
        .replace(":entry_id", `${waitingId}-entry`)
        .replace(":tool_id", "pay")
        .replace(":chat_id", threadId)
        .replace(":gate", "approve")
        .replace(":name", "deployed")
        .replace(":action", "message:send")
        .replace(":task", route.method === "POST" && route.path.endsWith(":task") ? `${waitingId}:cancel` : waitingId)
        .replace(":config", "config")
        .replace(/:(id|agent_id)/, encodeURIComponent(id))
        // A path with an agent may name a thread too.
        .replace(":id", threadId);
      const body = bodies[nameOf(route)];
      const other = kind === "experiments" ? experimentId : doneId;
      return { path: `${path}?with=${other}&step=1`, ...(body !== undefined && { body }) };
    },
    look: () =>
      Promise.all(
        own.map(async (path) => {
          const response = await server.ask(owner, path);
          return `${path} ${response.status} ${await response.text()}`;
        }),
      ),
  };
}
