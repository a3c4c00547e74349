import type { LanguageModel, ModelChunk } from "../../../packages/contracts/src/index.ts";
import { type Agent, defineAgent, defineTool } from "../../../packages/reprise/src/index.ts";
import { ANSWER, INSTRUCTIONS, piecesOf, TOOL_ARGUMENTS, toolSchema } from "../../checkpoint/load/workload.ts";
import type { Sightings } from "./sightings.ts";

const ANSWERING: readonly ModelChunk[] = [
  ...piecesOf(ANSWER).map((delta) => ({ type: "text_delta", delta }) as const),
  { type: "finish", stop_reason: "end_turn", usage: { prompt_tokens: 300, completion_tokens: 250 } },
];

/** Calls a tool and then answers; at once. */
function modelCalling(tool: string, sightings: Sightings): LanguageModel {
  const call: readonly ModelChunk[] = [
    { type: "tool_call_start", id: "call_1", name: tool },
    { type: "tool_call_delta", id: "call_1", args_delta: TOOL_ARGUMENTS },
    { type: "tool_call_ready", id: "call_1", name: tool, arguments: TOOL_ARGUMENTS },
    { type: "finish", stop_reason: "tool_use", usage: { prompt_tokens: 300, completion_tokens: 20 } },
  ];
  return {
    id: `calls-${tool}`,
    async *stream({ messages }) {
      sightings.modelCalled();
      yield* messages.at(-1)?.role === "tool" ? ANSWERING : call;
    },
  };
}

/**
 * Three agents with one tool each, all of which change something.
 * - `bench`: the tool is done at once.
 * - `approval`: a person must agree first.
 * - `long`: with `holdsCalls` the tool does not end. It may be executed again after a crash.
 */
export function createAgents(sightings: Sightings, holdsCalls: boolean): readonly Agent[] {
  const execute = (room: string, threadId: string): { readonly room: string } => {
    sightings.executed(threadId);
    return { room };
  };
  const tools = {
    book: defineTool({
      id: "book",
      description: "Books a room.",
      inputSchema: toolSchema,
      execute: ({ room }: { readonly room: string }, { identity }) => execute(room, identity.threadId),
    }),
    book_approved: defineTool({
      id: "book_approved",
      description: "Books a room when somebody agrees.",
      inputSchema: toolSchema,
      needsApproval: true,
      execute: ({ room }: { readonly room: string }, { identity }) => execute(room, identity.threadId),
    }),
    book_slowly: defineTool({
      id: "book_slowly",
      description: "Books a room and takes its time.",
      inputSchema: toolSchema,
      idempotent: true,
      timeoutMs: null,
      async execute({ room }: { readonly room: string }, { identity, signal }) {
        const done = execute(room, identity.threadId);
        if (holdsCalls) await new Promise((resolve) => signal.addEventListener("abort", resolve, { once: true }));
        return done;
      },
    }),
  };
  const agentWith = (id: string, name: keyof typeof tools): Agent =>
    defineAgent({ id, instructions: INSTRUCTIONS, model: modelCalling(name, sightings), tools: [tools[name]] });
  return [agentWith("bench", "book"), agentWith("approval", "book_approved"), agentWith("long", "book_slowly")];
}
