import type { BackendDecision, BackendQuestion } from "@reprise/contracts";
import { canonicalJson } from "@reprise/contracts";
import { isPlainObject } from "@reprise/contracts/shape";
import { isJson, type Json, type JsonObject } from "@reprise/state";

/** A request of the agent that a person answers. */
export interface AgentRequest {
  readonly question: BackendQuestion;
  /** Tells what is asked, whichever process of the agent asks it: a decision that was lost with a process counts when it is asked again. */
  readonly key: string;
  /** The answer when the turn is cancelled. */
  readonly cancelled: Json;
  /** The answer to the agent. */
  answer(decision: Pick<BackendDecision, "action" | "result">): Json;
}

/** A permission request as a question with the call and the options as its subject. */
export function readPermission(id: string, params: Json): AgentRequest {
  const { toolCall, options } = isPlainObject(params) ? params : {};
  const call = isPlainObject(toolCall) ? toolCall : {};
  const title = typeof call.title === "string" ? call.title : "a tool";
  const offered = (Array.isArray(options) ? options : []).filter(isPlainObject);
  const subject = { title, kind: call.kind, input: call.rawInput };
  const key = `permission ${textOfJson(subject)}`;
  const parameters = { ...jsonFields(subject), options: jsonList(offered), key };
  return {
    key,
    question: { id, action: "approval", message: `The agent asks for permission: ${title}`, parameters },
    cancelled: { outcome: { outcome: "cancelled" } },
    answer: ({ action, result }) => ({ outcome: chooseOption(offered, action, result) }),
  };
}

/** A form of the agent as a question whose answer is the form's content. */
export function readForm(id: string, params: Json): AgentRequest {
  const { message, requestedSchema } = isPlainObject(params) ? params : {};
  const schema =
    isPlainObject(requestedSchema) && isJson(requestedSchema) ? (requestedSchema as JsonObject) : undefined;
  const key = `form ${textOfJson({ message, requestedSchema })}`;
  return {
    key,
    question: {
      id,
      action: "input",
      message: typeof message === "string" ? message : "The agent asks something.",
      parameters: { key },
      ...(schema !== undefined && { responseSchema: schema }),
    },
    cancelled: { action: "cancel" },
    answer: ({ action, result }) =>
      action === "cancel" ? { action: "decline" } : { action: "accept", content: isPlainObject(result) ? result : {} },
  };
}

type Fields = { readonly [key: string]: unknown };

/** The option that a person named, or the narrowest one that means what they decided. Without one, nothing is allowed. */
function chooseOption(options: readonly Fields[], action: "resume" | "cancel", result: Json | undefined): Json {
  const named = isPlainObject(result) ? result.option : undefined;
  const kinds = action === "resume" ? ["allow_once", "allow_always"] : ["reject_once", "reject_always"];
  const chosen =
    options.find(({ optionId }) => action === "resume" && named !== undefined && optionId === named) ??
    kinds.map((kind) => options.find((option) => option.kind === kind)).find((option) => option !== undefined);
  const optionId = chosen?.optionId;
  return typeof optionId === "string" ? { outcome: "selected", optionId } : { outcome: "cancelled" };
}

/** What a question was about: from the parameters that come back with its decision. */
export function keyOf(parameters: Json): string | undefined {
  const key = isPlainObject(parameters) ? parameters.key : undefined;
  return typeof key === "string" ? key : undefined;
}

function textOfJson(value: unknown): string {
  const plain: unknown = JSON.parse(JSON.stringify(value));
  return canonicalJson(plain as Json);
}

function jsonFields(fields: Fields): JsonObject {
  return Object.fromEntries(Object.entries(fields).filter((entry): entry is [string, Json] => isJson(entry[1])));
}

function jsonList(values: readonly Fields[]): readonly Json[] {
  return values.map(jsonFields);
}
