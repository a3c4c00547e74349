import type { DecisionVerb, ToolCallRecord } from "@reprise/contracts";
import type { Json } from "@reprise/state";
import { badRequest } from "../http/http-refusal.ts";
import type { JsonBody } from "../http/read-body.ts";
import { readFields, textOf } from "../wire/read-fields.ts";

export const GATE_DECISIONS = ["approved", "rejected", "input_provided"] as const;

/** What a person answers at a gate. */
export interface GateAnswer {
  readonly decision: (typeof GATE_DECISIONS)[number];
  readonly payload?: Json;
  readonly comment?: string;
  readonly decisionId?: string;
}

const FIELDS = {
  decision: ["decision"],
  payload: ["payload"],
  comment: ["comment"],
  decision_id: ["decisionId", "decision_id"],
} as const;

export function decodeGateAnswer(body: JsonBody): GateAnswer {
  const fields = readFields(body, FIELDS);
  const decision = GATE_DECISIONS.find((known) => known === fields.decision);
  if (decision === undefined) throw badRequest(`decision is one of ${GATE_DECISIONS.join(", ")}`);
  const [comment, decisionId] = [textOf("comment", fields.comment), textOf("decision_id", fields.decision_id)];
  // Null is a payload too.
  const { payload } = body;
  return {
    decision,
    ...(payload !== undefined && { payload }),
    ...(comment !== undefined && { comment }),
    ...(decisionId !== undefined && { decisionId }),
  };
}

/** The answer as a decision on the call that stands for the gate. */
export function verbOf({ ticket }: ToolCallRecord, { decision, payload, comment }: GateAnswer): DecisionVerb {
  const isInput = ticket?.suspension.action === "gate:input";
  const reason = comment === undefined ? {} : { reason: comment };
  if (decision === "rejected") {
    if (payload !== undefined) throw badRequest("a rejection has no payload; say why in comment");
    return { action: "deny", ...reason };
  }
  if ((decision === "input_provided") !== isInput) {
    throw badRequest(
      `the gate ${isInput ? "asks for input: send input_provided" : "is answered by approved or rejected"}`,
    );
  }
  if (isInput && payload === undefined) throw badRequest("input_provided needs the payload");
  return payload === undefined ? { action: "approve", ...reason } : { action: "supply", result: payload, ...reason };
}
