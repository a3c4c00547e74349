import { Agent, type Model, Runner, type StreamEvent, setTracingDisabled, tool } from "@openai/agents";
import { type Contestant, type RunReport, statelessRunner } from "../contestant.ts";
import {
  ANSWER,
  DELTAS,
  INSTRUCTIONS,
  lookUp,
  QUESTION,
  TOOL_ARGUMENTS,
  TOOL_DESCRIPTION,
  TOOL_NAME,
  toolSchema,
} from "../workload.ts";

setTracingDisabled(true);

const usage = { inputTokens: 1, outputTokens: 1, totalTokens: 2 };

const CALL: readonly StreamEvent[] = [
  { type: "response_started" },
  {
    type: "response_done",
    response: {
      id: "response_1",
      usage,
      output: [
        {
          type: "function_call",
          id: "item_1",
          callId: "call_1",
          name: TOOL_NAME,
          arguments: TOOL_ARGUMENTS,
          status: "completed",
        },
      ],
    },
  },
];

const SPEECH: readonly StreamEvent[] = [
  { type: "response_started" },
  ...DELTAS.map((delta): StreamEvent => ({ type: "output_text_delta", delta })),
  {
    type: "response_done",
    response: {
      id: "response_2",
      usage,
      output: [
        {
          type: "message",
          id: "item_2",
          role: "assistant",
          status: "completed",
          content: [{ type: "output_text", text: ANSWER }],
        },
      ],
    },
  },
];

const model: Model = {
  getResponse: async () => {
    throw new Error("Only streams are measured.");
  },
  async *getStreamedResponse({ input }) {
    const last = typeof input === "string" ? undefined : input.at(-1);
    yield* last?.type === "function_call_result" ? SPEECH : CALL;
  },
};

const agent = new Agent({
  name: "bench",
  instructions: INSTRUCTIONS,
  model,
  tools: [
    tool({
      name: TOOL_NAME,
      description: TOOL_DESCRIPTION,
      parameters: toolSchema,
      execute: async (input) => lookUp(input),
    }),
  ],
});

const runner = new Runner({ tracingDisabled: true });

async function runOnce(): Promise<RunReport> {
  const stream = await runner.run(agent, QUESTION, { stream: true });
  let text = "";
  let events = 0;
  for await (const event of stream) {
    events += 1;
    if (event.type === "raw_model_stream_event" && event.data.type === "output_text_delta") text += event.data.delta;
  }
  await stream.completed;
  return { text, events };
}

export const openaiAgents: Contestant = {
  name: "@openai/agents",
  note: "`runner.run` with `stream: true`, tracing off; nothing stored",
  open: async () => statelessRunner(runOnce),
};
