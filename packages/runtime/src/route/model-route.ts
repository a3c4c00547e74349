import {
  believableUsage,
  type ContentPart,
  costOf,
  type Env,
  type Message,
  type Modality,
  type ModelChunk,
  ModelError,
  type ModelRequest,
  type ModelWaitReason,
} from "@reprise/contracts";
import { type AttemptTicket, endOf } from "./attempt-gate.ts";
import type { ModelHealth } from "./model-health.ts";
import { ModelUnavailable } from "./model-unavailable.ts";
import type { OpenedStream, OpeningModel } from "./open-stream.ts";
import { ONE_ATTEMPT, type RouteEntry } from "./route-entry.ts";
import { type AttemptEnding, brokenOff, failureOf, RouteSession } from "./route-session.ts";
import { waitAfter } from "./wait-after.ts";

/** A stream that has begun to speak. */
type BegunStream = Required<OpenedStream>;

/** A request that belongs to an inference. One without a session is an inference of its own. */
export interface RoutedRequest extends ModelRequest {
  readonly session?: RouteSession;
}

/** One attempt under way. */
interface Attempted {
  readonly entry: RouteEntry;
  readonly session: RouteSession;
  readonly ticket: AttemptTicket | undefined;
  readonly noted: (end: AttemptEnding) => void;
}

/** What a route is made of. */
export interface RouteParts {
  readonly id: string;
  /** In the order they are asked; a pool has one for each key. */
  readonly entriesFor: (stickyKey: string) => readonly RouteEntry[];
  /** After this many streams of one model broke in one inference, the next model is asked to continue. */
  readonly brokenStreams: number;
  readonly health: ModelHealth;
  readonly env: Env;
}

/**
 * A model that stands for several: each is asked, and asked again, until one speaks. A failure after its first word is the reader's:
 * what was heard is already shown, and the turn knows better how to continue from there. What would be refused anywhere is passed
 * on at once.
 */
export class ModelRoute implements OpeningModel {
  readonly id: string;
  readonly #parts: RouteParts;

  constructor(parts: RouteParts) {
    this.id = parts.id;
    this.#parts = parts;
  }

  /** Whom it asks, in order; of a pool, as a thread with this key would. */
  entries(stickyKey: string): readonly RouteEntry[] {
    return this.#parts.entriesFor(stickyKey);
  }

  async open(request: RoutedRequest): Promise<BegunStream> {
    const { session = new RouteSession("") } = request;
    const { health } = this.#parts;
    const needed = requirementsOf(request);
    const entries = this.entries(session.stickyKey);
    session.candidates = entries.map(({ modelId }) => modelId);
    session.requirements = needed;
    const failures = new Map<RouteEntry, ModelError | undefined>();
    for (const entry of entries) {
      const unfit = this.#reasonToSkip(entry, session, needed, { hasOthers: entry !== entries.at(-1) });
      const reason = unfit ?? health.check(entry)?.reason;
      if (unfit === undefined) failures.set(entry, undefined);
      if (reason === undefined) {
        const opened = await this.#ask(entry, request, session);
        if (!ModelError.is(opened)) return opened;
        failures.set(entry, opened);
      } else session.skip(entry.provider, entry.modelId, reason);
    }
    // No other model is left: a model that failed too often is tried once, by one request at a time.
    for (const [entry, failure] of failures) {
      if (failure !== undefined || !health.mayProbe(entry)) continue;
      const opened = await this.#ask({ ...entry, retry: ONE_ATTEMPT }, request, session);
      if (!ModelError.is(opened)) return opened;
      failures.set(entry, opened);
    }
    throw this.#exhausted(failures);
  }

  async *stream(request: RoutedRequest): AsyncGenerator<ModelChunk, void> {
    const { first, rest, finished, broke } = await this.open(request).catch((error: unknown) => {
      throw error instanceof ModelUnavailable ? error.failure : error;
    });
    let heard = 0;
    try {
      for (let result = first; result.done !== true; result = await rest.next()) {
        if (result.value.type === "text_delta") heard += result.value.delta.length;
        if (result.value.type === "finish") finished(believableUsage(result.value.usage));
        yield result.value;
      }
    } catch (thrown) {
      broke(toModelError(thrown), heard);
      throw thrown;
    } finally {
      await rest.return?.();
    }
  }

