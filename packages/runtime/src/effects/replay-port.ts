import type { AgentEvent, Changeset, Effect, Env } from "@reprise/contracts";
import { getAt, type Json } from "@reprise/state";
import { decodeFailure } from "./failure.ts";
import { MailFlag } from "./mail-flag.ts";
import { ClaimLost, RunCancelled } from "./outcomes.ts";
import {
  Attempts,
  AUTHORED,
  type EffectKind,
  type EffectPort,
  type Question,
  type Reporting,
  type Streamed,
} from "./port.ts";

/** One commit of a recorded activation: the effects that came before it, and the events among which streams were shown. */
export interface RecordedCommit {
  readonly changeset_id: string;
  readonly version: number;
  readonly effects: readonly Effect[];
  readonly events: readonly AgentEvent[];
}

/** What a replay does with an activation's commits, and with where it parts from them. */
export interface ReplayJudge {
  /** Compares a commit with the recorded one, and takes that in; false when they differ. */
  accept(commit: number, changeset: Changeset): boolean;
  /** The loop does not ask for the effect that comes next, or asks for one that does not. */
  missed(commit: number, index: number, effect: Effect | undefined, asked: readonly string[]): void;
}

export interface ReplayPortOptions {
  readonly env: Pick<Env, "yield">;
  readonly loopVersion: number;
  readonly mayHaveMail: boolean;
  readonly commits: readonly RecordedCommit[];
  /** Whether the owner was lost after its last commit: the run neither waits nor is done. */
  readonly isLeft: boolean;
  /** Whether the definition's own code is asked. */
  readonly isAsking: boolean;
  readonly judge: ReplayJudge;
}

/** A part of the loop that waits for its effect. */
interface Waiter {
  readonly enter: (effect: Effect) => void;
  readonly fail: (reason: unknown) => void;
}

/** Events that a stream shows. */
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

/**
 * Hands back stored effects in their order, each when nothing is left to do for the one before. A replay in which nobody waits for
 * the effect that comes next has parted from its recording, and ends.
 */
export class ReplayPort implements EffectPort {
  readonly loopVersion: number;
  readonly mail: MailFlag;
  readonly #options: ReplayPortOptions;
  readonly #controller = new AbortController();
  readonly #loss = new AbortController();
  readonly #attempts = new Attempts();
  readonly #waiting = new Map<string, Waiter>();
  readonly #reports = new Map<string, (value: Json) => void>();
  readonly #recorded = new Map<string, Json[]>();
  #stream: Pick<Streamed<unknown>, "of" | "play"> | undefined;
  #commit = 0;
  #index = 0;
  #event = 0;
  #now = 0;
  #forks = 0;
  /** How much of the definition's own code is at work. */
  #asking = 0;
  #isPumping = false;

  constructor(options: ReplayPortOptions) {
    this.#options = options;
    this.loopVersion = options.loopVersion;
    this.mail = new MailFlag(options.mayHaveMail);
    for (const { effects } of options.commits) for (const effect of effects) this.#keepRecorded(effect);
    const [claim] = options.commits[0]?.effects ?? [];
    if (claim?.kind === "claim") this.#take(claim);
    void this.#pump();
  }

