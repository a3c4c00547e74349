import { canonicalJson, type Env, type Message } from "@reprise/contracts";
import type { RunRecording } from "@reprise/runtime";
import type { Json } from "@reprise/state";
import type { JudgeExpectation } from "../case/expectations.ts";
import type { ObservedRun } from "../check/observe-run.ts";

/** What a judge is asked. */
export interface JudgeQuestion {
  readonly text: string;
  readonly digest: string;
}

/**
 * The rubric with the conversation, the calls with their results and the answer, as JSON. Ids and times are left out: a run that comes to
 * the same is the same question.
 */
export function judgeQuestion(
  { model, rubric }: JudgeExpectation,
  { base, request }: RunRecording,
  run: ObservedRun,
  env: Pick<Env, "hash">,
): JudgeQuestion {
  const judged = {
    conversation: [...base.messages, ...request.messages].flatMap(said),
    calls: run.calls.map(({ id, tool, arguments: given, outcome }) => ({
      tool,
      arguments: given,
      outcome,
      result: run.results[id] ?? null,
    })),
    answer: run.output ?? run.text,
  };
  // Interfaces hide that it is JSON.
  const content = judged as unknown as Json;
  return {
    text: `Rubric:\n${rubric}\n\nRun:\n${JSON.stringify(content, undefined, 2)}`,
    digest: env.hash(canonicalJson({ model, rubric, run: content })),
  };
}

/** Results of tools in the conversation before are not part of what the agent is judged by. */
function said({ role, content }: Pick<Message, "role" | "content">): readonly object[] {
  return (role === "user" || role === "assistant") && content.length > 0 ? [{ role, content }] : [];
}
