import type { Operation } from "../openapi/operation.ts";
import { ref } from "../openapi/ref.ts";
import { COUNT, FLAG, listOf, objectOf, oneOf, TEXT, TIME } from "../openapi/schema-words.ts";

export const costs: Operation = {
  summary: "What a run, a thread, or a run with all below it took; give one of the three",
  query: { run_id: TEXT, thread_id: TEXT, tree_id: { ...TEXT, description: "The run at the top" } },
  answers: { 200: { description: "Money and tokens", schema: ref("Spending") } },
};

const SPENDING = { cost_microcents: COUNT, input_tokens: COUNT, output_tokens: COUNT, runs: COUNT, priced: FLAG };

export const spend: Operation = {
  summary: "What the tenant spent in a time, by agent, by thread and over time, and how budgets stand",
  query: {
    from: { ...TIME, description: "Runs that began at or after; the last 24 hours unless given" },
    to: { ...TIME, description: "Runs that began until then; now unless given" },
    buckets: { ...COUNT, default: 48, description: "How many parts the time is cut into; 1 to 200" },
  },
  answers: {
    200: {
      description: "Money and tokens",
      schema: objectOf({
        tenant: TEXT,
        from: TIME,
        to: TIME,
        total: ref("Spending"),
        is_partial: { ...FLAG, description: "More runs began in this time than are added up: the newest 10,000 count" },
        by_agent: listOf(objectOf({ agent_id: TEXT, ...SPENDING })),
        by_thread: { ...listOf(objectOf({ thread_id: TEXT, ...SPENDING })), description: "The 50 that cost most" },
        over_time: listOf(objectOf({ at: TIME, ...SPENDING })),
        budgets: {
          ...listOf(
            objectOf({
              run_id: TEXT,
              thread_id: TEXT,
              agent_id: TEXT,
              status: oneOf("running", "waiting", "done"),
              budget: ref("Budget"),
            }),
          ),
          description: "Of the 50 newest runs with a budget of their own",
        },
      }),
    },
  },
};
