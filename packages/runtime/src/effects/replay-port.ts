import type { Changeset, Effect, Env, RunObserver } from "@reprise/contracts";
import { getAt, type Json } from "@reprise/state";
import { Branches } from "./branches.ts";
import { EffectLog, isStreamed, type RecordedCommit } from "./effect-log.ts";
import { decodeFailure } from "./failure.ts";
import { MailFlag } from "./mail-flag.ts";
import { ClaimLost, RunCancelled } from "./outcomes.ts";
import {
  Attempts,
  type EffectPort,
  type Question,
  type Reporting,
  type Streamed,
  type Working,
  type WorkVoice,
} from "./port.ts";

/** A part of the loop that waits for its effect. */
interface Waiter {
  readonly enter: (effect: Effect) => void;
  readonly fail: (reason: unknown) => void;
}

/**
 * Hands back stored effects in their order, each when nothing is left to do for the one before. A replay in which no part waits for
 * the effect that comes next has parted from its recording, and ends.
 */
export class ReplayPort implements EffectPort {
  readonly loopVersion: number;
  readonly mail: MailFlag;
  readonly #options: ReplayPortOptions;
  readonly #controller = new AbortController();
  readonly #loss = new AbortController();
  readonly #attempts = new Attempts();
  readonly #branches = new Branches();
  readonly #waiting = new Map<string, Waiter>();
  readonly #reports = new Map<string, (value: Json) => void>();
  readonly #log: EffectLog;
  /** What is shown while it comes, by the step of its events. */
  readonly #streams = new Map<string, Pick<Streamed<unknown>, "play" | "isShown">>();
  #now = 0;
  /** How much of the definition's own code is at work. */
  #asking = 0;
  #isPumping = false;

  constructor(options: ReplayPortOptions) {
    this.#options = options;
    this.loopVersion = options.loopVersion;
    this.mail = new MailFlag(options.mayHaveMail);
    this.#log = new EffectLog(options.commits, options.isAsking);
    const claim = this.#log.next;
    if (claim?.kind === "claim") this.#take(claim);
    void this.#pump();
  }

  get fork(): EffectPort["fork"] {
    return this.#branches.fork;
  }

  get rest(): EffectPort["rest"] {
    return this.#branches.rest;
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
    return this.#log.commit === undefined;
  }

