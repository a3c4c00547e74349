import { notFound } from "@reprise/contracts";
import type { HttpExchange } from "../host/route.ts";
import { answer } from "../http/answer.ts";
import { badRequest } from "../http/http-refusal.ts";
import { readFields, textOf } from "../wire/read-fields.ts";

const FIELDS = {
  agent_id: ["agentId", "agent_id"],
  tool_id: ["toolId", "tool_id"],
  arguments: ["arguments"],
  thread_id: ["threadId", "thread_id"],
} as const;

export async function previewPermission(exchange: HttpExchange): Promise<Response> {
  const fields = readFields(await exchange.body.json(), FIELDS);
  const agentId = textOf("agentId", fields.agent_id);
  const toolId = textOf("toolId", fields.tool_id);
  if (agentId === undefined || toolId === undefined) throw badRequest("agentId and toolId are needed");
  const agent = exchange.runtime.agents().find(({ id }) => id === agentId);
  if (agent === undefined) throw notFound("AGENT_NOT_FOUND", "agent", agentId);
  if (!agent.tools.some(({ id }) => id === toolId)) throw notFound("TOOL_NOT_FOUND", "tool", toolId);
  const previewed = { agent_id: agentId, tool_id: toolId, arguments: fields.arguments ?? {} };
  const ruled = await exchange.host.previewPermission?.(previewed, exchange.principal);
  if (ruled !== undefined) return answer(exchange, 200, ruled);
  const threadId = textOf("threadId", fields.thread_id);
  const preview = await exchange.runtime.previewCall({
    agent: agentId,
    tool: toolId,
    ...(fields.arguments !== undefined && { arguments: fields.arguments }),
    ...(threadId !== undefined && { threadId }),
  });
  return answer(exchange, 200, preview);
}
