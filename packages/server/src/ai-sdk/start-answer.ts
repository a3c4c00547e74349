import { continuesByItself, type RunRequest, type ToolCallRecord } from "@reprise/contracts";
import { type AiSdkRequest, selectOpenDecisions, withUiMessageIds } from "@reprise/protocols/ai-sdk";
import type { RunHandle } from "@reprise/runtime";
import { keepFiles } from "../blobs/keep-files.ts";
import type { HttpExchange } from "../host/route.ts";
import { badRequest } from "../http/http-refusal.ts";
import { submitOnce } from "../idempotency/submit-once.ts";
import { assertScope } from "../security/principal.ts";
import { findMessageRun } from "./find-message-run.ts";
import { loadCallsBelow, loadOpenCalls } from "./load-calls.ts";
import { unlessStale } from "./unless-stale.ts";

type Submit = Extract<AiSdkRequest, { kind: "submit" }>;
type Regenerate = Extract<AiSdkRequest, { kind: "regenerate" }>;

/** Something was said. When it takes the place of what was said before, the thread goes back to there first. */
export async function startAnswer(
  exchange: HttpExchange,
  { request, edited_message_id: edited }: Submit,
): Promise<RunHandle> {
  const { thread_id: threadId = "", initial_decisions: decisions = [], ...asked } = request;
  const messages = await keepFiles(exchange, asked.messages);
  const replaced = edited === undefined ? undefined : await findMessageRun(exchange.runtime, threadId, edited);
  if (replaced !== undefined) {
    const said = withUiMessageIds(messages);
    return submitOnce(exchange, { ...asked, thread_id: threadId, messages: said, restore: { run_id: replaced } });
  }
  // A client sends its decisions along for as long as its message has them; only what waits can be decided.
  const open = decisions.length === 0 ? [] : selectOpenDecisions(decisions, await loadAsked(exchange, threadId));
  const said = { ...asked, thread_id: threadId, messages };
  if (open.length === 0) return submitOnce(exchange, said);
  assertScope(exchange.principal, "decide");
  // Another client may decide between the read and the write: then the message counts without the decision.
  return (await unlessStale(submitOnce(exchange, { ...said, initial_decisions: open }))) ?? submitOnce(exchange, said);
}

/** The calls that a person may decide about, on the thread and below. */
async function loadAsked(exchange: HttpExchange, threadId: string): Promise<readonly ToolCallRecord[]> {
  const below = await loadCallsBelow(exchange, threadId);
  return [...(await loadOpenCalls(exchange, threadId)), ...below.map(({ call }) => call)].filter(
    (call) => !continuesByItself(call),
  );
}

/** Another answer to what was said: the thread goes back to right behind it, and the old answer stays as superseded. */
export async function answerAnew(
  exchange: HttpExchange,
  agentId: string,
  { thread_id, run_id, message_id, overrides }: Regenerate,
): Promise<RunHandle> {
  const replaced = await findMessageRun(exchange.runtime, thread_id, message_id);
  if (replaced === undefined) throw badRequest(`messageId is not a message of thread ${thread_id}`);
  const request: RunRequest = {
    agent_id: agentId,
    thread_id,
    ...(run_id !== undefined && { run_id }),
    origin: "ai_sdk",
    messages: [],
    ...(overrides !== undefined && { overrides }),
    restore: { run_id: replaced, keep_input: true },
  };
  return submitOnce(exchange, request);
}
