import {
  invalidRequest,
  type MediaModel,
  type MediaRequest,
  type ModelChunk,
  type ModelRequest,
  type ModelSpec,
  mediaCostOf,
  mediaHandle,
  textOf,
} from "@reprise/contracts";
import { madeBy } from "../resolve/check-generative.ts";
import { AttemptRefused, endOf } from "../route/attempt-gate.ts";
import { COOLDOWN_MS } from "../route/model-health.ts";
import { type RoutedRequest, toModelError } from "../route/model-route.ts";
import { ModelUnavailable } from "../route/model-unavailable.ts";
import type { OpeningModel } from "../route/open-stream.ts";
import { refusingModel } from "../route/refusing-model.ts";
import { failureOf } from "../route/route-session.ts";
import type { Host, RunView } from "../run/ports.ts";

type MakingRun = Pick<RunView, "claim"> & Host;

/** A model that makes media, and what is known of it. */
export interface GenerativeModel {
  readonly model: MediaModel;
  readonly spec: ModelSpec;
}

/** One thing is made at a time: a day of film, in seconds. */
const MOST_UNITS = 86_400;

const nothing = (): void => undefined;

/**
 * A turn of a generative model, as the loop takes turns: asked once, it says one file. A request that is no prompt is refused with
 * `INVALID_REQUEST`, before anything is sent.
 */
export function takeMediaTurn(workspace: MakingRun, made: GenerativeModel, request: ModelRequest): OpeningModel {
  const { id } = made.model;
  const prompt = promptOf(request);
  const [modality] = madeBy(made.spec);
  const problem = findProblem(prompt) ?? (modality === undefined ? "its output is not declared" : undefined);
  if (problem !== undefined || modality === undefined) {
    return refusingModel(id, invalidRequest(`Model ${id} was not asked: ${problem}.`));
  }
  const wish = { prompt: prompt.text, modality, options: request.options };
  const stream = (routed: RoutedRequest): AsyncGenerator<ModelChunk> => make(workspace, made, wish, routed);
  return {
    id,
    stream,
    // By itself, so that no other attempt waits at the gate for it: its cost is not counted in tokens.
    async open(routed) {
      const rest = stream(routed);
      return { first: await rest.next(), rest, finished: nothing, broke: nothing };
    },
  };
}

/** The media is a blob before it is announced, and it is paid for in any case. */
async function* make(
  workspace: MakingRun,
  { model, spec }: GenerativeModel,
  wish: Omit<MediaRequest, "signal" | "download">,
  request: RoutedRequest,
): AsyncGenerator<ModelChunk> {
  const { session, signal } = request;
  const attempt = { provider: spec.provider, model: spec.id };
  if (session !== undefined) session.candidates = [spec.id];
  const ticket = await session?.gate?.open({ ...attempt, spec, request });
  const noted = session?.begin(spec.provider, spec.id);
  const { egress } = workspace.services.env;
  const media: MediaRequest = { ...wish, signal, ...(egress !== undefined && { download: egress.download }) };
  const { content, media_type, units } = await model.generate(media).catch((error: unknown) => {
    const failure = toModelError(error);
    noted?.(failureOf(failure));
    ticket?.ended(endOf(failure));
    // Nothing was made, so it may be asked for again; anything else may have been made, and paid for.
    if (failure.kind !== "rate_limit") throw error;
    throw new ModelUnavailable(failure.retryAfterMs ?? COOLDOWN_MS, "rate_limited", failure);
  });
  // What cannot be true is unknown, and then what was reserved is what it cost.
  const isBelievable = units >= 0 && units <= MOST_UNITS;
  const cost = mediaCostOf(isBelievable ? units : 1, spec.pricing);
  noted?.({ outcome: "succeeded", cost });
  ticket?.ended(isBelievable ? { amount: { microcents: cost.microcents, tokens: 0 } } : "unknown");
  const ref = await keep(workspace, content, media_type);
  yield { type: "file", url: mediaHandle(ref), media_type };
  yield { type: "finish", stop_reason: "end_turn" };
}

async function keep({ services, claim }: MakingRun, content: Uint8Array, media_type: string): Promise<string> {
  try {
    return (await services.blobs.put(claim.tenant, content, { media_type })).ref;
  } catch (error) {
    // A store's trouble, which is to be heard as such and not as the model's.
    throw new AttemptRefused(error);
  }
}

interface Prompt {
  /** The operator's words, then the user's last ones. */
  readonly text: string;
  readonly isEmpty: boolean;
  readonly hasFiles: boolean;
}

function promptOf({ system, messages }: Pick<ModelRequest, "system" | "messages">): Prompt {
  const said = messages.findLast(({ role, visibility }) => role === "user" && visibility !== "internal");
  const text = said === undefined ? "" : textOf(said);
  const parts = said === undefined || typeof said.content === "string" ? [] : said.content;
  return {
    text: system === "" ? text : `${system}\n\n${text}`,
    isEmpty: text.trim() === "",
    hasFiles: parts.some(({ type }) => type !== "text"),
  };
}

function findProblem({ isEmpty, hasFiles }: Prompt): string | undefined {
  if (isEmpty) return "the prompt is empty";
  return hasFiles ? "its prompt is text, and the message has files too" : undefined;
}
