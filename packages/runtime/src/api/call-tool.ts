import { type HandCall, notFound, type RunRequest } from "@reprise/contracts";
import type { Json } from "@reprise/state";
import { copyJson } from "../json/copy-json.ts";
import type { Services } from "../loop/services.ts";
import { type PreparedRun, prepareRun } from "./prepare-run.ts";

/** One call of one tool, without a model. */
export interface CallTool {
  /** The agent whose tool it is: its plugins and lists apply. */
  readonly agent: string;
  readonly tool: string;
  readonly arguments?: Json;
  /** The thread whose state the tool sees and changes; a new one unless given. */
  readonly threadId?: string;
  /** The run's id, for a caller that may have to ask again: a second time it is refused. Made up unless given. */
  readonly runId?: string;
}

/** Prepares a run that makes one call and ends. It is a run like any other: recorded, asked for approval, taken over after a crash. */
export function prepareToolCall(
  services: Services,
  tenant: string,
  { agent, tool, arguments: input = {}, threadId, runId }: CallTool,
): PreparedRun {
  const { tools } = services.agents.resolve(agent, tenant);
  if (!tools.has(tool)) throw notFound("TOOL_NOT_FOUND", "tool", tool, [...tools.keys()]);
  const request: RunRequest = {
    agent_id: agent,
    messages: [{ role: "user", content: `Call ${tool}.` }],
    ...(threadId !== undefined && { thread_id: threadId }),
    ...(runId !== undefined && { run_id: runId }),
  };
  return byHand(prepareRun(services, tenant, request), { tool_id: tool, arguments: copyJson(input) });
}

/** Has a prepared run make one call. Added after the check of its request, which takes this from no client. */
export function byHand(prepared: PreparedRun, by_hand: HandCall): PreparedRun {
  const { entry } = prepared;
  const policy = { ...entry.request.policy, by_hand };
  return { ...prepared, entry: { ...entry, request: { ...entry.request, policy } } };
}