  get now(): number {
    return this.#now;
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  get lost(): AbortSignal {
    return this.#loss.signal;
  }

  /** Whether every recorded commit was made again. */
  get isComplete(): boolean {
    return this.#commit >= this.#options.commits.length;
  }

  perform<Value>(question: Question<Value>, ask: () => Promise<Value> | Value): Promise<Value> {
    if (this.#isAsked(question)) return this.#askAgain(question, async () => ask());
    // Alone, the loop waits for one thing at a time.
    if (this.#forks === 0 && this.#isNext(question)) return this.#enter(question);
    return this.#wait(question);
  }

  ask<Value>(question: Question<Value>, ask: () => Promise<Value> | Value): Promise<Value> | Value {
    if (this.#isAsked(question)) {
      const answer = ask();
      return answer instanceof Promise ? this.#askAgain(question, () => answer) : answer;
    }
    const effect = this.#next;
    if (effect === undefined || effect.at !== undefined || !this.#isNext(question)) return this.perform(question, ask);
    return this.#read(question, this.#take(effect));
  }

  note<Value>(question: Question<Value>, ask: () => Value): Value {
    if (this.#isAsked(question)) return ask();
    const effect = this.#next;
    if (effect === undefined || !this.#isNext(question)) throw this.#part(question);
    return this.#read(question, this.#take(effect));
  }

  stream<Value>(question: Streamed<Value>, ask: () => Promise<Value>): Promise<Value> {
    const effects = this.#options.commits[this.#commit]?.effects ?? [];
    const own = effects.slice(this.#index).find(({ kind, of }) => kind === question.kind && of === question.of);
    if (own === undefined) return this.#wait(question);
    question.recall(own.value ?? null);
    this.#stream = question;
    if (this.#forks === 0 && this.#isNext(question)) this.#play(own);
    return this.perform(question, ask).finally(() => {
      this.#stream = undefined;
    });
  }

  report<Value>(question: Reporting<Value>, ask: (report: (value: Json) => void) => Promise<Value>): Promise<Value> {
    this.#reports.set(question.of, question.report);
    return this.perform(question, () => ask(() => undefined)).finally(() => this.#reports.delete(question.of));
  }

  async record<Value extends Json>(place: string, name: string): Promise<Value> {
    const value = this.#recorded.get(`${place} ${name}`)?.shift();
    if (value === undefined) throw new Error(`Nothing was recorded as ${name} here.`);
    // The author's code knows the type of what it recorded under a name.
    return value as Value;
  }

  fork(): () => void {
    this.#forks += 1;
    return () => {
      this.#forks -= 1;
    };
  }

  rest(): () => void {
    this.#forks -= 1;
    let isResting = true;
    return () => {
      if (isResting) this.#forks += 1;
      isResting = false;
    };
  }

  take(): readonly Effect[] {
    return [];
  }

  putBack(): void {
    // Nothing was taken: the recorded effects of a refused commit stand in the one after it.
  }

  async commit(changeset: Changeset): Promise<number> {
    const { commits, judge, isLeft } = this.#options;
    const answer: Question<undefined> = { kind: "commit", of: changeset.changeset_id };
    const expected = commits[this.#commit];
    if (expected === undefined || this.lost.aborted) throw this.#lose();
    // Refused when it was recorded: then the next thing it learns is why.
    if (changeset.changeset_id !== expected.changeset_id) {
      await this.perform(answer, nothing);
      throw this.#part(answer);
    }
    if (!judge.accept(this.#commit, changeset)) throw this.#lose();
    this.#skipAsked();
    if (this.#next !== undefined) throw this.#part(answer);
    this.#commit += 1;
    this.#index = 0;
    this.#event = 0;
    if (!this.isComplete) await this.perform(answer, nothing);
    else if (isLeft) throw this.#lose();
    return expected.version;
  }

  act(): void {
    // Nothing outside may notice a replay.
  }

  close(): void {
    this.#lose();
  }

  /** The effect that comes next. Answers that the definition's code gave at once are left out where it is asked again. */
  get #next(): Effect | undefined {
    const effects = this.#options.commits[this.#commit]?.effects ?? [];
    for (;;) {
      const effect = effects[this.#index];
      if (effect?.at !== undefined || effect === undefined || !this.#isAsked(effect)) return effect;
      this.#index += 1;
    }
  }

  /** What the definition's code was asked and is not asked today is no part of this commit. */
  #skipAsked(): void {
    for (let effect = this.#next; effect !== undefined && this.#isAsked(effect); effect = this.#next) this.#index += 1;
  }

  #isAsked({ kind }: { readonly kind: string }): boolean {
    return this.#options.isAsking && AUTHORED.has(kind as EffectKind);
  }

  #isNext({ kind, of }: Pick<Effect, "kind" | "of">): boolean {
    const effect = this.#next;
    return effect?.kind === kind && effect.of === of && !this.lost.aborted;
  }

  #take(effect: Effect): Effect {
    const { kind, of, attempt, at = this.#now } = effect;
    const isCounted = this.#attempts.next(kind, of) === attempt || this.#options.isAsking;
    if (!isCounted) throw this.#part(effect);
    this.#index += 1;
    this.#now = at;
    return effect;
  }

  #read<Value>(question: Question<Value>, { value, failed }: Effect): Value {
    if (failed !== undefined)
      throw question.decodeFailure?.(failed) ?? decodeFailure(failed, this.signal.reason ?? new ClaimLost("stopped"));
    // Without an encoding of its own an answer is JSON.
    return question.decode === undefined ? (value as Value) : question.decode(value);
  }

  async #enter<Value>(question: Question<Value>): Promise<Value> {
    const effect = this.#next;
    if (effect === undefined) throw this.#part(question);
    return this.#read(question, this.#take(effect));
  }

  #wait<Value>(question: Question<Value>): Promise<Value> {
    if (this.lost.aborted) return Promise.reject(this.lost.reason);
    const { promise, resolve, reject } = Promise.withResolvers<Value>();
    const enter = (effect: Effect): void => {
      try {
        resolve(this.#read(question, this.#take(effect)));
      } catch (error) {
        reject(error);
      }
    };
    this.#waiting.set(keyOf(question), { enter, fail: reject });
    void this.#pump();
    return promise;
  }

  /** Asks the definition's code. Its answer enters where its recorded one did, or at once when there was none. */
  async #askAgain<Value>(question: Question<Value>, ask: () => Promise<Value>): Promise<Value> {
    this.#asking += 1;
    const answer = await ask().then(
      (value) => () => value,
      (error: unknown) => () => {
        throw error;
      },
    );
    this.#asking -= 1;
    const effects = this.#options.commits[this.#commit]?.effects ?? [];
    const isAhead = effects.slice(this.#index).some(({ kind, of }) => kind === question.kind && of === question.of);
    const entered: Question<undefined> = { kind: question.kind, of: question.of, decode: nothing };
    void this.#pump();
    if (isAhead && !this.lost.aborted) {
      await (this.#forks === 0 && this.#isNext(entered) ? this.#enter(entered) : this.#wait(entered)).catch(nothing);
    }
    return answer();
  }

  async #pump(): Promise<void> {
    if (this.#isPumping) return;
    this.#isPumping = true;
    do await this.#options.env.yield();
    while (this.#deliver());
    this.#isPumping = false;
  }

  /** Lets the next effect enter, now that everything in the loop waits; false when there is nothing to deliver. */
  #deliver(): boolean {
    if (this.isComplete || this.lost.aborted) return false;
    const effect = this.#next;
    if (effect === undefined) {
      // All effects before the next commit are in, so it must have been made by now.
      if (this.#asking === 0) this.#part();
      return false;
    }
    // What a stream showed may have begun something, which comes to rest first.
    if (this.#play(effect)) return true;
    const report = effect.kind === "progress" ? this.#reports.get(effect.of) : undefined;
    const waiter = this.#waiting.get(keyOf(effect));
    if (effect.kind === "cancel") {
      const { value = null } = this.#take(effect);
      const [entryId, reason] = ["entry_id", "reason"].map((key) => String(getAt(value, [key])));
      this.#controller.abort(new RunCancelled(entryId ?? "", reason ?? ""));
    } else if (effect.kind === "mail") {
      this.#take(effect);
      this.mail.raise();
    } else if (report !== undefined) report(this.#take(effect).value ?? null);
    else if (waiter !== undefined) {
      this.#waiting.delete(keyOf(effect));
      waiter.enter(effect);
    } else if (this.#asking > 0) return false;
    else if (this.#isAsked(effect)) this.#index += 1;
    else this.#part();
    return true;
  }

  /** Shows what the open stream showed before an effect came; false when there was nothing. */
  #play({ seq = 0 }: Effect): boolean {
    const stream = this.#stream;
    const { events = [] } = this.#options.commits[this.#commit] ?? {};
    let isPlayed = false;
    for (let event = events[this.#event]; event !== undefined && (event.seq ?? 0) <= seq; event = events[this.#event]) {
      this.#event += 1;
      if (stream === undefined || event.step_id !== stream.of || !STREAMED.has(event.type)) continue;
      stream.play(event);
      isPlayed = true;
    }
    return isPlayed;
  }

  /** The loop parts from its recording here. */
  #part(question?: Pick<Effect, "kind" | "of">): ClaimLost {
    if (!this.lost.aborted) {
      const asked = question === undefined ? [...this.#waiting.keys()] : [keyOf(question)];
      this.#options.judge.missed(this.#commit, this.#index, this.#next, asked);
    }
    return this.#lose();
  }

  /** Stops the activation: its owner was lost here, or it no longer does what was recorded. */
  #lose(): ClaimLost {
    const reason = new ClaimLost("The recording of this owner ends here.");
    this.#controller.abort(reason);
    this.#loss.abort(reason);
    for (const { fail } of this.#waiting.values()) fail(reason);
    this.#waiting.clear();
    return reason;
  }

  #keepRecorded({ value }: Effect): void {
    const recorded = value === undefined ? undefined : getAt(value, ["recorded"]);
    for (const each of Array.isArray(recorded) ? recorded : []) {
      const key = `${String(getAt(each, ["place"]))} ${String(getAt(each, ["name"]))}`;
      this.#recorded.set(key, [...(this.#recorded.get(key) ?? []), getAt(each, ["value"]) ?? null]);
    }
  }
}

function keyOf({ kind, of }: Pick<Effect, "kind" | "of">): string {
  return `${kind} ${of}`;
}

function nothing(): undefined {
  return undefined;
}
