import {
  type Env,
  type LanguageModel,
  type Message,
  ModelError,
  type ModelRequest,
  type ModelSpec,
} from "@reprise/contracts";
import { type AttemptGate, AttemptRefused, type AttemptTicket, type PlannedAttempt } from "../route/attempt-gate.ts";
import { ModelHealth } from "../route/model-health.ts";
import { ModelRoute, type RoutedRequest } from "../route/model-route.ts";
import { ModelUnavailable } from "../route/model-unavailable.ts";
import type { RetrySettings } from "../route/route-entry.ts";
import { type ModelAttempt, RouteSession } from "../route/route-session.ts";
import { limitStalls } from "./limit-stalls.ts";
import { runTurn } from "./run-turn.ts";
import type { RecoveryLimits, Turn, TurnChunk } from "./turn.ts";

/** One model of a chain: whom to ask, how often and how patiently. */
export interface ChainEntry {
  readonly provider: string;
  /** The provider's own name for it, which events show. */
  readonly name: string;
  readonly model: LanguageModel;
  readonly spec?: ModelSpec;
  /** Attempts in all; 1 is no retry. */
  readonly maxAttempts: number;
  /** `exponential` unless given. */
  readonly backoff?: "linear" | "exponential";
  /** The first pause: 250 ms unless given. */
  readonly backoffMs?: number;
  /** Which failures it is asked again after: those that are retryable, unless given. */
  readonly isRetried?: (error: ModelError) => boolean;
  /** Gets a new key after one was refused. Asked once for each provider of the chain. */
  readonly refreshAuth?: () => Promise<boolean>;
}

/** An attempt that was made. Skipped entries are not counted. */
export interface ChainAttempt extends Omit<ModelAttempt, "attempt"> {
  /** From 1, over all requests of the chain. */
  readonly number: number;
}

/** An attempt that is about to be made. */
export interface ChainEgress {
  readonly provider: string;
  readonly model: string;
  readonly spec?: ModelSpec;
  readonly request: ModelRequest;
}

export interface ModelChainOptions {
  /** Names the conversation, for pools and for models that keep something per conversation. */
  readonly key: string;
  /** In the order they are asked. */
  readonly entries: readonly ChainEntry[];
  readonly env: Env;
  /** Asked before every attempt. Throwing refuses the attempt and ends the request. */
  readonly preEgress?: (egress: ChainEgress) => Promise<void> | void;
  /** Asked after that: reserves what the attempt may cost, and hears how it ended. */
  readonly gate?: AttemptGate;
  /** An attempt that says nothing for this long fails with `timeout`; null to wait for ever. */
  readonly idleTimeoutMs: number | null;
  readonly recovery: RecoveryLimits;
}

/** Why a request of a chain got no answer. */
export type ChainFailure =
  | {
      readonly kind: "model";
      readonly error: ModelError;
      /** Whether the first entry was asked as often as it may be for one request. */
      readonly isSpent: boolean;
    }
  /** What `preEgress` threw. */
  | { readonly kind: "refused"; readonly reason: unknown };

export type ChainAnswer = { readonly kind: "answer"; readonly turn: Turn } | ChainFailure;

const FIRST_PAUSE_MS = 250;
const LONGEST_PAUSE_MS = 8_000;

/**
 * Several models that answer one conversation, over all its requests: a provider that is overrun is left alone, a refused key is renewed once, and
 * thoughts of one provider never reach another. One conversation at a time.
 */
export class ModelChain {
  readonly #options: ModelChainOptions;
  readonly #route: ModelRoute;
  readonly #session: RouteSession;
  readonly #names = new Map<string, string>();
  #active: { readonly provider: string; readonly model: string };
  #made = 0;
  #drained = 0;
  #numbered = 0;

