import { type AgentEvent, type BackendEvent, type ExecutionBackend, findDataProblem } from "@reprise/contracts";
import type { Json } from "@reprise/state";
import { copyJson } from "../json/copy-json.ts";
import { messageIdOf } from "../thread/derived-ids.ts";
import { backendFailed } from "./backend-outcome.ts";

/** The types of event that a backend may show. */
const SHOWN: readonly ShownType[] = [
  "reasoning_delta",
  "tool_call_start",
  "tool_call_ready",
  "tool_call_done",
  "activity_snapshot",
];

type ShownType = BackendEvent["type"];

/** An event of a backend as it is shown. */
export type ShownEvent = Pick<Extract<AgentEvent, { type: ShownType }>, "type" | "data">;

export function isShownByBackend(type: AgentEvent["type"]): type is ShownType {
  return SHOWN.some((each) => each === type);
}

export function isShownEvent(event: AgentEvent): event is Extract<AgentEvent, { type: ShownType }> {
  return isShownByBackend(event.type);
}

/** Reads an event of a backend, which comes from outside. Its calls get ids that no other call of the run has, the same in every step. */
export function readBackendEvent(
  backend: ExecutionBackend,
  { runId, stepId }: { readonly runId: string; readonly stepId: string },
  { type, data }: BackendEvent,
): ShownEvent {
  if (!isShownByBackend(type))
    throw backendFailed(backend, new Error(`it showed an event of the type ${String(type)}`));
  const call = "id" in data ? { id: `${runId}-b-${data.id}` } : {};
  const done = type === "tool_call_done" ? { message_id: messageIdOf(stepId) } : {};
  // A result is JSON; its interface hides it.
  const shown = copyJson({ ...data, ...call, ...done } as unknown as Json);
  const problem = findDataProblem(type, shown);
  if (problem !== undefined)
    throw backendFailed(backend, new Error(`it showed an event that cannot be read: ${problem}`));
  // Its data was just checked against its type.
  return { type, data: shown } as unknown as ShownEvent;
}
