import type { SuspendTicket } from "@reprise/contracts";
import type { ApprovalDescriptor } from "./ui-chunk.ts";

/** What is known of a question, in an event or in a call's row. */
export interface Question {
  readonly ticket: SuspendTicket;
  readonly suspension: number;
  readonly binding_hash: string;
  readonly expires_at?: number;
}

/** Whether a person has to approve or answer. A call whose answer is its result is executed by the front end. */
export function asksApproval({ resume_mode }: SuspendTicket): boolean {
  return resume_mode !== "use_decision_as_tool_result";
}

export function describeQuestion({ ticket, suspension, binding_hash, expires_at }: Question): ApprovalDescriptor {
  const { action, message, parameters, response_schema } = ticket.suspension;
  return {
    action,
    ...(message !== undefined && { message }),
    ...(parameters !== undefined && { parameters }),
    ...(response_schema !== undefined && { responseSchema: response_schema }),
    resumeMode: ticket.resume_mode,
    suspension,
    bindingHash: binding_hash,
    ...(expires_at !== undefined && { expiresAt: expires_at }),
  };
}
