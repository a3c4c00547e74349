import type { DecisionInput, DecisionVerb } from "@reprise/contracts";
import type { DecideOptions } from "@reprise/runtime";
import type { Json } from "@reprise/state";
import { badRequest } from "../http/http-refusal.ts";
import type { JsonBody } from "../http/read-body.ts";
import { listOf, readFields, textOf, wholeNumberOf } from "./read-fields.ts";

/** Reads decisions as clients send them along with a request. */
export function decodeDecisions(value: Json | undefined): readonly DecisionInput[] {
  return listOf("decisions", value).map((item, index) => decodeDecision(`decisions[${index}]`, item));
}

const DECISION_FIELDS = {
  target_id: ["target_id", "targetId"],
  action: ["action"],
  decision_id: ["decision_id", "decisionId"],
  suspension: ["suspension"],
  arguments: ["arguments"],
  result: ["result"],
  payload: ["payload"],
  reason: ["reason"],
  binding_hash: ["binding_hash", "bindingHash"],
  // When a client decided is its own clock's matter: taken, and not looked at.
  updated_at: ["updated_at", "updatedAt"],
} as const;

function decodeDecision(path: string, item: Json): DecisionInput {
  if (typeof item !== "object" || item === null || Array.isArray(item)) throw badRequest(`${path} is not an object`);
  // An object, as was just checked.
  const given = item as JsonBody;
  const fields = readFields(given, DECISION_FIELDS);
  const targetId = textOf(`${path}.target_id`, fields.target_id ?? "");
  const { action } = fields;
  if (action !== "resume" && action !== "cancel") throw badRequest(`${path}.action is resume or cancel`);
  const decisionId = textOf(`${path}.decision_id`, fields.decision_id);
  const bindingHash = textOf(`${path}.binding_hash`, fields.binding_hash);
  const reason = textOf(`${path}.reason`, fields.reason);
  const suspension = wholeNumberOf(`${path}.suspension`, fields.suspension);
  return {
    target_id: targetId ?? "",
    action,
    ...(decisionId !== undefined && { decision_id: decisionId }),
    ...(suspension !== undefined && { suspension }),
    // Values of these may be null, which is something else than left out.
    ...(given.arguments !== undefined && { arguments: given.arguments }),
    ...(given.result !== undefined && { result: given.result }),
    ...(given.payload !== undefined && { payload: given.payload }),
    ...(reason !== undefined && { reason }),
    ...(bindingHash !== undefined && { binding_hash: bindingHash }),
  };
}

const VERB_FIELDS = {
  action: ["action"],
  arguments: ["arguments"],
  result: ["result"],
  reason: ["reason"],
  decision_id: ["decisionId", "decision_id"],
  suspension: ["suspension"],
  binding_hash: ["bindingHash", "binding_hash"],
  run_id: ["runId", "run_id"],
} as const;

/** Reads one decision in the words of people: approve, deny, edit, supply. */
export function decodeVerb(body: JsonBody): { readonly verb: DecisionVerb; readonly options: DecideOptions } {
  const fields = readFields(body, VERB_FIELDS);
  const reason = textOf("reason", fields.reason);
  const decisionId = textOf("decision_id", fields.decision_id);
  const bindingHash = textOf("binding_hash", fields.binding_hash);
  const runId = textOf("run_id", fields.run_id);
  const suspension = wholeNumberOf("suspension", fields.suspension);
  const { action } = fields;
  // The runtime refuses an action it does not know, and one without what it is about.
  const verb = { action, arguments: fields.arguments, result: fields.result } as unknown as DecisionVerb;
  return {
    verb: reason === undefined ? verb : { ...verb, reason },
    options: {
      ...(decisionId !== undefined && { decisionId }),
      ...(suspension !== undefined && { suspension }),
      ...(bindingHash !== undefined && { bindingHash }),
      ...(runId !== undefined && { runId }),
    },
  };
}