  constructor(options: ModelChainOptions) {
    const { key, entries, env, idleTimeoutMs } = options;
    this.#options = options;
    // Two providers may have a model of the same name, and one's trouble is not the other's.
    const known = entries.map((entry) => ({
      provider: entry.provider,
      modelId: `${entry.provider}/${entry.name}`,
      model:
        idleTimeoutMs === null
          ? entry.model
          : limitStalls(entry.model, idleTimeoutMs, (ms, callback) => env.clock.after(ms, callback)),
      ...(entry.spec !== undefined && { spec: entry.spec }),
      ...(entry.refreshAuth !== undefined && { refreshAuth: entry.refreshAuth }),
      retry: patienceOf(entry),
    }));
    for (const [index, { modelId }] of known.entries()) this.#names.set(modelId, entries[index]?.name ?? modelId);
    const [first] = entries;
    this.#active = { provider: first?.provider ?? "", model: first?.name ?? "" };
    const id = known[0]?.modelId ?? "";
    this.#route = new ModelRoute({
      id,
      entriesFor: () => known,
      brokenStreams: 2,
      health: new ModelHealth(env.clock),
      env,
    });
    this.#session = new RouteSession(key, { gate: { open: (planned) => this.#open(planned) } });
  }

  /** Who is asked right now, or was asked last. */
  get active(): { readonly provider: string; readonly model: string } {
    return this.#active;
  }

  /** How many attempts were made so far. */
  get attempts(): number {
    return this.#made;
  }

  /** One turn. A cancelled request is a `cancelled` model failure. */
  async take(request: ModelRequest, show: (chunk: TurnChunk) => void): Promise<ChainAnswer> {
    const { env, recovery, key } = this.#options;
    const before = this.#session.attempts.length;
    const routed: RoutedRequest = { ...request, thread_id: key, session: this.#session };
    try {
      const turn = await runTurn({
        model: this.#route,
        request: routed,
        recovery,
        show,
        // Each entry has a limit of its own: a chain of patient attempts is no stall.
        idleTimeoutMs: null,
        after: (ms, callback) => env.clock.after(ms, callback),
        sleep: (ms, signal) => env.clock.sleep(ms, signal),
      });
      return { kind: "answer", turn };
    } catch (error) {
      if (error instanceof AttemptRefused) return { kind: "refused", reason: error.reason };
      const isSpent = this.#isSpentSince(before);
      if (error instanceof ModelUnavailable) return { kind: "model", error: error.failure, isSpent };
      if (ModelError.is(error)) return { kind: "model", error, isSpent };
      throw error;
    }
  }

  /** The attempts that ended since this was asked last. */
  drainAttempts(): readonly ChainAttempt[] {
    const fresh = this.#session.attempts.slice(this.#drained);
    this.#drained += fresh.length;
    return fresh.flatMap(({ attempt: _, ...rest }) => {
      if (rest.outcome === "skipped") return [];
      this.#numbered += 1;
      return [{ ...rest, model: this.#names.get(rest.model) ?? rest.model, number: this.#numbered }];
    });
  }

  #isSpentSince(attempts: number): boolean {
    const [first] = this.#options.entries;
    const asked = this.#session.attempts
      .slice(attempts)
      .filter(({ model, outcome }) => outcome !== "skipped" && model === this.#route.id);
    return asked.length >= (first?.maxAttempts ?? 0);
  }

  async #open(planned: PlannedAttempt): ReturnType<AttemptGate["open"]> {
    const { provider, request, spec } = planned;
    const model = this.#names.get(planned.model) ?? planned.model;
    try {
      await this.#options.preEgress?.({ provider, model, ...(spec !== undefined && { spec }), request });
    } catch (error) {
      throw new AttemptRefused(error);
    }
    const ticket = await this.#options.gate?.open(planned);
    this.#active = { provider, model };
    this.#made += 1;
    return ticket ?? { request, ended: nothing };
  }
}

const nothing: AttemptTicket["ended"] = () => undefined;

function patienceOf({
  maxAttempts,
  backoff = "exponential",
  backoffMs = FIRST_PAUSE_MS,
  isRetried,
}: ChainEntry): RetrySettings {
  return {
    maxAttempts,
    backoffMs,
    overloadedBackoffMs: backoffMs,
    maxBackoffMs: LONGEST_PAUSE_MS,
    jitterPercent: 0,
    maxWindowMs: null,
    growth: backoff,
    ...(isRetried !== undefined && { isRetried }),
  };
}

/** The messages without any thoughts. A message that was nothing else goes too. */
export function withoutReasoning(messages: readonly Message[]): readonly Message[] {
  return messages.flatMap((message) => {
    if (typeof message.content === "string") return [message];
    const content = message.content.filter(({ type }) => type !== "reasoning");
    if (content.length === message.content.length) return [message];
    return content.length === 0 && message.tool_calls === undefined ? [] : [{ ...message, content }];
  });
}
