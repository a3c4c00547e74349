import { RUN_OVERRIDES, RUN_REQUEST } from "@reprise/contracts";
import { describe, expect, it } from "vitest";
import { decodeRunRequest } from "./decode-run-request.ts";
import { RUN_BODY } from "./run-body.ts";

const BODY = { agentId: "a", messages: [{ role: "user", content: "hi" }] };

/** A value that fits, for every field with several names. */
const GIVEN: { readonly [field: string]: string | object } = {
  initial_decisions: [{ targetId: "c1", action: "resume", bindingHash: "h", updatedAt: 1 }],
  busy_policy: "enqueue",
  removed_state: ["draft"],
  frontend_tools: [{ id: "pick", description: "Picks." }],
};

const spellings = Object.entries({ ...RUN_REQUEST.names, ...RUN_OVERRIDES.names }).flatMap(([field, names]) =>
  field === "agent_id" || names.length === 1 ? [] : names.map((name) => [field, name] as const),
);

it.each(spellings)("reads %s under the name %s, which is in the schema", (field, name) => {
  const { request, warnings } = decodeRunRequest({ ...BODY, [name]: (GIVEN[field] ?? "x") as never });
  const decoded: { readonly [key: string]: unknown } = { ...request, ...request.overrides };
  expect(decoded[field]).toBeDefined();
  expect(warnings).toEqual([]);
  expect(RUN_BODY.schema.properties).toHaveProperty(name);
});

it("gives decisions their own names and keeps null, which is an answer", () => {
  const decisions = [{ targetId: "c1", action: "resume", result: null, updated_at: 5 }];
  expect(decodeRunRequest({ ...BODY, decisions }).request.initial_decisions).toEqual([
    { target_id: "c1", action: "resume", result: null },
  ]);
});

describe("a body that does not fit is refused with the path that its client wrote", () => {
  it.each<[object, string, string]>([
    [{ threadId: 5 }, "INVALID_REQUEST", "threadId must be a non-empty string (got 5)."],
    [{ thread_id: "a/b" }, "INVALID_ID", 'threadId: the id "a/b" looks like a path.'],
    [{ messages: "hi" }, "INVALID_REQUEST", "messages must be an array (got a string)."],
    [
      { messages: [{ role: "admin", content: "x" }] },
      "INVALID_REQUEST",
      'messages[0].role must be one of user, assistant, tool, system (got "admin").',
    ],
    [{ messages: [{ role: "user" }] }, "INVALID_REQUEST", "messages[0].content is required."],
    [{ decisions: [{ target_id: "c" }] }, "INVALID_REQUEST", "decisions[0].action is required."],
    [{ restore: { run_id: "r", all: 1 } }, "INVALID_REQUEST", "restore.all is not known."],
    [
      { config: { chat_options: { extra: 1 } } },
      "INVALID_REQUEST",
      "config.chat_options.extra is not a valid key: a key must be one of",
    ],
    [{ policy: { by_hand: {} } }, "INVALID_REQUEST", "policy: by_hand is set by the runtime alone."],
    [{ policy: { budget: {} } }, "INVALID_REQUEST", "policy.budget: a budget has"],
    [{ metadata: { a: "x".repeat(20_000) } }, "INVALID_REQUEST", "metadata: at most 16384 bytes"],
    [{ state: { __run: 1 } }, "INVALID_REQUEST", 'state: "__run" belongs to the runtime'],
  ])("%j", (change, code, message) => {
    expect(() => decodeRunRequest({ ...BODY, ...change })).toThrow(
      expect.objectContaining({ code, message: expect.stringContaining(message) }),
    );
  });
});
