import type { AgentEvent, Effect } from "@reprise/contracts";
import { getAt, type Json } from "@reprise/state";
import { AUTHORED, type EffectKind } from "./port.ts";

/** One commit of a recorded activation: the effects that came before it, and the events among which streams were shown. */
export interface RecordedCommit {
  readonly changeset_id: string;
  readonly version: number;
  readonly effects: readonly Effect[];
  readonly events: readonly AgentEvent[];
}

/** Events that the stream of a model shows. */
const STREAMED: ReadonlySet<AgentEvent["type"]> = new Set<AgentEvent["type"]>([
  "text_delta",
  "reasoning_delta",
  "reasoning_encrypted_value",
  "tool_call_start",
  "tool_call_delta",
  "tool_call_ready",
  "step_reset",
  "budget_warning",
]);

export function isStreamed(type: AgentEvent["type"]): boolean {
  return STREAMED.has(type);
}

/** The stored effects of one activation, from commit to commit, and how far they were handed back. */
export class EffectLog {
  readonly #commits: readonly RecordedCommit[];
  /** Whether the definition's own code is asked: then its recorded answers only say when it answered. */
  readonly #isAsking: boolean;
  readonly #recorded = new Map<string, Json[]>();
  #commit = 0;
  #index = 0;
  #event = 0;

  constructor(commits: readonly RecordedCommit[], isAsking: boolean) {
    this.#commits = commits;
    this.#isAsking = isAsking;
    for (const { effects } of commits) for (const effect of effects) this.#keepRecorded(effect);
  }

  /** The commit that comes next; undefined when all were made. */
  get commit(): RecordedCommit | undefined {
    return this.#commits[this.#commit];
  }

  /** Which commit comes next, and which of its effects. */
  get position(): readonly [commit: number, index: number] {
    return [this.#commit, this.#index];
  }

  /** The effect that comes next. Answers that the definition's code gave at once are left out where it is asked again. */
  get next(): Effect | undefined {
    const effects = this.commit?.effects ?? [];
    for (;;) {
      const effect = effects[this.#index];
      if (effect?.at !== undefined || effect === undefined || !this.isAsked(effect)) return effect;
      this.#index += 1;
    }
  }

  isAsked({ kind }: Pick<Effect, "kind">): boolean {
    return this.#isAsking && AUTHORED.has(kind as EffectKind);
  }

  isNext({ kind, of }: Pick<Effect, "kind" | "of">): boolean {
    const effect = this.next;
    return effect?.kind === kind && effect.of === of;
  }

  /** An effect that is still to come before the next commit. */
  findAhead({ kind, of }: Pick<Effect, "kind" | "of">): Effect | undefined {
    const effects = this.commit?.effects ?? [];
    return effects.slice(this.#index).find((effect) => effect.kind === kind && effect.of === of);
  }

  /** Continues to the effect after the next one. */
  skip(): void {
    this.#index += 1;
  }

  /** Leaves out what the definition's code was asked and is not asked today. */
  skipAsked(): void {
    for (let effect = this.next; effect !== undefined && this.isAsked(effect); effect = this.next) this.skip();
  }

  /** The next commit was made. */
  advance(): void {
    this.#commit += 1;
    this.#index = 0;
    this.#event = 0;
  }

  /** The events that open streams showed up to an event, but for those that were handed out before. */
  takeShown(upTo: number, isShown: (event: AgentEvent) => boolean): readonly AgentEvent[] {
    const events = this.commit?.events ?? [];
    const from = this.#event;
    while ((events[this.#event]?.seq ?? Number.POSITIVE_INFINITY) <= upTo) this.#event += 1;
    return events.slice(from, this.#event).filter(isShown);
  }

  /** What the definition's code recorded under a name; the next one when there are several. */
  takeRecorded(key: string, name: string): Json | undefined {
    return this.#recorded.get(`${key} ${name}`)?.shift();
  }

  #keepRecorded({ value }: Effect): void {
    const recorded = value === undefined ? undefined : getAt(value, ["recorded"]);
    for (const each of Array.isArray(recorded) ? recorded : []) {
      const key = `${String(getAt(each, ["place"]))} ${String(getAt(each, ["name"]))}`;
      this.#recorded.set(key, [...(this.#recorded.get(key) ?? []), getAt(each, ["value"]) ?? null]);
    }
  }
}
