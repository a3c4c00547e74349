import type { AgUiEvent } from "@reprise/protocols/ag-ui";
import { expect } from "vitest";
import type { OpenDemo } from "./open-demo.ts";

export const AG_UI_RUNS = "/v1/ag-ui/agents/assistant/runs";

/** A request of a client of version 1. */
export function agUiInput(runId: string, more: object = {}): object {
  return { threadId: "t", runId, protocolVersion: "1.0", messages: [], tools: [], context: [], ...more };
}

/** The same with something said. */
export function agUiSays(runId: string, content: string, more: object = {}): object {
  return agUiInput(runId, { messages: [{ id: `${runId}-u`, role: "user", content }], ...more });
}

export function readAgUi(text: string): readonly AgUiEvent[] {
  return text.split("\n").flatMap((line) => (line.startsWith("data: ") ? [JSON.parse(line.slice(6))] : []));
}

/** Sends a request that is answered with a stream, and reads it to its end. */
export async function sendAgUi(
  { post }: Pick<OpenDemo, "post">,
  body: object,
  path: string = AG_UI_RUNS,
): Promise<readonly AgUiEvent[]> {
  const response = await post(path, body);
  const text = await response.text();
  expect([response.status, response.headers.get("content-type")], text).toEqual([200, "text/event-stream"]);
  return readAgUi(text);
}

export function agUiText(events: readonly AgUiEvent[]): string {
  return events.map((event) => (event.type === "TEXT_MESSAGE_CONTENT" ? event.delta : "")).join("");
}

/** The last event of a type. */
export function lastOf<Type extends AgUiEvent["type"]>(
  events: readonly AgUiEvent[],
  type: Type,
): Extract<AgUiEvent, { readonly type: Type }> {
  const found = events.findLast((event) => event.type === type);
  if (found === undefined) throw new Error(`There is no ${type} in ${events.map((event) => event.type).join(", ")}.`);
  return found as Extract<AgUiEvent, { readonly type: Type }>;
}

/** The questions a run ended with. */
export function interruptsIn(events: readonly AgUiEvent[]) {
  const { outcome } = lastOf(events, "RUN_FINISHED");
  return outcome.type === "interrupt" ? outcome.interrupts : [];
}
