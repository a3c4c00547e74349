import { ERRORS, ModelError, type ModelErrorKind, textOf, toRepriseError } from "@reprise/contracts";
import { scriptedModel } from "@reprise/models";
import { defineAgent } from "@reprise/runtime";
import { describe, expect, it } from "vitest";
import { openDemo, says } from "./support/open-demo.ts";
import { readFrames } from "./support/read-stream.ts";

const KINDS: readonly [ModelErrorKind, keyof typeof ERRORS, number][] = [
  ["rate_limit", "MODEL_RATE_LIMITED", 429],
  ["overloaded", "MODEL_OVERLOADED", 503],
  ["timeout", "MODEL_TIMEOUT", 504],
  ["stream_interrupted", "MODEL_INTERRUPTED", 502],
  ["answer_too_large", "MODEL_ANSWER_TOO_LARGE", 502],
  ["network", "MODEL_UNREACHABLE", 502],
  ["server_error", "MODEL_SERVER_ERROR", 502],
  ["auth", "MODEL_AUTH", 502],
  ["quota", "MODEL_QUOTA_EXCEEDED", 503],
  ["invalid_request", "MODEL_INVALID_REQUEST", 502],
  ["context_length", "MODEL_CONTEXT_OVERFLOW", 413],
  ["content_filter", "MODEL_CONTENT_FILTERED", 422],
  ["malformed_response", "MODEL_MALFORMED_RESPONSE", 502],
  ["unknown", "MODEL_FAILED", 502],
];

/** A model that fails as the last message says, asked once. */
function failingAgent() {
  const model = scriptedModel(({ messages }) => {
    const last = messages.at(-1);
    // The tests say nothing but kinds.
    return [{ fail: (last === undefined ? "network" : textOf(last)) as ModelErrorKind }];
  });
  const retryPolicy = { maxAttemptsPerModel: 1, maxStreamEventRetries: 0, patienceMs: 0 };
  return defineAgent({ id: "assistant", model, retryPolicy });
}

describe("issue 14.11: a run that fails because its model did", () => {
  it.each(KINDS)("says %s as %s", async (kind, code, status) => {
    const { post, ask } = await openDemo({ agents: [failingAgent()] });
    const frames = await readFrames(await post("/v1/runs", says(kind, { runId: "r" })));
    expect(frames.at(-1)?.event).toMatchObject({
      type: "run_finish",
      data: { termination: { type: "error", code } },
    });
    expect(frames.map(({ event }) => event)).toContainEqual(
      expect.objectContaining({ type: "error", data: expect.objectContaining({ code }) }),
    );
    const record = await (await ask("/v1/runs/r")).json();
    expect(record).toMatchObject({ status: "done", termination_code: "error", error_code: code });
    // A server that hands the error on answers with the status of the catalogue.
    expect(ERRORS[code].httpStatus).toBe(status);
    expect(toRepriseError(new ModelError(kind, "It failed.")).httpStatus).toBe(status);
  });
});
