import type { EventData } from "@reprise/contracts";
import type { JsonObject } from "@reprise/state";
import type { WorkflowEventType } from "./workflow-event.ts";

/** An event without its envelope. */
export type WorkflowBody = readonly [type: WorkflowEventType, fields: JsonObject];

type TurnEventType = "node_delta" | "node_reasoning_delta" | "node_tool_call" | "node_tool_result" | "node_cost";

type TurnEvent = { [Type in TurnEventType]: { readonly type: Type; readonly data: EventData[Type] } }[TurnEventType];

/** What a turn of an agent shows, in a run and in a session. */
export function turnBody(event: TurnEvent): WorkflowBody {
  switch (event.type) {
    case "node_delta": {
      const { node_id: nodeId, delta: token, model } = event.data;
      return ["agent:token", { nodeId, token, model }];
    }
    case "node_reasoning_delta": {
      const { node_id: nodeId, delta: text, model } = event.data;
      return ["agent:reasoning", { nodeId, text, model }];
    }
    case "node_tool_call": {
      const { node_id: nodeId, model, tool_id: toolId, arguments: toolInput, attempt } = event.data;
      return ["agent:tool_call", { nodeId, model, toolId, toolInput, ...attemptField(attempt) }];
    }
    case "node_tool_result": {
      const { node_id: nodeId, tool_id: toolId, success, output_summary: outputSummary, attempt } = event.data;
      return ["agent:tool_result", { nodeId, toolId, success, outputSummary, ...attemptField(attempt) }];
    }
    case "node_cost": {
      const { node_id: nodeId, model, input_tokens, output_tokens, cost_microcents, attempt, priced } = event.data;
      return [
        "cost:updated",
        {
          nodeId,
          model,
          inputTokens: input_tokens,
          outputTokens: output_tokens,
          costMicrocents: cost_microcents,
          cumulativeCostMicrocents: event.data.cumulative_cost_microcents,
          attemptNumber: attempt,
          priced,
        },
      ];
    }
    default:
      return event satisfies never;
  }
}

export function attemptField(attempt: number | undefined): { readonly attemptNumber?: number } {
  return attempt === undefined ? {} : { attemptNumber: attempt };
}
