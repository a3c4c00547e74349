import type { Clock, ModelError, ModelErrorKind } from "@reprise/contracts";
import type { RouteEntry } from "./route-entry.ts";

/** A provider that says we ask too often is left alone for this long, or for as long as it says. */
export const COOLDOWN_MS = 30_000;

/** After this many failures in a row a model is not asked for a while; then one request tries it. */
const BREAKER_FAILURES = 5;
const BREAKER_OPEN_MS = 30_000;

/** A model that another request is trying right now is looked at again after this. */
const PROBE_MS = 1_000;

/** What tells of trouble at the provider, rather than of a request it would refuse anywhere. */
const TROUBLE: ReadonlySet<ModelErrorKind> = new Set([
  "rate_limit",
  "overloaded",
  "timeout",
  "network",
  "stream_interrupted",
  "server_error",
  "malformed_response",
]);

interface Breaker {
  failures: number;
  openUntil: number;
  isProbed: boolean;
}

/** Why an entry is passed over, and until when by the clock that never goes back. */
export interface Unavailable {
  readonly reason: "cooling_down" | "breaker_open";
  readonly until: number;
}

/** What this process knows of models and their providers, across all requests. */
export class ModelHealth {
  readonly #clock: Pick<Clock, "mono">;
  readonly #cooldowns = new Map<string, number>();
  readonly #breakers = new Map<string, Breaker>();

  constructor(clock: Pick<Clock, "mono">) {
    this.#clock = clock;
  }

  /** Why an entry should not be asked now. */
  check({ provider, modelId }: RouteEntry): Unavailable | undefined {
    const now = this.#clock.mono();
    const coolUntil = this.#cooldowns.get(provider) ?? 0;
    if (coolUntil > now) return { reason: "cooling_down", until: coolUntil };
    const breaker = this.#openBreaker(modelId);
    if (breaker === undefined) return undefined;
    if (breaker.isProbed) return { reason: "breaker_open", until: Math.max(breaker.openUntil, now + PROBE_MS) };
    return breaker.openUntil > now ? { reason: "breaker_open", until: breaker.openUntil } : undefined;
  }

  /** Whether a request may try an entry behind an open breaker: one at a time, and not while its provider is left alone. */
  mayProbe({ provider, modelId }: RouteEntry): boolean {
    const isCooling = (this.#cooldowns.get(provider) ?? 0) > this.#clock.mono();
    return !isCooling && this.#openBreaker(modelId)?.isProbed === false;
  }

  /** An entry is about to be asked; behind an open breaker this is the probe. */
  begin({ modelId }: RouteEntry): void {
    const breaker = this.#openBreaker(modelId);
    if (breaker !== undefined) breaker.isProbed = true;
  }

  succeeded({ modelId }: RouteEntry): void {
    if (this.#breakers.size > 0) this.#breakers.delete(modelId);
  }

  failed({ provider, modelId }: RouteEntry, { kind, retryAfterMs }: ModelError): void {
    if (!TROUBLE.has(kind)) return this.gaveUp(modelId);
    const now = this.#clock.mono();
    // A provider that says when to retry is left alone until then, whatever the error is called.
    const coolMs = retryAfterMs ?? (kind === "rate_limit" ? COOLDOWN_MS : 0);
    if (coolMs > 0) this.#cooldowns.set(provider, now + coolMs);
    const breaker = this.#breakers.get(modelId) ?? { failures: 0, openUntil: 0, isProbed: false };
    breaker.failures += 1;
    breaker.openUntil = now + BREAKER_OPEN_MS;
    breaker.isProbed = false;
    this.#breakers.set(modelId, breaker);
  }

  /** A request that ended without saying anything of the model's health leaves the next one to try. */
  gaveUp(modelId: string): void {
    const breaker = this.#breakers.get(modelId);
    if (breaker !== undefined) breaker.isProbed = false;
  }

  #openBreaker(modelId: string): Breaker | undefined {
    const breaker = this.#breakers.get(modelId);
    return breaker === undefined || breaker.failures < BREAKER_FAILURES ? undefined : breaker;
  }
}
