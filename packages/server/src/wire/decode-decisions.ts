import type { DecisionVerb } from "@reprise/contracts";
import { isPlainObject } from "@reprise/contracts/shape";
import type { DecideOptions } from "@reprise/runtime";
import type { Json } from "@reprise/state";
import type { JsonBody } from "../http/read-body.ts";
import { readFields, textOf, wholeNumberOf } from "./read-fields.ts";
import { DECISION_BODY } from "./run-body.ts";

/** Gives the fields of decisions their own names. A body without decisions stays as it is. */
export function adaptDecisions({ initial_decisions: sent, ...rest }: JsonBody): JsonBody {
  if (sent === undefined) return rest;
  return { ...rest, initial_decisions: Array.isArray(sent) ? sent.map(adaptDecision) : sent };
}

function adaptDecision(sent: Json): Json {
  if (!isPlainObject(sent)) return sent;
  // An object of JSON, as was just seen.
  const { arguments: edited, result, payload, ...rest } = sent as JsonBody;
  // Only fields that are there are set.
  const { updated_at: _, ...fields } = readFields(rest, DECISION_BODY.names) as JsonBody;
  return {
    ...fields,
    // Values of these may be null, which is something else than left out.
    ...(edited !== undefined && { arguments: edited }),
    ...(result !== undefined && { result }),
    ...(payload !== undefined && { payload }),
  };
}

const VERB_FIELDS = {
  action: ["action"],
  arguments: ["arguments"],
  result: ["result"],
  reason: ["reason"],
  remember: ["remember"],
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
  const { action, remember } = fields;
  // The runtime refuses an action it does not know, and one without what it is about.
  const verb = { action, arguments: fields.arguments, result: fields.result, remember } as unknown as DecisionVerb;
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
