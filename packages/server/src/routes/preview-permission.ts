import { notFound } from "@reprise/contracts";
import type { Call } from "../host/route.ts";
import { answer } from "../http/answer.ts";
import { badRequest } from "../http/http-refusal.ts";
import { readFields, textOf } from "../wire/read-fields.ts";

const FIELDS = {
  agent_id: ["agentId", "agent_id"],
  tool_id: ["toolId", "tool_id"],
  arguments: ["arguments"],
  thread_id: ["threadId", "thread_id"],
} as const;

export async function previewPermission(call: Call): Promise<Response> {
  const fields = readFields(await call.body.json(), FIELDS);
  const agentId = textOf("agentId", fields.agent_id);
  const toolId = textOf("toolId", fields.tool_id);
  if (agentId === undefined || toolId === undefined) throw badRequest("agentId and toolId are needed");
  const agent = call.runtime.agents().find(({ id }) => id === agentId);
  if (agent === undefined) throw notFound("AGENT_NOT_FOUND", "agent", agentId);
  if (!agent.tools.some(({ id }) => id === toolId)) throw notFound("TOOL_NOT_FOUND", "tool", toolId);
  const previewed = { agent_id: agentId, tool_id: toolId, arguments: fields.arguments ?? {} };
  const ruled = await call.host.previewPermission?.(previewed, call.principal);
  if (ruled !== undefined) return answer(call, 200, ruled);
  const threadId = textOf("threadId", fields.thread_id);
  const preview = await call.runtime.previewCall({
    agent: agentId,
    tool: toolId,
    ...(fields.arguments !== undefined && { arguments: fields.arguments }),
    ...(threadId !== undefined && { threadId }),
  });
  return answer(call, 200, preview);
}
