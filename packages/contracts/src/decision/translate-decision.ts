import type { Json } from "@reprise/state";
import type { DecisionInput } from "./decision.ts";

/** Words that mean no, however they are written. */
const DENIALS: ReadonlySet<string> = new Set([
  "false",
  "no",
  "denied",
  "deny",
  "reject",
  "rejected",
  "cancel",
  "canceled",
  "cancelled",
  "abort",
  "aborted",
]);

/** Fields that mean no when they are true. */
const DENIAL_FLAGS = ["denied", "reject", "rejected", "cancel", "canceled", "cancelled", "abort", "aborted"] as const;

/** Fields that mean yes when they are true. */
const CONSENT_FIELDS = ["approved", "allowed"] as const;

/** Fields that hold a word for what was decided. */
const VERDICT_FIELDS = ["status", "decision", "action"] as const;

const REASON_FIELDS = ["reason", "message", "error"] as const;

/** Words that mean yes and nothing else. */
const APPROVALS: ReadonlySet<string> = new Set(["true", "yes", "approved", "allow", "confirm", "ok", "accept"]);

/**
 * Reads what a front end sends as the answer to a suspended call. The payload goes with it, for resume modes that use it.
 * Null, numbers and lists say nothing, and mean no. Other texts and objects are answers, unless they say no.
 */
export function translateDecision(targetId: string, payload: Json): DecisionInput {
  const reason = reasonOf(payload);
  const action = isDenial(payload) ? "cancel" : "resume";
  // No decision id: one made of the target alone could not tell the questions of one call apart.
  return { target_id: targetId, action, payload, ...(reason !== undefined && { reason }) };
}

/** Whether a value says yes and nothing more: then it lets a call run and is not its result. */
export function isApproval(payload: Json): boolean {
  if (payload === true) return true;
  if (typeof payload === "string") return APPROVALS.has(payload.trim().toLowerCase());
  if (typeof payload !== "object" || payload === null || Array.isArray(payload)) return false;
  const { approved, allowed } = payload as { readonly [key: string]: Json };
  return approved === true || allowed === true;
}

function isDenial(payload: Json): boolean {
  if (typeof payload === "boolean") return !payload;
  if (typeof payload === "string") return isDenialWord(payload);
  if (typeof payload !== "object" || payload === null || Array.isArray(payload)) return true;
  const fields = payload as { readonly [key: string]: Json };
  // A field that asks for a yes and holds anything else is a no.
  if (CONSENT_FIELDS.some((field) => Object.hasOwn(fields, field) && !isApproval(fields[field] ?? null))) return true;
  if (DENIAL_FLAGS.some((flag) => fields[flag] === true)) return true;
  return VERDICT_FIELDS.some((field) => isDenialWord(fields[field]));
}

function isDenialWord(value: Json | undefined): boolean {
  return typeof value === "string" && DENIALS.has(value.trim().toLowerCase());
}

function reasonOf(payload: Json): string | undefined {
  if (typeof payload === "string") return payload;
  if (typeof payload !== "object" || payload === null || Array.isArray(payload)) return undefined;
  const fields = payload as { readonly [key: string]: Json };
  return REASON_FIELDS.map((field) => fields[field]).find((value) => typeof value === "string");
}
