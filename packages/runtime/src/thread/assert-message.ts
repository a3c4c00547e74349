import { assertId, invalidRequest, type MessageInput } from "@reprise/contracts";
import { isJson } from "@reprise/state";

const ROLES: readonly string[] = ["user", "assistant", "tool", "system"];
const PART_TYPES: readonly string[] = ["text", "reasoning", "image", "file"];

/** Refuses a message no model could be given. */
export function assertMessage(message: MessageInput, index: number): void {
  if (!isRecord(message)) throw invalidRequest(`messages[${index}] is not an object.`);
  const calls: unknown = message.tool_calls ?? [];
  if (!Array.isArray(calls) || !calls.every(isCall)) {
    throw invalidRequest(`messages[${index}]: tool_calls is a list of calls with id, name and arguments.`);
  }
  if (!ROLES.includes(message.role)) throw invalidRequest(`messages[${index}]: the role is ${ROLES.join(", ")}.`);
  if (message.id !== undefined) {
    assertText(`messages[${index}].id`, message.id);
    assertId("message", message.id);
  }
  const { content } = message;
  const isContent = typeof content === "string" || (Array.isArray(content) && content.every(isPart));
  if (!isContent) throw invalidRequest(`messages[${index}]: the content is text or a list of parts with a known type.`);
}

function isCall(call: unknown): boolean {
  return isRecord(call) && typeof call.id === "string" && typeof call.name === "string" && call.arguments !== undefined;
}

function isPart(part: unknown): boolean {
  if (!isRecord(part) || typeof part.type !== "string" || !PART_TYPES.includes(part.type)) return false;
  return part.type === "text" || part.type === "reasoning"
    ? typeof part.text === "string"
    : typeof part.url === "string";
}

/** A message from a tool is checked like one from a client; whatever its role, it will be a user's. */
export function assertQueued(message: MessageInput): void {
  const untrusted: unknown = message;
  if (!isJson(untrusted) || untrusted === null) throw new TypeError("a queued message is not a JSON object");
  assertMessage({ ...message, role: "user" }, 0);
}

function assertText(what: string, value: unknown): void {
  if (typeof value !== "string" || value === "") throw invalidRequest(`${what} must be a non-empty string.`);
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
