import { notFound } from "@reprise/contracts";
import type { CallPreview } from "@reprise/runtime";
import type { Json } from "@reprise/state";
import { answer } from "../http/answer.ts";
import { badRequest } from "../http/http-refusal.ts";
import type { Call } from "../http/route.ts";
import type { Principal } from "../security/principal.ts";
import { readFields, textOf } from "../wire/read-fields.ts";

/** A call that nobody made yet. */
export interface PreviewedCall {
  readonly agent_id: string;
  readonly tool_id: string;
  readonly arguments: Json;
}

/** What would happen to a call, and who says so. */
export type PermissionPreview = CallPreview;

/** Asks whoever rules over calls. It says what it would say if the call were made, and nothing is done. */
export type PreviewPermission = (
  call: PreviewedCall,
  principal: Principal,
) => PermissionPreview | Promise<PermissionPreview>;

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
