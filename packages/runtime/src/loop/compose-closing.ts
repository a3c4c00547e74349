import {
  type AgentEvent,
  advanceRun,
  advanceToolCall,
  type EventData,
  type EventType,
  isOwnQuestion,
  type Message,
  type RunRecord,
  type Termination,
  type ToolCallRecord,
  terminationCode,
  toolFailure,
} from "@reprise/contracts";
import { resultIdOf } from "../thread/derived-ids.ts";
import { toolMessage } from "../thread/tool-message.ts";

/** What ends a waiting run whose place another takes. */
export interface Closing {
  readonly run: RunRecord;
  readonly calls: readonly ToolCallRecord[];
  readonly messages: readonly Message[];
  readonly events: readonly AgentEvent[];
}

/** Ends a waiting run as superseded: its open calls get a result that says so. Pure. */
export function composeClosing(
  { run, calls }: { readonly run: RunRecord; readonly calls: readonly ToolCallRecord[] },
  by: string,
  now: number,
): Closing {
  const termination: Termination = { type: "stopped", value: { code: "superseded", detail: by } };
  const events: AgentEvent[] = [];
  const add = <Type extends EventType>(type: Type, data: EventData[Type]): void => {
    const seq = run.last_seq + events.length + 1;
    // Type and data belong together by the signature; the compiler does not follow that through a union.
    events.push({ type, run_id: run.run_id, thread_id: run.thread_id, seq, timestamp_ms: now, data } as AgentEvent);
  };
  const messages = calls.flatMap((call) => {
    const result = toolFailure(call.tool_id, "superseded", "The call was superseded by a new message.");
    add("tool_call_cancelled", { id: call.call_id, reason: "superseded" });
    add("tool_call_done", { id: call.call_id, result, message_id: resultIdOf(call.call_id), outcome: "cancelled" });
    return isOwnQuestion(call) ? [] : [toolMessage(call.call_id, run.run_id, result)];
  });
  add("run_finish", { termination });
  return {
    run: {
      ...advanceRun(run, "finish"),
      termination_code: terminationCode(termination),
      termination_detail: by,
      last_seq: run.last_seq + events.length,
      updated_at: now,
    },
    calls: calls.map((call) => {
      const { ticket: _ticket, expires_at: _expiry, ...closed } = advanceToolCall(call, "cancel");
      return { ...closed, updated_at: now };
    }),
    messages,
    events,
  };
}
