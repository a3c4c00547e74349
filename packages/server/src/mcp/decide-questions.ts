import { decodeAnswer } from "@reprise/protocols/mcp";
import type { Json, JsonObject } from "@reprise/state";
import { assertScope, deciderOf } from "../security/principal.ts";
import type { McpCaller } from "./mcp-caller.ts";
import { type ReadRun, readRun } from "./read-run.ts";

/** Stores the answers to open questions. Answers to anything else are left alone. Says what is wrong with an answer that is none. */
export async function decide(caller: McpCaller, { task }: ReadRun, answers: JsonObject): Promise<string | undefined> {
  for (const { run_id: runId, ticket } of task.state.questions) {
    const { id } = ticket.suspension;
    if (!Object.hasOwn(answers, id)) continue;
    const verb = decodeAnswer(ticket, answers[id]);
    if (verb === undefined) return `inputResponses[${JSON.stringify(id)}] must be the result of elicitation/create.`;
    await caller.runtime.decisions.decide(id, verb, { runId, ...deciderOf(caller.principal) });
  }
  return undefined;
}

/** Takes in the answer of a client to a question that a session asked. What answers nothing is ignored. */
export async function answerQuestion(caller: McpCaller, runId: string, id: string, result: Json): Promise<void> {
  assertScope(caller.principal, "decide");
  const read = await readRun(caller.runtime, runId);
  if (read !== undefined) await decide(caller, read, { [id]: result });
}
