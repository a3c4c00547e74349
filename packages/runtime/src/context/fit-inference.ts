import {
  activeAgentOf,
  type CacheBreakpoint,
  type ContextFact,
  type ContextWindow,
  type Message,
  type ModelRequest,
  type ModelSpec,
  RepriseError,
} from "@reprise/contracts";
import { type GatedRun, isGated } from "../budget/run-gate.ts";
import type { Inference } from "../phases/compose-inference.ts";
import type { AgentSource } from "../resolve/agents.ts";
import { readContextWindow } from "../resolve/context-window.ts";
import { lookUpModel } from "../resolve/look-up-model.ts";
import type { AgentView, Conversation, RunView } from "../run/ports.ts";
import type { LoadedThread } from "../thread/loaded-thread.ts";
import { previewResults } from "./preview-results.ts";
import type { TokenEstimator } from "./token-estimator.ts";
import { truncateMessages } from "./truncate-messages.ts";

/** The parts of a run that say what its model has room for. */
interface FittedRun
  extends Pick<RunView, "run">,
    Pick<AgentView, "agent">,
    Pick<Conversation, "modelMessages">,
    Pick<GatedRun, "budget"> {
  readonly thread: Pick<LoadedThread, "hasMessage">;
  readonly services: GatedRun["services"] & {
    readonly tokens: TokenEstimator;
    readonly agents: Pick<AgentSource, "registries">;
  };
}

/**
 * Makes what is about to be asked fit into the window of the model that is asked first, and marks what its provider may keep. The last
 * to change a request: what plugins added is measured too.
 */
export async function fitInference(workspace: FittedRun, inference: Inference): Promise<Inference> {
  const { agent, services, thread } = workspace;
  const window = readContextWindow(agent.spec, specOf(workspace, inference));
  if (window === undefined) return inference;
  await services.tokens.prepare();
  const fitted = fitRequest(inference.request, window, services.tokens);
  if (RepriseError.is(fitted)) return { ...inference, refusal: fitted };
  const { fact } = fitted;
  const request = isGated(workspace) ? limitAnswer(fitted, window) : fitted.request;
  // Asked from the end on, so that mostly the thread answers for the first one already.
  const lasts = ({ id }: Message): boolean =>
    thread.hasMessage(id) || workspace.modelMessages().some((message) => message.id === id);
  return {
    ...inference,
    request: window.isCached ? markForCache(request, lasts) : request,
    fact: { ...inference.fact, ...fact },
  };
}

/** Who pays puts aside the longest answer there can be: that is what the window has room for, not what the model could write. */
function limitAnswer({ request }: FittedRequest, { outputTokens }: ContextWindow): ModelRequest {
  return { ...request, options: { max_tokens: outputTokens, ...request.options } };
}

/** What is known of the model that is asked first: the agent's own, or the one a plugin chose. */
function specOf({ agent, services, run }: FittedRun, { model }: Inference): ModelSpec | undefined {
  return model === undefined
    ? agent.modelSpec
    : lookUpModel(services.agents.registries, activeAgentOf(run), model).modelSpec;
}

/**
 * Says up to where a request begins like the next one: after tools and system text; where the request before this one ended, which is
 * surely kept; and at the last message that will still be there next time. Tools are sorted, because any order is as good and only
 * the same one can be found again. A request that says `prompt_cache: false` is left as it is.
 *
 * @param lasts whether a message is part of the thread, not only of this request.
 */
function markForCache(request: ModelRequest, lasts: (message: Message) => boolean): ModelRequest {
  if (request.options.prompt_cache === false) return request;
  const { messages, tools } = request;
  const lasting = messages.findLastIndex(lasts);
  const answered = messages.findLastIndex(({ role }, index) => role === "assistant" && index <= lasting);
  const marks = [answered - 1, lasting].flatMap((index): readonly CacheBreakpoint[] => {
    const message = messages[index];
    return message === undefined ? [] : [{ after: "message", message_id: message.id }];
  });
  const isTwice = answered - 1 === lasting;
  return {
    ...request,
    tools: sortById(tools),
    cache_breakpoints: [{ after: "system" }, ...(isTwice ? marks.slice(1) : marks)],
  };
}

function sortById(tools: ModelRequest["tools"]): ModelRequest["tools"] {
  const isSorted = tools.every(({ id }, index) => index === 0 || (tools[index - 1]?.id ?? "") <= id);
  return isSorted ? tools : tools.toSorted((left, right) => (left.id < right.id ? -1 : 1));
}

/** A request that fits, and what was done to make it fit. */
interface FittedRequest {
  readonly request: ModelRequest;
  readonly fact: ContextFact;
}

/**
 * Makes a request fit into a window, leaving its answer the room it needs: first by showing old results of tools as previews, then by
 * leaving out the oldest messages. Answers with `CONTEXT_WINDOW_EXCEEDED` when what may not be left out is too much: nothing is to be sent
 * then.
 */
function fitRequest(
  { pinned = [], ...request }: ModelRequest,
  window: ContextWindow,
  estimator: TokenEstimator,
): FittedRequest | RepriseError {
  const outputTokens = roomForAnswer(request, window);
  const room = window.tokens - outputTokens;
  const frame = estimator.estimateFrame(request);
  const sizeOf = (message: Message): number => estimator.estimateMessage(message);
  const space = { tokens: room - frame, minRecent: window.minRecentMessages, pinned, sizeOf };
  const { messages: shown, previewed } = previewResults(request.messages, space);
  const { messages, tokens, dropped } = truncateMessages(shown, space);
  const estimate = frame + tokens;
  if (estimate > room) return exceeded(estimate, { ...window, outputTokens });
  return {
    request: messages === request.messages ? request : { ...request, messages },
    fact: {
      window_tokens: window.tokens,
      output_tokens: outputTokens,
      estimated_tokens: estimate,
      estimated_by: estimator.method,
      dropped_messages: dropped,
      ...(previewed > 0 && { previewed_messages: previewed }),
    },
  };
}

/** A request that says how long its answer may be needs that much room, and no more. */
function roomForAnswer({ options: { max_tokens } }: ModelRequest, { outputTokens }: ContextWindow): number {
  return typeof max_tokens === "number" ? max_tokens : outputTokens;
}

function exceeded(estimate: number, { tokens, outputTokens }: ContextWindow): RepriseError {
  const message =
    `The request is about ${estimate} tokens without what could be left out; a window of ${tokens} tokens has room for ` +
    `${tokens - outputTokens} beside an answer of ${outputTokens}.`;
  return new RepriseError("CONTEXT_WINDOW_EXCEEDED", message, {
    details: { estimated_tokens: estimate, window_tokens: tokens, output_tokens: outputTokens },
  });
}