  #reasonToSkip(
    entry: RouteEntry,
    session: RouteSession,
    needed: readonly Modality[],
    { hasOthers }: { readonly hasOthers: boolean },
  ): string | undefined {
    const missing = findIncapable(entry, needed);
    if (missing.length > 0) return `incapable: ${missing.join(", ")}`;
    const isBroken = session.brokenStreams(entry.modelId) >= this.#parts.brokenStreams;
    return hasOthers && isBroken ? "its streams broke" : undefined;
  }

  /** Why no model answered: temporarily, when one of those that fit can be asked later. */
  #exhausted(failures: ReadonlyMap<RouteEntry, ModelError | undefined>): ModelUnavailable | ModelError {
    const { health, env } = this.#parts;
    const now = env.clock.mono();
    const last = [...failures.values()].findLast((failure) => failure !== undefined);
    const waits = [...failures].flatMap(([entry, failure]): { reason: ModelWaitReason; until: number }[] => {
      const found = health.check(entry);
      // Passed over a moment ago, and free by now.
      if (found === undefined) return failure === undefined ? [{ reason: "cooling_down", until: now }] : [];
      const isOurs = found.reason === "cooling_down" && failure !== undefined;
      return [{ ...found, reason: isOurs ? "rate_limited" : found.reason }];
    });
    const [first] = waits.sort((one, other) => one.until - other.until);
    if (first === undefined)
      return last ?? new ModelError("invalid_request", `No model of ${this.id} takes the request.`);
    const waitMs = Math.max(Math.ceil(first.until - now), 1);
    return new ModelUnavailable(waitMs, first.reason, last ?? this.#passedOver(first.reason, waitMs));
  }

  #passedOver(reason: ModelWaitReason, waitMs: number): ModelError {
    const [kind, why] =
      reason === "breaker_open"
        ? (["overloaded", "it failed too often"] as const)
        : (["rate_limit", "its provider was asked too often"] as const);
    return new ModelError(kind, `No model of ${this.id} can be asked for ${waitMs} ms: ${why}.`);
  }

  /** Asks one entry as often as it may be asked. Returns its stream, or why the next one is to be asked. */
  async #ask(entry: RouteEntry, request: RoutedRequest, session: RouteSession): Promise<BegunStream | ModelError> {
    const { env } = this.#parts;
    const { provider, modelId: model, spec } = entry;
    this.#parts.health.begin(entry);
    session.enter(provider);
    const messages = stripReasoning(request.messages, provider, { hasChanged: session.hasChangedProvider });
    const asked = messages === request.messages ? request : { ...request, messages };
    const startedAt = env.clock.mono();
    for (let attempt = 1; ; attempt += 1) {
      const planned = { provider, model, ...(spec !== undefined && { spec }), request: asked };
      const ticket = await session.gate?.open(planned).catch((error: unknown) => {
        this.#parts.health.gaveUp(model);
        throw error;
      });
      const attempted: Attempted = { entry, session, ticket, noted: session.begin(provider, model) };
      try {
        return await this.#begin(attempted, ticket === undefined ? asked : ticket.request);
      } catch (thrown) {
        const error = toModelError(thrown);
        ticket?.ended(endOf(error));
        this.#fail(attempted, request, error);
        if (request.signal.aborted) throw thrown;
        if (error.kind === "auth" && (await refreshAuth(entry, session))) continue;
        const elapsedMs = env.clock.mono() - startedAt;
        const waitMs = waitAfter(error, { settings: entry.retry, attempt, elapsedMs, random: env.random() });
        if (waitMs === undefined) {
          if (error.isRetryable) return error;
          throw thrown;
        }
        await this.#wait(waitMs, request.signal);
      }
    }
  }

  async #begin(attempted: Attempted, request: ModelRequest): Promise<BegunStream> {
    const { entry, session, ticket, noted } = attempted;
    const rest = (session.standIn ?? entry.model).stream(request)[Symbol.asyncIterator]();
    const first = await rest.next();
    if (first.done === true) throw unfinished();
    return {
      first,
      rest,
      finished: (usage) => {
        ticket?.ended({ usage });
        this.#parts.health.succeeded(entry);
        noted({ outcome: "succeeded", usage, cost: costOf(usage, entry.spec?.pricing) });
      },
      broke: (error, heard) => {
        ticket?.ended("unknown");
        session.streamBroke(entry.modelId);
        this.#fail(attempted, request, error, brokenOff(error, request, { heard, pricing: entry.spec?.pricing }));
      },
    };
  }

  #fail(
    { entry, noted }: Attempted,
    { signal }: ModelRequest,
    error: ModelError,
    ending: AttemptEnding = failureOf(error),
  ): void {
    noted(ending);
    if (signal.aborted) this.#parts.health.gaveUp(entry.modelId);
    else this.#parts.health.failed(entry, error);
  }

  async #wait(ms: number, signal: AbortSignal): Promise<void> {
    try {
      await this.#parts.env.clock.sleep(ms, signal);
    } catch (error) {
      throw new ModelError("cancelled", "The model call was cancelled between two attempts.", { cause: error });
    }
  }
}

