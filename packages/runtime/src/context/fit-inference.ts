import { type Message, type ModelRequest, type ModelSpec, RepriseError } from "@reprise/contracts";
import { type GatedRun, isGated } from "../budget/run-gate.ts";
import type { Inference } from "../phases/compose-inference.ts";
import type { AgentSource } from "../resolve/agents.ts";
import { type ContextWindow, readContextWindow } from "../resolve/context-window.ts";
import { lookUpModel } from "../resolve/look-up-model.ts";
import type { AgentView, Conversation, RunView } from "../run/ports.ts";
import type { LoadedThread } from "../thread/loaded-thread.ts";
import { type FittedRequest, fitRequest } from "./fit-request.ts";
import { markForCache } from "./mark-for-cache.ts";
import type { TokenEstimator } from "./token-estimator.ts";

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
  return model === undefined ? agent.modelSpec : lookUpModel(services.agents.registries, run.agent_id, model).modelSpec;
}
