import {
  type Cost,
  costOf,
  type LanguageModel,
  type Modality,
  ModelError,
  type ModelErrorKind,
  type ModelPricing,
  type ModelRequest,
  type TokenUsage,
} from "@reprise/contracts";
import { type AttemptGate, endOf } from "./attempt-gate.ts";

/** One try to get an answer from one model, or why there was none. */
export interface ModelAttempt {
  readonly attempt: number;
  readonly provider: string;
  readonly model: string;
  readonly outcome: "succeeded" | "failed" | "skipped";
  readonly usage?: TokenUsage;
  /** The provider did not say what it used: the usage is our estimate. */
  readonly estimated?: true;
  /** Absent for one that was skipped. */
  readonly cost?: Cost;
  readonly error?: ModelErrorKind;
  /** Why it was skipped. */
  readonly reason?: string;
  /** When it began, in milliseconds since the inference began. */
  readonly started_ms?: number;
  readonly duration_ms?: number;
}

/** How an attempt ended. */
export type AttemptEnding = Omit<
  ModelAttempt,
  "attempt" | "provider" | "model" | "reason" | "started_ms" | "duration_ms"
>;

/** The record of a failed attempt. A refused one cost nothing; the cost of any other is unknown. */
export function failureOf(error: ModelError): AttemptEnding {
  return { outcome: "failed", error: error.kind, cost: { microcents: 0, priced: endOf(error) === "refused" } };
}

/** What is noted of an attempt until it says how it ended. */
const STALLED: AttemptEnding = failureOf(new ModelError("timeout", "The model said nothing for too long."));

/** Of English text a token has about so many characters. */
const CHARACTERS_PER_TOKEN = 4;

/**
 * What is noted of an attempt that broke off while the model spoke. Its provider counts what was read and said until then and never
 * tells, so it is estimated: from the size of the request, and from how many characters came.
 */
export function brokenOff(
  error: ModelError,
  { system, messages, tools }: Pick<ModelRequest, "system" | "messages" | "tools">,
  { heard, pricing }: { readonly heard: number; readonly pricing: ModelPricing | undefined },
): AttemptEnding {
  const usage = {
    prompt_tokens: Math.ceil(JSON.stringify([system, messages, tools]).length / CHARACTERS_PER_TOKEN),
    completion_tokens: Math.ceil(heard / CHARACTERS_PER_TOKEN),
  };
  const { microcents } = costOf(usage, pricing);
  return { outcome: "failed", error: error.kind, usage, estimated: true, cost: { microcents, priced: false } };
}

/** The attempt the answer came from: the last that was made, since a broken one may have said all that counts. */
export function answeredBy(attempts: readonly ModelAttempt[]): ModelAttempt | undefined {
  return attempts.findLast(({ outcome }) => outcome !== "skipped");
}

/** What happened to one inference on its way through a route, over all its requests. */
export class RouteSession {
  /** By which a pool chooses its home. */
  readonly stickyKey: string;
  /** Asked before every attempt. */
  readonly gate: AttemptGate | undefined;
  /** Asked in place of every model of the route, in an evaluation. */
  readonly standIn: LanguageModel | undefined;
  /** The milliseconds since the inference began; undefined where times are not recorded. */
  readonly #elapsed: (() => number) | undefined;
  readonly #attempts: ModelAttempt[] = [];
  /** Who could have been asked, in the order of preference. */
  candidates: readonly string[] = [];
  /** What the request asks of a model beside text. */
  requirements: readonly Modality[] = [];
  readonly #broken = new Map<string, number>();
  readonly #refreshed = new Set<string>();
  #provider: string | undefined;
  #hasChangedProvider = false;

  constructor(
    stickyKey: string,
    {
      gate,
      elapsed,
      standIn,
    }: Partial<Pick<RouteSession, "gate" | "standIn">> & { readonly elapsed?: () => number } = {},
  ) {
    this.stickyKey = stickyKey;
    this.gate = gate;
    this.standIn = standIn;
    this.#elapsed = elapsed;
  }

  get hasChangedProvider(): boolean {
    return this.#hasChangedProvider;
  }

  /** An entry is passed over. */
  skip(provider: string, model: string, reason: string): void {
    this.#attempts.push({ attempt: this.#attempts.length + 1, provider, model, outcome: "skipped", reason });
  }

  /** An attempt is made. Returns the way to say how it ended. */
  begin(provider: string, model: string): (end: AttemptEnding) => void {
    const started_ms = this.#elapsed?.();
    const began = started_ms === undefined ? {} : { started_ms };
    const made = { attempt: this.#attempts.length + 1, provider, model, ...began };
    this.#attempts.push({ ...made, ...STALLED });
    return (end) => {
      const duration = started_ms === undefined ? {} : { duration_ms: (this.#elapsed?.() ?? 0) - started_ms };
      this.#attempts[made.attempt - 1] = { ...made, ...duration, ...end };
    };
  }

  /** As it is known now. An attempt that did not say how it ended counts as one that stalled. */
  get attempts(): readonly ModelAttempt[] {
    return [...this.#attempts];
  }

  /** Once another provider was asked, unmarked reasoning has no owner. */
  enter(provider: string): void {
    if (this.#provider !== undefined && this.#provider !== provider) this.#hasChangedProvider = true;
    this.#provider = provider;
  }

  /** Once for each provider. */
  mayRefresh(provider: string): boolean {
    if (this.#refreshed.has(provider)) return false;
    this.#refreshed.add(provider);
    return true;
  }

  streamBroke(modelId: string): void {
    this.#broken.set(modelId, (this.#broken.get(modelId) ?? 0) + 1);
  }

  /** How many streams of a model broke. */
  brokenStreams(modelId: string): number {
    return this.#broken.get(modelId) ?? 0;
  }
}
