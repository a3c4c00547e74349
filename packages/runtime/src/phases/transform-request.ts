import { describeThrown, type ModelRequest, RepriseError, type RequestTransform } from "@reprise/contracts";
import { freezeDeep } from "../json/freeze-deep.ts";
import type { Owned } from "../resolve/resolved-agent.ts";
import type { PhaseResult } from "./run-phase.ts";

/** The transforms plugins added for this inference, after those they have for every one. */
export function addedTransforms(actions: PhaseResult<"before_inference">): readonly Owned<RequestTransform>[] {
  return actions.flatMap(({ plugin, value }) =>
    value.type === "add_request_transform" ? [{ plugin, value: value.transform }] : [],
  );
}

/** Takes a request through transforms, in order. One that fails fails the run before the model is asked. */
export function transformRequest(request: ModelRequest, transforms: readonly Owned<RequestTransform>[]): ModelRequest {
  let changed = request;
  for (const { plugin, value: transform } of transforms) {
    // What it is given is the thread's and the agent's: a transform answers with another request.
    for (const part of [changed.messages, changed.tools, changed.options]) freezeDeep(part);
    changed = apply(plugin, transform, changed);
  }
  return changed;
}

function apply(plugin: string, transform: RequestTransform, request: ModelRequest): ModelRequest {
  let changed: unknown;
  try {
    changed = transform(request);
  } catch (error) {
    throw failed(plugin, describeThrown(error), error);
  }
  if (isRequest(changed)) return changed;
  throw failed(plugin, "it did not return a request");
}

function isRequest(value: unknown): value is ModelRequest {
  return (
    typeof value === "object" &&
    value !== null &&
    "messages" in value &&
    Array.isArray(value.messages) &&
    "tools" in value &&
    Array.isArray(value.tools)
  );
}

function failed(plugin: string, problem: string, cause?: unknown): RepriseError {
  return new RepriseError("PLUGIN_FAILED", `Plugin ${plugin} failed to change the request: ${problem}`, {
    cause,
    details: { plugin },
  });
}
