import { notFound } from "@reprise/contracts";
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
export interface PermissionPreview {
  readonly decision: "allow" | "ask" | "deny";
  readonly reason?: string;
  readonly source: string;
}

/** Asks whoever rules over calls. It says what it would say if the call were made, and nothing is done. */
export type PreviewPermission = (
  call: PreviewedCall,
  principal: Principal,
) => PermissionPreview | Promise<PermissionPreview>;

const FIELDS = {
  agent_id: ["agentId", "agent_id"],
  tool_id: ["toolId", "tool_id"],
  arguments: ["arguments"],
} as const;

export async function previewPermission(call: Call): Promise<Response> {
  const fields = readFields(await call.body.json(), FIELDS);
  const agentId = textOf("agentId", fields.agent_id);
  const toolId = textOf("toolId", fields.tool_id);
  if (agentId === undefined || toolId === undefined) throw badRequest("agentId and toolId are needed");
  const agent = call.runtime.agents().find(({ id }) => id === agentId);
  if (agent === undefined) throw notFound("AGENT_NOT_FOUND", "agent", agentId);
  const tool = agent.tools.find(({ id }) => id === toolId);
  if (tool === undefined) throw notFound("TOOL_NOT_FOUND", "tool", toolId);
  const previewed = { agent_id: agentId, tool_id: toolId, arguments: fields.arguments ?? {} };
  const given = await call.host.previewPermission?.(previewed, call.principal);
  return answer(call, 200, given ?? previewByTool(tool.needs_approval));
}

/** Where nobody else rules, the tool itself says whether it wants to be asked about. */
function previewByTool(needsApproval: boolean | "by_arguments"): PermissionPreview {
  if (needsApproval === false) return { decision: "allow", source: "tool" };
  const reason = needsApproval === true ? "the tool needs an approval" : "it depends on the arguments";
  return { decision: "ask", reason, source: "tool" };
}
