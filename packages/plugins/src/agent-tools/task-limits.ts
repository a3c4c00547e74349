import { type RunLimits, usd } from "@reprise/contracts";
import { numberFrom, type ObjectShape, objectOf, optional, wholeNumberFrom } from "@reprise/contracts/shape";
import type { JsonObject } from "@reprise/state";

/** Limits of a task as models and settings state them. */
export interface TaskLimits {
  /** Prompt and completion tokens together. */
  readonly tokens?: number;
  /** In dollars. */
  readonly cost?: number;
  /** Tool calls that the task may make. */
  readonly tool_calls?: number;
  readonly seconds?: number;
}

export const TASK_LIMITS: ObjectShape<TaskLimits> = objectOf<TaskLimits>({
  tokens: optional(wholeNumberFrom(0), "Prompt and completion tokens together."),
  cost: optional(numberFrom(0), "In dollars."),
  tool_calls: optional(wholeNumberFrom(0), "Tool calls that a task may make."),
  seconds: optional(numberFrom(0.001), "The time until it is over."),
});

/** The argument of the tools. */
export const LIMITS_ARGUMENT: JsonObject = {
  type: "object",
  description:
    "The most that the task may take, with everything below it. Set aside from your own budget before it starts.",
  properties: {
    tokens: { type: "integer", minimum: 0 },
    cost: { type: "number", minimum: 0, description: "In dollars." },
    tool_calls: { type: "integer", minimum: 0 },
    seconds: { type: "number", exclusiveMinimum: 0 },
  },
  additionalProperties: false,
};

/** The same limits in the words of the runtime. */
export function toRunLimits({ tokens, cost, tool_calls: toolCalls, seconds }: TaskLimits): RunLimits {
  return {
    ...(tokens !== undefined && { limitTokens: tokens }),
    ...(cost !== undefined && { limitMicrocents: usd(cost) }),
    ...(toolCalls !== undefined && { limitToolCalls: toolCalls }),
    ...(seconds !== undefined && { limitMs: Math.max(1, Math.round(seconds * 1000)) }),
  };
}
