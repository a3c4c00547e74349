import { type Message, type Termination, textOf } from "@reprise/contracts";
import { type Json, type JsonObject, parseJson } from "@reprise/state";
import { findSectionProblem } from "../resolve/section-problem.ts";
import type { AgentView, Conversation, RunView } from "../run/ports.ts";

/** An answer of the shape that was asked for, or what is wrong with it. */
export type ReadOutput = { readonly ok: true; readonly value: Json } | { readonly ok: false; readonly problem: string };

/** Reads a model's answer as JSON of a shape. Some models wrap it in a code block however one asks; nothing else is forgiven. */
export function readOutput(schema: JsonObject, text: string): ReadOutput {
  let value: Json;
  try {
    value = parseJson(withoutFence(text));
  } catch {
    return { ok: false, problem: "the answer is not JSON" };
  }
  const problem = findSectionProblem(schema, value);
  return problem === undefined ? { ok: true, value } : { ok: false, problem };
}

const FENCE = "```";

/** What stands between the fences of a text that is one code block, of JSON or of nothing said; any other text as it is. */
function withoutFence(text: string): string {
  const block = text.trim();
  const [first, last] = [block.indexOf("\n"), block.lastIndexOf("\n")];
  if (first === last || !block.startsWith(FENCE) || block.slice(last).trim() !== FENCE) return text;
  const language = block.slice(FENCE.length, first).trim();
  return language === "" || language === "json" ? block.slice(first, last) : text;
}

/** What a run ends with: its last assistant message. */
export function lastAnswer(messages: readonly Message[], runId: string): string | undefined {
  const isOwn = ({ role, metadata }: Message): boolean =>
    role === "assistant" && metadata?.run_id === runId && metadata.forked !== true;
  const last = messages.findLast(isOwn);
  return last === undefined ? undefined : textOf(last);
}

/**
 * Checks the answer a run would end with. One that does not fit is sent back once, with what is wrong with it: then the answer is
 * `again`. Whether it was is read from the thread, so that an owner that takes over does not ask a second time.
 */
export function checkOutput(
  workspace: Pick<RunView, "run"> & Pick<AgentView, "agent"> & Conversation,
): "fits" | "again" | Termination {
  const schema = workspace.agent.spec.output_schema;
  if (schema === undefined) return "fits";
  const { run_id } = workspace.run;
  const messages = workspace.modelMessages();
  const output = readOutput(schema, lastAnswer(messages, run_id) ?? "");
  if (output.ok) return "fits";
  const id = `${run_id}-output-repair`;
  if (messages.some((message) => message.id === id)) {
    const value = `The answer does not have the shape that was asked for: ${output.problem}.`;
    return { type: "error", value, code: "OUTPUT_INVALID" };
  }
  const content = `Your answer does not have the shape that was asked for: ${output.problem}. Answer again, with the JSON alone.`;
  workspace.addMessage({ id, role: "user", content, visibility: "internal", metadata: { run_id } });
  return "again";
}
