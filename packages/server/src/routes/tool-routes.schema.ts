import type { Operation } from "../openapi/operation.ts";
import { ANYTHING, bodyOf, listOf, OBJECT, objectOf, oneOf, orNull, TEXT } from "../openapi/schema-words.ts";

const RESULT = objectOf({
  tool_name: TEXT,
  status: oneOf("success", "warning", "pending", "error"),
  data: ANYTHING,
  message: orNull(TEXT),
  metadata: OBJECT,
});

export const run: Operation = {
  summary: "Calls one tool of an agent by hand, in a run of its own",
  body: { schema: bodyOf({}, { arguments: ANYTHING, threadId: TEXT, thread_id: TEXT }), isOptional: true },
  answers: {
    200: {
      description: "The call is over",
      schema: objectOf({ run_id: TEXT, thread_id: TEXT, status: oneOf("done") }, { result: RESULT }),
    },
    202: {
      description: "It waits for a decision, or takes longer than a request may wait",
      schema: objectOf({ run_id: TEXT, thread_id: TEXT, status: oneOf("waiting", "running") }),
    },
  },
};

export const preview: Operation = {
  summary: "Whether a call would run, be asked about or be refused",
  body: {
    schema: bodyOf(
      {},
      {
        agentId: TEXT,
        agent_id: TEXT,
        toolId: TEXT,
        tool_id: TEXT,
        threadId: TEXT,
        thread_id: TEXT,
        arguments: ANYTHING,
      },
    ),
  },
  answers: {
    200: {
      description: "What would happen, and who says so",
      schema: objectOf(
        { decision: oneOf("allow", "ask", "deny"), source: TEXT },
        { reason: TEXT, evaluated: listOf(OBJECT) },
      ),
    },
  },
};
