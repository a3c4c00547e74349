import type { DecisionVerb, SuspendTicket } from "@reprise/contracts";
import type { Json, JsonObject } from "@reprise/state";
import { isObject } from "./json-rpc.ts";

const ARGUMENTS_CHARS = 2_000;

/** The question of a suspended call as a form, in the params of `elicitation/create`. */
export function encodeQuestion(ticket: SuspendTicket): JsonObject {
  const { suspension, pending } = ticket;
  const asked = suspension.message ?? `${pending.name} needs a decision.`;
  if (!isApproval(ticket)) return { mode: "form", message: asked, requestedSchema: formOf(suspension.response_schema) };
  const given = JSON.stringify(pending.arguments);
  const shown = given.length > ARGUMENTS_CHARS ? `${given.slice(0, ARGUMENTS_CHARS).toWellFormed()}…` : given;
  return {
    mode: "form",
    // The person decides about exactly these arguments.
    message: `${asked}\n\n${pending.name}(${shown})`,
    requestedSchema: {
      type: "object",
      properties: {
        approve: { type: "boolean", title: "Approve", description: "Whether the call may run." },
        reason: { type: "string", title: "Reason", description: "Told to the agent when the call is denied." },
      },
      required: ["approve"],
    },
  };
}

/** The decision in the answer to a form. Closing a form without a choice is a no. Undefined for what is no answer. */
export function decodeAnswer(ticket: SuspendTicket, answer: Json | undefined): DecisionVerb | undefined {
  const { action, content } = isObject(answer) ? answer : {};
  if (action === "decline") return { action: "deny" };
  if (action === "cancel") return { action: "deny", reason: "The question was closed without a choice." };
  if (action !== "accept") return undefined;
  const given = isObject(content) ? content : {};
  if (isApproval(ticket)) {
    const { approve, reason } = given;
    if (approve === true) return { action: "approve" };
    return { action: "deny", ...(typeof reason === "string" && reason !== "" && { reason }) };
  }
  const isWrapped = !isForm(ticket.suspension.response_schema);
  return { action: "supply", result: isWrapped ? readText(given.answer) : given };
}

/** A yes or a no is asked for, and nothing more. */
function isApproval({ resume_mode, suspension }: SuspendTicket): boolean {
  return resume_mode === "replay_tool_call" && suspension.response_schema === undefined;
}

const PRIMITIVES: readonly unknown[] = ["string", "number", "integer", "boolean"];

/** Forms are flat: an object of texts, numbers, flags and choices. */
function isForm(schema: JsonObject | undefined): schema is JsonObject {
  if (schema?.type !== "object" || !isObject(schema.properties)) return false;
  return Object.values(schema.properties).every(
    (field) =>
      isObject(field) && (PRIMITIVES.includes(field.type) || (field.type === "array" && isObject(field.items))),
  );
}

function formOf(schema: JsonObject | undefined): JsonObject {
  if (isForm(schema)) return schema;
  const description = schema === undefined ? "The answer." : `The answer, as JSON for ${JSON.stringify(schema)}`;
  return { type: "object", properties: { answer: { type: "string", description } }, required: ["answer"] };
}

/** An answer to a question that no form can show: JSON where it is some, and text otherwise. */
function readText(answer: Json | undefined): Json {
  const text = typeof answer === "string" ? answer : "";
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