  perform<Value>(question: Question<Value>, ask: () => Promise<Value> | Value): Promise<Value> {
    if (this.#log.isAsked(question)) return this.#askAgain(question, async () => ask());
    // Alone, the loop waits for one thing at a time.
    if (this.#mayEnter(question)) return this.#enter(question);
    return this.#wait(question);
  }

  ask<Value>(question: Question<Value>, ask: () => Promise<Value> | Value): Promise<Value> | Value {
    if (this.#log.isAsked(question)) {
      const answer = ask();
      return answer instanceof Promise ? this.#askAgain(question, () => answer) : answer;
    }
    const effect = this.#log.next;
    if (effect === undefined || effect.at !== undefined || !this.#log.isNext(question))
      return this.perform(question, ask);
    return this.#read(question, this.#take(effect));
  }

  note<Value>(question: Question<Value>, ask: () => Value): Value {
    if (this.#log.isAsked(question)) return ask();
    // A note waits for no turn in which what came before it could enter: a run may be cancelled before it is noted what it is.
    while (this.#enterArrived());
    const effect = this.#log.next;
    if (effect === undefined || !this.#log.isNext(question)) throw this.#part(question);
    return this.#read(question, this.#take(effect));
  }

  stream<Value>(question: Streamed<Value>, ask: () => Promise<Value>): Promise<Value> {
    const own = this.#log.findAhead(question);
    if (own === undefined) return this.#wait(question);
    question.recall(own.value ?? null);
    const { reader } = this.#options;
    const reading = reader === undefined ? undefined : question.watch?.(reader);
    this.#streams.set(question.of, question);
    if (this.#mayEnter(question)) this.#play(own);
    const answer = this.perform(question, ask).finally(() => this.#streams.delete(question.of));
    // Beside the loop, which hears of the answer at the same time as without a reader.
    answer.then(
      (value) => reading?.end?.({ answer: value }),
      (error: unknown) => reading?.end?.({ error }),
    );
    return answer;
  }

  work<Value>(question: Working<Value>, _: (voice: WorkVoice) => Promise<Value>): Promise<Value> {
    this.#streams.set(question.of, question);
    this.#reports.set(question.of, question.report);
    // Never at once: what else begins in this breath has to be there before anything is shown.
    return this.#wait(question).finally(() => {
      this.#streams.delete(question.of);
      this.#reports.delete(question.of);
    });
  }

  report<Value>(question: Reporting<Value>, ask: (report: (value: Json) => void) => Promise<Value>): Promise<Value> {
    this.#reports.set(question.of, question.report);
    return this.perform(question, () => ask(() => undefined)).finally(() => this.#reports.delete(question.of));
  }

  async record<Value extends Json>(key: string, name: string): Promise<Value> {
    const value = this.#log.takeRecorded(key, name);
    if (value === undefined) throw new Error(`Nothing was recorded as ${name} here.`);
    // The author's code knows the type of what it recorded under a name.
    return value as Value;
  }

  recordOwn<Value>(key: string, name: string): Value | undefined {
    // Written by the part of the runtime that asks.
    return this.#log.takeRecorded(key, name) as Value | undefined;
  }

  take(): readonly Effect[] {
    return [];
  }

  putBack(): void {
    // Nothing was taken: the recorded effects of a refused commit stand in the one after it.
  }

  async commit(changeset: Changeset): Promise<number> {
    const { judge, isLeft } = this.#options;
    const answer: Question<undefined> = { kind: "commit", of: changeset.changeset_id };
    const expected = this.#log.commit;
    const [position] = this.#log.position;
    if (expected === undefined || this.lost.aborted) throw this.#lose();
    // Refused when it was recorded: then the next thing it learns is why.
    if (changeset.changeset_id !== expected.changeset_id) {
      await this.perform(answer, nothing);
      throw this.#part(answer);
    }
    if (!judge.accept(position, changeset)) throw this.#lose();
    this.#log.skipAsked();
    if (this.#log.next !== undefined) throw this.#part(answer);
    this.#log.advance();
    if (!this.isComplete) await this.perform(answer, nothing);
    else if (isLeft) throw this.#lose();
    return expected.version;
  }

  act(): void {
    // Nothing outside may notice a replay.
  }

  observe(): () => void {
    // Nor is a replay observed.
    return () => undefined;
  }

  close(): void {
    if (this.#waiting.size > 0 || !this.isComplete) this.#lose();
  }

  /** Whether the loop is alone and waits for the effect that comes next. */
  #mayEnter(question: Pick<Effect, "kind" | "of">): boolean {
    return this.#branches.isAlone && !this.lost.aborted && this.#log.isNext(question);
  }

  #take(effect: Effect): Effect {
    this.lost.throwIfAborted();
    const { kind, of, attempt, at = this.#now } = effect;
    const isCounted = this.#attempts.next(kind, of) === attempt || this.#options.isAsking;
    if (!isCounted) throw this.#part(effect);
    this.#log.skip();
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
    const effect = this.#log.next;
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
    const isAhead = this.#log.findAhead(question) !== undefined;
    const entered: Question<undefined> = { kind: question.kind, of: question.of, decode: nothing };
    void this.#pump();
    if (isAhead && !this.lost.aborted) {
      await (this.#branches.isAlone && this.#log.isNext(entered) ? this.#enter(entered) : this.#wait(entered)).catch(
        nothing,
      );
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
    const effect = this.#log.next;
    if (effect === undefined) {
      // All effects before the next commit are in, so it must have been made by now.
      if (this.#asking === 0) this.#part();
      return false;
    }
    // What a stream showed may have begun something, which comes to rest first.
    if (this.#play(effect)) return true;
    const report = effect.kind === "progress" ? this.#reports.get(effect.of) : undefined;
    const waiter = this.#waiting.get(keyOf(effect));
    if (this.#enterArrived()) return true;
    if (report !== undefined) report(this.#take(effect).value ?? null);
    else if (waiter !== undefined) {
      this.#waiting.delete(keyOf(effect));
      waiter.enter(effect);
    } else if (this.#asking > 0) return false;
    else if (this.#log.isAsked(effect)) this.#log.skip();
    else this.#part();
    return true;
  }

  /** Lets in what nothing asked for; false when the next effect is an answer. */
  #enterArrived(): boolean {
    const effect = this.#log.next;
    if (effect?.kind === "cancel") {
      const { value = null } = this.#take(effect);
      const [entryId, reason] = ["entry_id", "reason"].map((key) => String(getAt(value, [key])));
      this.#controller.abort(new RunCancelled(entryId ?? "", reason ?? ""));
      return true;
    }
    if (effect?.kind !== "mail") return false;
    this.#take(effect);
    this.mail.raise();
    return true;
  }

  /** Shows what the open stream showed before an effect came; false when there was nothing. */
  #play({ seq = 0 }: Effect): boolean {
    if (this.#streams.size === 0) return false;
    const events = this.#log.takeShown(seq, (event) => {
      const stream = this.#streams.get(event.step_id ?? "");
      return stream !== undefined && (stream.isShown ?? isStreamed)(event.type);
    });
    for (const event of events) this.#streams.get(event.step_id ?? "")?.play(event);
    return events.length > 0;
  }

  /** The loop parts from its recording here. */
  #part(question?: Pick<Effect, "kind" | "of">): ClaimLost {
    if (!this.lost.aborted) {
      const asked = question === undefined ? [...this.#waiting.keys()] : [keyOf(question)];
      const [commit, index] = this.#log.position;
      this.#options.judge.missed(commit, index, this.#log.next, asked);
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
}

function keyOf({ kind, of }: Pick<Effect, "kind" | "of">): string {
  return `${kind} ${of}`;
}

function nothing(): undefined {
  return undefined;
}

/** What a replay does with an activation's commits, and with where it parts from them. */
interface ReplayJudge {
  /** Compares a commit with the recorded one, and takes that in; false when they differ. */
  accept(commit: number, changeset: Changeset): boolean;
  /** The loop does not ask for the effect that comes next, or asks for one that does not. */
  missed(commit: number, index: number, effect: Effect | undefined, asked: readonly string[]): void;
}

interface ReplayPortOptions {
  readonly env: Pick<Env, "yield">;
  readonly loopVersion: number;
  readonly mayHaveMail: boolean;
  readonly commits: readonly RecordedCommit[];
  /** Whether the owner was lost after its last commit: the run neither waits nor is done. */
  readonly isLeft: boolean;
  /** Whether the definition's own code is asked. */
  readonly isAsking: boolean;
  readonly judge: ReplayJudge;
  /** Reads the requests and answers of models while they are played again. */
  readonly reader?: RunObserver;
}
