import type { RunOverrides, RunRequest } from "@reprise/contracts";
import { badRequest } from "../http/http-refusal.ts";
import type { JsonBody } from "../http/read-body.ts";
import { adaptDecisions } from "./decode-decisions.ts";
import { readShaped } from "./read-shaped.ts";
import { INPUTS_BODY, RUN_BODY } from "./run-body.ts";

/** A run request, and warnings about how it was written. */
export interface DecodedRunRequest {
  readonly request: RunRequest;
  readonly warnings: readonly string[];
}

/** Reads the body that starts a run. */
export function decodeRunRequest(body: JsonBody): DecodedRunRequest {
  const { value, warnings } = readShaped(body, RUN_BODY, (fields) => {
    const { agent_id = "" } = fields;
    if (typeof agent_id === "string" && agent_id.trim() === "") throw badRequest("agentId cannot be empty");
    return adaptDecisions(fields);
  });
  const { strict: _, messages = [], model, system_prompt, config, ...rest } = value;
  const overrides: RunOverrides = {
    ...(model !== undefined && { model }),
    ...(system_prompt !== undefined && { system_prompt }),
    ...(config !== undefined && { config }),
  };
  const chosen = Object.keys(overrides).length === 0 ? {} : { overrides };
  return { request: { ...rest, ...chosen, messages, origin: "user" }, warnings };
}

/** Input for a run that exists: decisions for it, or messages that continue after it. */
export interface RunInputs {
  readonly agentId?: string;
  readonly messages: RunRequest["messages"];
  readonly decisions: NonNullable<RunRequest["initial_decisions"]>;
  readonly warnings: readonly string[];
}

export function decodeRunInputs(body: JsonBody): RunInputs {
  const { value, warnings } = readShaped(body, INPUTS_BODY, adaptDecisions);
  const { agent_id, messages = [], initial_decisions: decisions = [] } = value;
  if (messages.length === 0 && decisions.length === 0) throw badRequest("messages and decisions cannot both be empty");
  if (messages.length > 0 && agent_id === undefined) throw badRequest("agentId is required when messages are provided");
  return { ...(agent_id !== undefined && { agentId: agent_id }), messages, decisions, warnings };
}
