import {
  continuesByItself,
  type DecisionInput,
  findRememberProblem,
  invalidRequest,
  RepriseError,
  type ToolCallRecord,
} from "@reprise/contracts";
import { isJson, type Json } from "@reprise/state";
import { findReservedKey } from "../json/parse-arguments.ts";

/** Refuses a decision whose words could be misread: what is not clearly said must never let a tool run. */
export function assertDecisionInput(input: DecisionInput): void {
  if (input.action !== "resume" && input.action !== "cancel") {
    throw invalidRequest(`The action of a decision must be resume or cancel (got ${JSON.stringify(input.action)}).`);
  }
  const problem = input.remember === undefined ? undefined : findRememberProblem(input.remember);
  if (problem !== undefined) throw invalidRequest(`\`remember\` of a decision: ${problem}.`);
  assertDecidedValue("arguments", input.arguments);
  assertDecidedValue("result", input.result);
  assertDecidedValue("result", input.payload);
}

/** Edited arguments obey the same rules as a model's. */
export function assertDecidedValue(what: "arguments" | "result", value: Json | undefined): void {
  if (value === undefined) return;
  if (!isJson(value)) throw invalidRequest(`The ${what} of a decision must be JSON.`);
  const reserved = what === "arguments" ? findReservedKey(value) : undefined;
  if (reserved !== undefined) throw invalidRequest(`The key ${JSON.stringify(reserved)} is not allowed in arguments.`);
}

/** Refuses a decision that was made about something else. */
export function assertBinding(call: ToolCallRecord, wanted: string | undefined, actual?: string): void {
  if (wanted === undefined || wanted === (call.binding_hash ?? actual)) return;
  throw new RepriseError(
    "BINDING_MISMATCH",
    `The decision on tool call ${call.call_id} was made about other arguments or another tool version. Read the call again before deciding.`,
  );
}

/** A call that waits for a run is answered by that run alone, and one that waits for a time by nothing else. */
export function assertAsksPerson({ call_id, ticket }: Pick<ToolCallRecord, "call_id" | "ticket">): void {
  if (ticket === undefined || !continuesByItself({ ticket })) return;
  const { run_id } = ticket;
  const message =
    run_id === undefined
      ? `Tool call ${call_id} continues by itself and needs no decision. Cancel its run to end it.`
      : `Tool call ${call_id} waits for run ${run_id} and not for a decision. Cancel that run to end the wait.`;
  throw new RepriseError("NOT_SUSPENDED", message, { details: { call_id, ...(run_id !== undefined && { run_id }) } });
}
