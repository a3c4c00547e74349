import {
  believableUsage,
  costOf,
  type Env,
  type Modality,
  type ModelChunk,
  ModelError,
  type ModelRequest,
  type TokenUsage,
} from "@reprise/contracts";
import { type AttemptTicket, endOf } from "./attempt-gate.ts";
import { findIncapable, requirementsOf } from "./find-incapable.ts";
import type { ModelHealth } from "./model-health.ts";
import type { OpenedStream, OpeningModel } from "./open-stream.ts";
import type { RouteEntry } from "./route-entry.ts";
import { RouteSession } from "./route-session.ts";
import { stripReasoning } from "./strip-reasoning.ts";
import { waitAfter } from "./wait-after.ts";

/** A stream that has begun to speak. */
type BegunStream = Required<OpenedStream>;

/** A request that belongs to an inference. One without a session is an inference of its own. */
export interface RoutedRequest extends ModelRequest {
  readonly session?: RouteSession;
}

/** What a route is made of. */
export interface RouteParts {
  readonly id: string;
  /** In the order they are asked; a pool has one for each key. */
  readonly entriesFor: (stickyKey: string) => readonly RouteEntry[];
  readonly health: ModelHealth;
  readonly env: Env;
}

/**
 * A model that stands for several: each is asked, and asked again, until one speaks. A failure after its first word is the reader's:
 * what was heard is already shown, and the turn knows better how to go on from there. What would be refused anywhere is passed
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
    const needed = requirementsOf(request);
    let last: ModelError | undefined;
    const entries = this.entries(session.stickyKey);
    session.candidates = entries.map(({ modelId }) => modelId);
    session.requirements = needed;
    for (const entry of entries) {
      const reason = this.#reasonToSkip(entry, session, needed, { hasOthers: entry !== entries.at(-1) });
      if (reason === undefined) {
        const opened = await this.#ask(entry, request, session);
        if (!ModelError.is(opened)) return opened;
        last = opened;
      } else session.note({ provider: entry.provider, model: entry.modelId, outcome: "skipped", reason });
    }
    throw last ?? new ModelError("overloaded", `No model of ${this.id} can be asked now.`);
  }

  async *stream(request: RoutedRequest): AsyncGenerator<ModelChunk, void> {
    const { first, rest, finished, broke } = await this.open(request);
    try {
      for (let result = first; result.done !== true; result = await rest.next()) {
        if (result.value.type === "finish") finished(believableUsage(result.value.usage));
        yield result.value;
      }
    } catch (thrown) {
      broke(toModelError(thrown));
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
    if (hasOthers && session.hasBroken(entry.modelId)) return "its streams broke";
    return this.#parts.health.check(entry)?.reason;
  }

  /** Asks one entry as often as it may be asked. Returns its stream, or why the next one is to be asked. */
  async #ask(entry: RouteEntry, request: RoutedRequest, session: RouteSession): Promise<BegunStream | ModelError> {
    const { env } = this.#parts;
    const { provider, modelId: model, spec } = entry;
    session.enter(provider);
    const messages = stripReasoning(request.messages, provider, { hasChanged: session.hasChangedProvider });
    const asked = messages === request.messages ? request : { ...request, messages };
    const startedAt = env.clock.mono();
    for (let attempt = 1; ; attempt += 1) {
      const ticket = await session.gate?.open({ provider, model, ...(spec !== undefined && { spec }), request: asked });
      try {
        return await this.#begin(entry, ticket === undefined ? asked : ticket.request, session, ticket);
      } catch (thrown) {
        const error = toModelError(thrown);
        ticket?.ended(endOf(error));
        this.#fail(entry, session, request, error);
        // What is not a model's failure is a fault in its adapter: asking again would only hide it.
        if (request.signal.aborted || !ModelError.is(thrown)) throw thrown;
        if (error.kind === "auth" && (await refreshAuth(entry, session))) continue;
        if (!error.isRetryable) throw thrown;
        const elapsedMs = env.clock.mono() - startedAt;
        const waitMs = waitAfter(error, { settings: entry.retry, attempt, elapsedMs, random: env.random() });
        if (waitMs === undefined) return error;
        await this.#wait(waitMs, request.signal);
      }
    }
  }

  async #begin(
    entry: RouteEntry,
    request: ModelRequest,
    session: RouteSession,
    ticket: AttemptTicket | undefined,
  ): Promise<BegunStream> {
    const rest = entry.model.stream(request)[Symbol.asyncIterator]();
    const first = await rest.next();
    return {
      first,
      rest,
      finished: (usage) => {
        ticket?.ended({ usage });
        this.#succeed(entry, session, usage);
      },
      broke: (error) => {
        ticket?.ended("unknown");
        session.streamBroke(entry.modelId);
        this.#fail(entry, session, request, error);
      },
    };
  }

  #succeed(entry: RouteEntry, session: RouteSession, usage: TokenUsage): void {
    const { provider, modelId: model } = entry;
    this.#parts.health.succeeded(entry);
    session.note({ provider, model, outcome: "succeeded", usage, cost: costOf(usage, entry.spec?.pricing) });
  }

  #fail(entry: RouteEntry, session: RouteSession, { signal }: ModelRequest, error: ModelError): void {
    const { provider, modelId: model } = entry;
    session.note({ provider, model, outcome: "failed", error: error.kind });
    if (signal.aborted) this.#parts.health.gaveUp(model);
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

export function toModelError(thrown: unknown): ModelError {
  return ModelError.is(thrown) ? thrown : new ModelError("network", "The model call failed.", { cause: thrown });
}
