import type { Operation } from "../openapi/operation.ts";
import { ref } from "../openapi/ref.ts";
import {
  ANYTHING,
  anyOf,
  bodyOf,
  COUNT,
  listOf,
  NUMBER,
  OBJECT,
  objectOf,
  oneOf,
  TEXT,
} from "../openapi/schema-words.ts";

const MODE = oneOf("verify", "reexecute");
const PART = objectOf({
  run: OBJECT,
  messages: listOf(ref("Message")),
  steps: NUMBER,
  input_tokens: NUMBER,
  output_tokens: NUMBER,
  cost_microcents: NUMBER,
});

export const replay: Operation = {
  summary: "Runs a finished run again from what is stored, without models and tools, and compares",
  body: { schema: bodyOf({}, { mode: { ...MODE, default: "verify" } }), isOptional: true },
  answers: {
    200: {
      description: "The same, or where it differs first",
      schema: anyOf(
        objectOf({
          run_id: TEXT,
          mode: MODE,
          equal: oneOf(true),
          versions: COUNT,
          events: COUNT,
          hash: TEXT,
        }),
        objectOf({
          run_id: TEXT,
          mode: MODE,
          equal: oneOf(false),
          divergence: objectOf({
            version: COUNT,
            what: oneOf("digest", "effect", "call", "message", "patch", "event", "run", "commit"),
            index: COUNT,
            expected: ANYTHING,
            actual: ANYTHING,
          }),
        }),
      ),
    },
  },
};

export const rerun: Operation = {
  summary: "Takes a finished run up again before a step, on a fork; changes need the scope admin",
  body: {
    schema: bodyOf(
      { step: { ...COUNT, minimum: 1 } },
      {
        changes: bodyOf({}, { model: TEXT, instructions: TEXT, toolResults: OBJECT, tool_results: OBJECT }),
        threadId: TEXT,
        thread_id: TEXT,
      },
    ),
  },
  answers: {
    202: {
      description: "Started",
      schema: objectOf({
        status: oneOf("rerun_started"),
        run_id: TEXT,
        thread_id: TEXT,
        rerun_of: TEXT,
        at: { ...COUNT, description: "The version of the original thread at which it left" },
      }),
    },
  },
};

export const modelCalls: Operation = {
  summary: "What models were asked in a step of a finished run, exactly, and what they answered",
  query: { step: { ...COUNT, minimum: 1, description: "The number of the step" } },
  answers: {
    200: {
      description: "The requests of the step, made again from the recording; no model is asked",
      schema: objectOf({
        run_id: TEXT,
        step: COUNT,
        calls: listOf(
          objectOf(
            {
              model: TEXT,
              request: objectOf(
                { messages: listOf(ref("Message")), tools: listOf(OBJECT) },
                { system: TEXT, options: OBJECT },
              ),
            },
            {
              answer: objectOf({
                text: TEXT,
                calls: listOf(objectOf({ name: TEXT, arguments: ANYTHING })),
                stop_reason: TEXT,
                usage: OBJECT,
              }),
              error: TEXT,
            },
          ),
        ),
      }),
    },
  },
};

export const compare: Operation = {
  summary: "Compares a finished run with another one",
  query: { with: { ...TEXT, description: "The id of the other run" } },
  answers: {
    200: {
      description: "What both did, and what turns the state of the one into that of the other",
      schema: objectOf({ original: PART, rerun: PART, state: listOf(OBJECT) }),
    },
  },
};
