import { type ContentPart, DECISION_INPUT, type DecisionInput, type MessageInput } from "@reprise/contracts";
import {
  describeProblem,
  flag,
  isPlainObject,
  listOf,
  needed,
  nonEmptyText,
  type ObjectShape,
  oneOf,
  openObjectOf,
  optional,
  recordOf,
  text,
  unchecked,
  wholeNumberFrom,
} from "@reprise/contracts/shape";
import type { Json } from "@reprise/state";
import { A2aError } from "./a2a-error.ts";
import type { A2aMessage, A2aPart } from "./wire.ts";

/** Where the updates of a task are sent to. */
export interface A2aPushConfig {
  readonly id?: string;
  readonly taskId?: string;
  readonly url: string;
  /** Sent back with every notification, for the receiver to know it by. */
  readonly token?: string;
  readonly authentication?: { readonly scheme: string; readonly credentials?: string };
}

export interface A2aSendConfiguration {
  readonly acceptedOutputModes?: readonly string[];
  readonly historyLength?: number;
  /** True answers as soon as the message is accepted; otherwise when the task needs input or is over. */
  readonly returnImmediately?: boolean;
  readonly taskPushNotificationConfig?: A2aPushConfig;
}

/** The request to send a message. */
export interface A2aSend {
  readonly message: A2aMessage;
  readonly configuration?: A2aSendConfiguration;
}

const metadata = optional(recordOf(unchecked<Json>()));

const PART: ObjectShape<A2aPart> = openObjectOf<A2aPart>({
  text: optional(text),
  raw: optional(text),
  url: optional(nonEmptyText),
  data: optional(unchecked<Json>()),
  filename: optional(text),
  mediaType: optional(text),
  metadata,
});

const MESSAGE: ObjectShape<A2aMessage> = openObjectOf<A2aMessage>({
  messageId: needed(nonEmptyText),
  contextId: optional(text),
  taskId: optional(text),
  role: needed(oneOf("ROLE_USER", "ROLE_AGENT")),
  parts: needed(listOf(PART)),
  metadata,
});

export const PUSH_CONFIG: ObjectShape<A2aPushConfig> = openObjectOf<A2aPushConfig>({
  id: optional(text),
  taskId: optional(text),
  url: needed(nonEmptyText),
  token: optional(text),
  authentication: optional(
    openObjectOf<NonNullable<A2aPushConfig["authentication"]>>({ scheme: needed(text), credentials: optional(text) }),
  ),
});

const SEND: ObjectShape<A2aSend> = openObjectOf<A2aSend>({
  message: needed(MESSAGE),
  configuration: optional(
    openObjectOf<A2aSendConfiguration>({
      acceptedOutputModes: optional(listOf(text)),
      historyLength: optional(wholeNumberFrom(0)),
      returnImmediately: optional(flag),
      taskPushNotificationConfig: optional(PUSH_CONFIG),
    }),
  ),
});

/** Reads parameters by their shape. Throws `INVALID_PARAMS` with the first problem. */
export function readParams<Value extends object>(shape: ObjectShape<Value>, value: unknown): Value {
  const [problem] = shape.problems(value, []);
  if (problem !== undefined) throw new A2aError("INVALID_PARAMS", `${describeProblem(problem)}.`);
  // Every field was just found to have its shape.
  return value as Value;
}

/** Reads the request to send a message. */
export function decodeSend(value: unknown): A2aSend {
  const send = readParams(SEND, value);
  const { parts } = send.message;
  if (parts.length === 0) throw new A2aError("INVALID_PARAMS", "message.parts must have at least one part.");
  for (const [index, part] of parts.entries()) {
    const given = CONTENTS.filter((name) => part[name] !== undefined);
    if (given.length === 1) continue;
    const found = given.length === 0 ? "none of them" : given.join(" and ");
    throw new A2aError(
      "INVALID_PARAMS",
      `message.parts[${index}] must have one of text, raw, url and data (got ${found}).`,
    );
  }
  return send;
}

const CONTENTS = ["text", "raw", "url", "data"] as const;

/** The message for the agent. Bytes become a data URL, and structured data its JSON text. */
export function decodeMessage({ messageId, parts }: A2aMessage): MessageInput {
  return { id: messageId, role: "user", content: parts.map(decodePart) };
}

function decodePart({ text: said, raw, url, data, filename, mediaType }: A2aPart): ContentPart {
  if (said !== undefined) return { type: "text", text: said };
  if (data !== undefined) return { type: "text", text: JSON.stringify(data) };
  const type = mediaType?.startsWith("image/") ? "image" : "file";
  return {
    type,
    url: url ?? `data:${mediaType ?? "application/octet-stream"};base64,${raw ?? ""}`,
    ...(mediaType !== undefined && { media_type: mediaType }),
    ...(filename !== undefined && filename !== "" && { filename }),
  };
}

/** A question as far as an answer in words depends on it. */
export interface AskedQuestion {
  readonly id: string;
  readonly ticket: { readonly resume_mode: string };
}

/**
 * The decisions in a message to a task that needs input. A data part `{ decision: { target_id, action, … } }` is one. The
 * words `approve` and `deny` decide the only open question, and any text answers it when its answer becomes the call's result.
 */
export function decodeAnswers(message: A2aMessage, questions: readonly AskedQuestion[]): readonly DecisionInput[] {
  const decided = message.parts.flatMap(({ data }) => readDecisions(data));
  if (decided.length > 0) return decided.map((decision) => readParams(DECISION_INPUT, decision));
  const [question, ...others] = questions;
  const said = message.parts
    .map((part) => part.text ?? "")
    .join("")
    .trim();
  const isAnswer = question?.ticket.resume_mode === "use_decision_as_tool_result";
  if (question !== undefined && others.length === 0) {
    if (isAnswer) return [{ target_id: question.id, action: "resume", result: resultOf(message, said) }];
    if (/^approve$/i.test(said)) return [{ target_id: question.id, action: "resume" }];
    if (/^deny$/i.test(said)) return [{ target_id: question.id, action: "cancel" }];
  }
  const expected = `a data part {"decision":{"target_id":"…","action":"resume"|"cancel"}} for each question`;
  const words = others.length === 0 && !isAnswer ? `, or the text "approve" or "deny"` : "";
  throw new A2aError("INVALID_PARAMS", `The task needs input: send ${expected}${words}.`);
}

function readDecisions(data: Json | undefined): readonly Json[] {
  if (!isPlainObject(data)) return [];
  const { decision, decisions } = data as { readonly [key: string]: Json };
  return [...(decision === undefined ? [] : [decision]), ...(Array.isArray(decisions) ? decisions : [])];
}

/** The answer to a question: the data of the message, or its text. */
function resultOf({ parts }: A2aMessage, said: string): Json {
  return parts.find(({ data }) => data !== undefined)?.data ?? said;
}
