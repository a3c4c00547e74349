import type { Operation } from "../openapi/operation.ts";
import { ref } from "../openapi/ref.ts";
import { ANYTHING, aliases, bodyOf, NUMBER, oneOf, PAGE_QUERY, pageOf, TEXT } from "../openapi/schema-words.ts";

export const list: Operation = {
  summary: "What waits for a decision, on any thread, oldest first",
  query: { ...PAGE_QUERY, thread_id: TEXT, run_id: TEXT },
  answers: { 200: { description: "A page of open decisions", schema: pageOf(ref("OpenDecision")) } },
};

export const decide: Operation = {
  summary: "Decides: approve, deny, edit with arguments, supply with a result",
  body: {
    schema: bodyOf(
      { action: oneOf("approve", "deny", "edit", "supply") },
      {
        arguments: ANYTHING,
        result: ANYTHING,
        reason: TEXT,
        remember: oneOf("once", "thread", "always", true, false),
        suspension: NUMBER,
        ...aliases(["decisionId", "decision_id"], TEXT),
        ...aliases(["bindingHash", "binding_hash"], TEXT),
        ...aliases(["runId", "run_id"], TEXT),
      },
    ),
  },
  answers: {
    202: { description: "The decision as it is stored; the same for the same decision again", schema: ref("Decision") },
  },
};
