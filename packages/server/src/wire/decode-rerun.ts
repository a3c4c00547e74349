import type { RerunChanges } from "@reprise/runtime";
import type { Json, JsonObject } from "@reprise/state";
import { badRequest } from "../http/http-refusal.ts";
import type { JsonBody } from "../http/read-body.ts";
import { readFields, textOf, wholeNumberOf } from "./read-fields.ts";

const RERUN_FIELDS = { step: ["step"], changes: ["changes"], thread_id: ["threadId", "thread_id"] } as const;
const CHANGE_FIELDS = {
  model: ["model"],
  instructions: ["instructions"],
  tool_results: ["toolResults", "tool_results"],
} as const;

/** What another try of a run is to begin with, and what is to be different. */
export interface DecodedRerun {
  readonly step: number;
  readonly changes: RerunChanges;
}

export function decodeRerun(body: JsonBody): DecodedRerun {
  const fields = readFields(body, RERUN_FIELDS);
  const step = wholeNumberOf("step", fields.step);
  if (step === undefined) throw badRequest("step is the number of the step to begin with");
  const given = fields.changes ?? {};
  if (typeof given !== "object" || Array.isArray(given)) throw badRequest("changes is not an object");
  // An object, as was just checked.
  const changes = readFields(given as JsonBody, CHANGE_FIELDS);
  const model = textOf("changes.model", changes.model);
  const instructions = textOf("changes.instructions", changes.instructions);
  const toolResults = changes.tool_results;
  if (toolResults !== undefined && !isResults(toolResults))
    throw badRequest("changes.toolResults is not an object of results by the ids of calls");
  const threadId = textOf("threadId", fields.thread_id);
  return {
    step,
    changes: {
      ...(model !== undefined && { model }),
      ...(instructions !== undefined && { instructions }),
      ...(toolResults !== undefined && { toolResults }),
      ...(threadId !== undefined && { threadId }),
    },
  };
}

function isResults(value: Json): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