/** Never blindly: a provider may get itself a new key, once an inference. */
async function refreshAuth({ provider, refreshAuth: refresh }: RouteEntry, session: RouteSession): Promise<boolean> {
  return refresh !== undefined && session.mayRefresh(provider) && (await refresh());
}

/** A stream that ended without saying that it is finished. */
export function unfinished(): ModelError {
  return new ModelError("stream_interrupted", "The model's stream ended before it was finished.");
}

export function toModelError(thrown: unknown): ModelError {
  return ModelError.is(thrown) ? thrown : new ModelError("network", "The model call failed.", { cause: thrown });
}

/**
 * The messages as another provider may see them: what one provider's model thought means nothing to another, and its sealed form
 * is refused there. Parts that say whose they are stay with that one; those that do not go when the provider has changed.
 * A message that was nothing but thoughts goes too.
 */
function stripReasoning(
  messages: readonly Message[],
  provider: string,
  { hasChanged }: { readonly hasChanged: boolean },
): readonly Message[] {
  const isForeign = (part: ContentPart): boolean =>
    part.type === "reasoning" && (part.provider === undefined ? hasChanged : part.provider !== provider);
  if (!messages.some(({ content }) => typeof content !== "string" && content.some(isForeign))) return messages;
  return messages.flatMap((message) => {
    if (typeof message.content === "string") return [message];
    const content = message.content.filter((part) => !isForeign(part));
    const isEmpty = content.length === 0 && message.content.length > 0 && message.tool_calls === undefined;
    return isEmpty ? [] : [{ ...message, content }];
  });
}

/** What a request asks of a model beside text. */
function requirementsOf({ messages }: Pick<ModelRequest, "messages">): readonly Modality[] {
  const needed = new Set<Modality>();
  for (const { content } of messages) if (typeof content !== "string") addModalities(content, needed);
  return [...needed];
}

function addModalities(content: Exclude<Message["content"], string>, needed: Set<Modality>): void {
  for (const part of content) {
    if (part.type === "image") needed.add("image");
    if (part.type === "file") needed.add(modalityOf(part.media_type ?? ""));
  }
}

function modalityOf(mediaType: string): Modality {
  for (const kind of ["image", "audio", "video"] as const) if (mediaType.startsWith(`${kind}/`)) return kind;
  return mediaType === "application/pdf" ? "pdf" : "text";
}

/** What an entry is known not to accept. An undescribed model is assumed to accept everything. */
function findIncapable({ spec }: RouteEntry, needed: readonly Modality[]): readonly Modality[] {
  const taken = spec?.modalities?.input;
  return taken === undefined ? [] : needed.filter((modality) => !taken.includes(modality));
}
