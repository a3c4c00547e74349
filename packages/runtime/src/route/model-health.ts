import type { Clock, ModelError, ModelErrorKind } from "@reprise/contracts";
import type { RouteEntry } from "./route-entry.ts";

/** A provider that says we ask too often is left alone for this long, or for as long as it says. */
const COOLDOWN_MS = 30_000;

/** After this many failures in a row a model is not asked for a while; then one request tries it. */
const BREAKER_FAILURES = 5;
const BREAKER_OPEN_MS = 30_000;

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

/** Why an entry is passed over, and until when. */
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

  /** Why an entry should not be asked now. Of a breaker whose time is up, whoever asks first is the one that tries. */
  check({ provider, modelId }: RouteEntry): Unavailable | undefined {
    const now = this.#clock.mono();
    const coolUntil = this.#cooldowns.get(provider) ?? 0;
    if (coolUntil > now) return { reason: "cooling_down", until: coolUntil };
    const breaker = this.#breakers.get(modelId);
    if (breaker === undefined || breaker.failures < BREAKER_FAILURES) return undefined;
    if (breaker.openUntil > now || breaker.isProbed) return { reason: "breaker_open", until: breaker.openUntil };
    breaker.isProbed = true;
    return undefined;
  }

  succeeded({ modelId }: RouteEntry): void {
    if (this.#breakers.size > 0) this.#breakers.delete(modelId);
  }

  failed({ provider, modelId }: RouteEntry, { kind, retryAfterMs }: ModelError): void {
    if (kind === "rate_limit") this.#cooldowns.set(provider, this.#clock.mono() + (retryAfterMs ?? COOLDOWN_MS));
    if (!TROUBLE.has(kind)) return this.gaveUp(modelId);
    const breaker = this.#breakers.get(modelId) ?? { failures: 0, openUntil: 0, isProbed: false };
    breaker.failures += 1;
    breaker.openUntil = this.#clock.mono() + BREAKER_OPEN_MS;
    breaker.isProbed = false;
    this.#breakers.set(modelId, breaker);
  }

  /** A request that ended without saying anything of the model's health leaves the next one to try. */
  gaveUp(modelId: string): void {
    const breaker = this.#breakers.get(modelId);
    if (breaker !== undefined) breaker.isProbed = false;
  }
}
