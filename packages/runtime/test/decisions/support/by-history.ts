import type { Message, ModelRequest } from "@reprise/contracts";
import { textOf } from "@reprise/contracts";
import type { Script, ScriptTurn } from "@reprise/models";

/** A script that continues with every answer the thread has, so that any process continues what another began. */
export function byHistory(turns: readonly ScriptTurn[]): Script {
  return ({ messages }) => turns[messages.filter(({ role }) => role === "assistant").length] ?? "nothing more";
}

/** What a model reads of its calls: their results by call id, in the order it reads them. */
export function resultsIn(request: ModelRequest | undefined): readonly (readonly [id: string, text: string])[] {
  const results = request?.messages.filter(({ role }) => role === "tool") ?? [];
  return results.map((message) => [message.tool_call_id ?? "", textOf(message)] as const);
}

/** The text of one call's result as the model reads it. */
export function resultOf(request: ModelRequest | undefined, callId: string): string | undefined {
  return resultsIn(request).find(([id]) => id === callId)?.[1];
}

/** What stands between two assistant messages: `user`, `calls:n`, `result`, `text`. */
export function shapeOf(messages: readonly Message[]): readonly string[] {
  return messages.map(({ role, tool_calls }) => {
    if (role === "tool") return "result";
    if (role !== "assistant") return role;
    return tool_calls === undefined ? "text" : `calls:${tool_calls.length}`;
  });
}
