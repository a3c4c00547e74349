import type { DecisionVerb, SuspendTicket } from "@reprise/contracts";
import { isPlainObject } from "@reprise/contracts/shape";
import { isJson, type Json, type JsonObject } from "@reprise/state";
import type { AcpPermissionOption, AcpPermissionOutcome } from "./acp-types.ts";
import { describeCall } from "./tool-call.ts";

/** A call that waits for a person, in an event or in the list of open decisions. */
export interface AskedCall {
  readonly id: string;
  readonly run_id: string;
  readonly ticket: SuspendTicket;
  readonly suspension: number;
  readonly binding_hash: string;
}

/** A question in the words of ACP, with what it is about, so that the answer decides that and nothing else. */
export interface AcpQuestion extends AskedCall {
  readonly permission: {
    readonly toolCall: ReturnType<typeof describeCall>;
    readonly options: readonly AcpPermissionOption[];
  };
  /** The same as a form, when an answer is wanted that yes and no cannot give. */
  readonly form?: { readonly message: string; readonly requestedSchema: JsonObject };
}

const ONCE: readonly AcpPermissionOption[] = [
  { optionId: "allow_once", name: "Allow", kind: "allow_once" },
  { optionId: "reject_once", name: "Reject", kind: "reject_once" },
];

/** A plugin that asks may apply the answer to later calls. */
const REMEMBERED: readonly AcpPermissionOption[] = [
  { optionId: "allow_once", name: "Allow", kind: "allow_once" },
  { optionId: "allow_session", name: "Allow in this session", kind: "allow_always" },
  { optionId: "allow_always", name: "Always allow", kind: "allow_always" },
  { optionId: "reject_once", name: "Reject", kind: "reject_once" },
  { optionId: "reject_always", name: "Always reject", kind: "reject_always" },
];

const UNKNOWN: readonly AcpPermissionOption[] = [
  { optionId: "allow_once", name: "Run again", kind: "allow_once" },
  { optionId: "reject_once", name: "Count as failed", kind: "reject_once" },
];

/** The plugin that remembers decisions; see `permission_evaluated`. */
const REMEMBERS = "plugin:permission";

export function encodeQuestion(call: AskedCall): AcpQuestion {
  const { id, ticket } = call;
  const { action, message } = ticket.suspension;
  const { name, arguments: input } = ticket.pending;
  const options = action === "unknown_outcome" ? UNKNOWN : ticket.asked_by === REMEMBERS ? REMEMBERED : ONCE;
  const text = message ?? `May ${name} run?`;
  const content = [{ type: "content" as const, content: { type: "text" as const, text } }];
  const toolCall = { ...describeCall(id, name, input), status: "pending" as const, content };
  const schema = formOf(ticket);
  return {
    ...call,
    permission: { toolCall, options },
    ...(schema !== undefined && { form: { message: message ?? `${name} needs an answer.`, requestedSchema: schema } }),
  };
}

/** The property of a form that asks for one value. */
const ANSWER = "answer";

const FIELD_TYPES: readonly unknown[] = ["string", "number", "integer", "boolean"];

/** The form for a question that has a schema of its answer. Clients show flat forms alone. Undefined when yes and no are enough. */
function formOf({ suspension, resume_mode }: SuspendTicket): JsonObject | undefined {
  const schema = suspension.response_schema;
  if (schema === undefined) {
    if (resume_mode === "replay_tool_call" || suspension.action === "approval") return undefined;
    return wrap({ type: "string" });
  }
  if (FIELD_TYPES.includes(schema.type)) return wrap(schema);
  const { properties } = schema;
  if (schema.type !== "object" || !isPlainObject(properties)) return undefined;
  const isFlat = Object.values(properties).every((field) => isPlainObject(field) && FIELD_TYPES.includes(field.type));
  if (!isFlat || !isJson(properties)) return undefined;
  return { type: "object", properties, ...(schema.required !== undefined && { required: schema.required }) };
}

function wrap(field: JsonObject): JsonObject {
  return { type: "object", properties: { [ANSWER]: field }, required: [ANSWER] };
}

/** The answer to a permission request as a decision. Undefined when the client cancelled the turn instead. */
export function decodePermission(outcome: AcpPermissionOutcome): DecisionVerb | undefined {
  if (outcome.outcome === "cancelled") return undefined;
  switch (outcome.optionId) {
    case "allow_once":
      return { action: "approve" };
    case "allow_session":
      return { action: "approve", remember: "thread" };
    case "allow_always":
      return { action: "approve", remember: "always" };
    case "reject_always":
      return { action: "deny", remember: "always" };
    // An option that was not offered allows nothing.
    default:
      return { action: "deny" };
  }
}

/** The answer to a form as a decision. Undefined when the person dismissed it. */
export function decodeForm(question: AcpQuestion, answer: Json): DecisionVerb | undefined {
  const { action, content } = isPlainObject(answer) ? answer : {};
  if (action === "decline") return { action: "deny" };
  if (action !== "accept") return undefined;
  const given = isPlainObject(content) ? content : {};
  const properties = question.form?.requestedSchema.properties;
  const isWrapped = isPlainObject(properties) && Object.hasOwn(properties, ANSWER) && !isOwnAnswer(question);
  // Read from JSON.
  return { action: "supply", result: (isWrapped ? (given[ANSWER] ?? null) : given) as Json };
}

/** Whether the question itself asks for an object with the field `answer`. */
function isOwnAnswer({ ticket }: AcpQuestion): boolean {
  return ticket.suspension.response_schema?.type === "object";
}
