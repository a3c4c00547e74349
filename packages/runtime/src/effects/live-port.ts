import { type Changeset, type Claim, type Clock, claimedRun, type Effect, type Env } from "@reprise/contracts";
import type { Json } from "@reprise/state";
import { Branches } from "./branches.ts";
import { encodeFailure } from "./failure.ts";
import type { LongTexts } from "./long-texts.ts";
import { MailFlag, type MailSource } from "./mail-flag.ts";
import { Observers } from "./observers.ts";
import { RunCancelled } from "./outcomes.ts";
import {
  Attempts,
  type EffectKind,
  type EffectPort,
  LOOP_VERSION,
  type Question,
  type Reporting,
  type ShownEvent,
  type Streamed,
  type Working,
  type WorkVoice,
} from "./port.ts";
import { type CommitContent, referToCommit } from "./stored-effects.ts";

export interface LivePortOptions {
  readonly env: Env;
  /** The store's. */
  readonly time: Pick<Clock, "now">;
  readonly claim: Claim;
  /** Aborted when the run is cancelled or the claim is lost. */
  readonly signal: AbortSignal;
  readonly lost: AbortSignal;
  readonly mail: MailSource;
  readonly texts: LongTexts;
  /** What hooks recorded, in an evaluation. */
  readonly recorded?: ((place: string, name: string) => { readonly value: Json } | undefined) | undefined;
}

/** How an effect ended, as it is stored. */
interface Ending {
  readonly value?: Json | undefined;
  readonly failed?: Json | undefined;
}

/** Asks the world, and keeps what it answers in the order in which the answers enter the loop. */
export class LivePort implements EffectPort {
  readonly loopVersion: number = LOOP_VERSION;
  readonly mail: MailFlag;
  readonly lost: AbortSignal;
  readonly #env: Env;
  readonly #runId: string;
  readonly #time: Pick<Clock, "now">;
  readonly #texts: LongTexts;
  readonly #recorded: LivePortOptions["recorded"];
  readonly #source: AbortSignal;
  readonly #controller = new AbortController();
  readonly #attempts = new Attempts();
  readonly #branches = new Branches();
  readonly #observers: Observers;
  #effects: Effect[] = [];
  #taken: readonly Effect[] = [];
  #now: number;
  /** Who waits for a turn of its own, in the order in which they came. */
  readonly #queue: (() => void)[] = [];
  #isPumping = false;
  #isClosed = false;
  #isMailQueued = false;
  #seq: (() => number) | undefined;
  #openStreams = 0;
  #isCommitting = false;
  /** Work that has something to show and waits for the end of a commit. */
  #held: (() => void)[] = [];

  constructor({ env, time, claim, signal, lost, mail, texts, recorded }: LivePortOptions) {
    this.#recorded = recorded;
    this.#env = env;
    this.#runId = claimedRun(claim) ?? "";
    this.#observers = new Observers((observer, problem) =>
      env.log("warn", "an observer failed", { observer, run_id: this.#runId, problem }),
    );
    this.#time = time;
    this.#texts = texts;
    this.lost = lost;
    this.#source = signal;
    this.#now = time.now();
    const mayHaveMail = mail.listen(this.#onMail);
    this.mail = new MailFlag(mayHaveMail);
    this.#add("claim", `e${claim.epoch}`, { value: describeClaim(claim, mayHaveMail) });
    signal.addEventListener("abort", this.#onAbort, { once: true });
    if (signal.aborted) this.#onAbort();
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

  async perform<Value>(question: Question<Value>, ask: () => Promise<Value> | Value): Promise<Value> {
    let value: Value;
    try {
      value = await this.#watched(question, ask);
    } catch (error) {
      if (this.#mustWait) await this.#turn();
      this.#addFailure(question, error);
      throw error;
    }
    if (this.#mustWait) await this.#turn();
    this.#add(question.kind, question.of, { value: encode(question, value) });
    return value;
  }

  ask<Value>(question: Question<Value>, ask: () => Promise<Value> | Value): Promise<Value> | Value {
    const answer = this.#watched(question, ask);
    if (answer instanceof Promise) return this.perform(question, () => answer);
    this.#note(question, { value: encode(question, answer) });
    return answer;
  }

  note<Value>(question: Question<Value>, ask: () => Value): Value {
    try {
      const value = ask();
      this.#note(question, { value: encode(question, value) });
      return value;
    } catch (error) {
      this.#note(question, { failed: encodeFailure(error) });
      throw error;
    }
  }

  async stream<Value>(question: Streamed<Value>, ask: () => Promise<Value>): Promise<Value> {
    const close = this.#openStream(question.seq);
    try {
      return await this.perform(question, ask);
    } finally {
      close();
    }
  }

  async work<Value>(question: Working<Value>, ask: (voice: WorkVoice) => Promise<Value>): Promise<Value> {
    const close = this.#openStream(question.seq);
    const shown = new ShownLater(question.play);
    const voice: WorkVoice = {
      show: (event) => {
        if (shown.add(event)) void this.#showLater(shown);
      },
      report: (value) => this.#arrive("progress", question.of, value, () => question.report(value)),
    };
    const answer = async (): Promise<Value> => {
      try {
        return await ask(voice);
      } finally {
        // What it showed comes before its end.
        await shown.whenShown;
      }
    };
    try {
      return await this.perform(question, answer);
    } finally {
      close();
    }
  }

  report<Value>(question: Reporting<Value>, ask: (report: (value: Json) => void) => Promise<Value>): Promise<Value> {
    const report = (value: Json): void => {
      this.#arrive("progress", question.of, value, () => question.report(value));
    };
    return this.perform(question, () => ask(report));
  }

  async record<Value extends Json>(place: string, name: string, ask: () => Promise<Value> | Value): Promise<Value> {
    const known = this.#recorded?.(place, name);
    // The author's code knows the type of what it recorded under a name.
    return known === undefined ? ask() : (known.value as Value);
  }

  recordOwn<Value>(_: string, __: string, ask: () => Value | undefined): Value | undefined {
    return ask();
  }

  take(content: CommitContent): readonly Effect[] {
    this.#taken = this.#effects;
    this.#effects = [];
    return this.#taken.map((effect) => this.#texts.separate(referToCommit(effect, content)));
  }

  putBack(): void {
    this.#effects = [...this.#taken, ...this.#effects];
  }

  async commit({ changeset_id, events }: Changeset, commit: () => Promise<number>): Promise<number> {
    // What entered since the loss had no turn of its own: no replay could tell where it belongs. The store may not know of the loss yet.
    this.lost.throwIfAborted();
    const question = { kind: "commit", of: changeset_id, encode: nothing } as const;
    // A blob is there before anything refers to it.
    const flushed = this.#texts.isWaiting ? () => this.#texts.flush().then(commit) : commit;
    this.#isCommitting = true;
    try {
      const version = await this.perform(question, flushed);
      this.#observers.committed(events);
      return version;
    } finally {
      this.#isCommitting = false;
      for (const resume of this.#held.splice(0)) resume();
    }
  }

  act(act: () => void): void {
    act();
  }

  observe(starts: Parameters<Observers["open"]>[0]): () => void {
    return this.#observers.open(starts);
  }

  close(): void {
    if (!this.#isClosed) this.#observers.close();
    this.#isClosed = true;
    this.#source.removeEventListener("abort", this.#onAbort);
  }

  /** Asks under the eyes of the watchdog: what blocks the event loop is mostly the code of an answer. */
  #watched<Value>(question: Question<Value>, asked: () => Promise<Value> | Value): Promise<Value> | Value {
    const { watchdog } = this.#env;
    const { kind, of, watch } = question;
    const isObserved = watch !== undefined && !this.#observers.isEmpty;
    const ask = isObserved ? () => this.#observers.watch(watch, asked) : asked;
    if (watchdog === undefined) return ask();
    const work = { run_id: this.#runId, kind, of };
    watchdog.begin(work);
    let isPending = false;
    try {
      const answer = ask();
      isPending = answer instanceof Promise;
      if (!(answer instanceof Promise)) return answer;
      watchdog.passed(work);
      return answer.finally(() => watchdog.end(work));
    } finally {
      if (!isPending) watchdog.end(work);
    }
  }

  /** Effects that come in from here on say which events were shown before them. */
  #openStream(seq: () => number): () => void {
    this.#seq = seq;
    this.#openStreams += 1;
    return () => {
      this.#openStreams -= 1;
      if (this.#openStreams === 0) this.#seq = undefined;
    };
  }

  /** While a commit is under way no event is numbered: those of it and of the loop after it come first, in a replay too. */
  async #showLater(shown: ShownLater): Promise<void> {
    do {
      if (this.#isCommitting) await new Promise<void>((resolve) => this.#held.push(resolve));
      await this.#turn();
    } while (this.#isCommitting);
    shown.flush(this.#isClosed);
  }

  /** Alone, the loop waits for one thing at a time: its order is known, and no turn is needed. */
  get #mustWait(): boolean {
    return (!this.#branches.isAlone || this.#queue.length > 0) && !this.lost.aborted;
  }

  /** Resolves in a turn of the event loop in which nothing else enters. */
  #turn(): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#queue.push(resolve);
    if (!this.#isPumping) void this.#pump();
    return promise;
  }

  async #pump(): Promise<void> {
    this.#isPumping = true;
    while (this.#queue.length > 0) {
      await this.#env.yield();
      this.#queue.shift()?.();
    }
    this.#isPumping = false;
  }

  /** Takes in an effect that answers no question: progress, mail or a cancellation. */
  #arrive(kind: EffectKind, of: string, value: Json | undefined, take: () => void): void {
    void this.#turn().then(() => {
      if (this.#isClosed) return;
      this.#add(kind, of, { value });
      take();
    });
  }

  readonly #onMail = (): void => {
    if (this.#isClosed || this.#isMailQueued || this.mail.isRaised) return;
    this.#isMailQueued = true;
    this.#arrive("mail", "", undefined, () => {
      this.#isMailQueued = false;
      this.mail.raise();
    });
  };

  readonly #onAbort = (): void => {
    const { reason } = this.#source;
    // Of an owner that lost its claim nothing is stored any more.
    if (!(reason instanceof RunCancelled) || this.lost.aborted) return this.#controller.abort(reason);
    this.lost.addEventListener("abort", () => this.#controller.abort(this.lost.reason), { once: true });
    const value = { entry_id: reason.entryId, reason: reason.message };
    this.#arrive("cancel", "", value, () => this.#controller.abort(reason));
  };

  #addFailure<Value>(question: Question<Value>, error: unknown): void {
    const failed = question.encodeFailure?.(error) ?? encodeFailure(error);
    this.#add(question.kind, question.of, { value: question.facts?.(), failed });
  }

  #note({ kind, of }: Pick<Effect, "kind" | "of">, { value, failed }: Ending): void {
    const effect: Writable<Effect> = { kind, of, attempt: this.#attempts.next(kind, of) };
    if (value !== undefined) effect.value = value;
    if (failed !== undefined) effect.failed = failed;
    this.#effects.push(effect);
  }

  #add(kind: EffectKind, of: string, { value, failed }: Ending): void {
    // The store's time may lie a little behind the estimate; for a run, time never goes back.
    const at = Math.max(this.#now, this.#time.now());
    this.#now = at;
    const effect: Writable<Effect> = { kind, of, attempt: this.#attempts.next(kind, of), at };
    if (this.#seq !== undefined) effect.seq = this.#seq();
    if (value !== undefined) effect.value = value;
    if (failed !== undefined) effect.failed = failed;
    this.#effects.push(effect);
  }
}

/** Events that work beside the loop wants to show, until they are. Those that come in one breath are shown together. */
class ShownLater {
  readonly #play: (event: ShownEvent) => void;
  #events: ShownEvent[] = [];
  #flushed: PromiseWithResolvers<void> | undefined;

  constructor(play: (event: ShownEvent) => void) {
    this.#play = play;
  }

  /** Resolves once nothing is left to show. */
  get whenShown(): Promise<void> | undefined {
    return this.#flushed?.promise;
  }

  /** Answers whether it is the first one since the last were shown. */
  add(event: ShownEvent): boolean {
    this.#events.push(event);
    if (this.#flushed !== undefined) return false;
    this.#flushed = Promise.withResolvers();
    return true;
  }

  flush(isClosed: boolean): void {
    const events = this.#events;
    const flushed = this.#flushed;
    this.#events = [];
    this.#flushed = undefined;
    if (!isClosed) for (const event of events) this.#play(event);
    flushed?.resolve();
  }
}

type Writable<Value> = { -readonly [Key in keyof Value]: Value[Key] };

function nothing(): undefined {
  return undefined;
}

function encode<Value>({ encode, facts }: Question<Value>, value: Value): Json | undefined {
  if (facts !== undefined) return facts();
  // Without an encoding of its own an answer is JSON.
  return encode === undefined ? (value as Json | undefined) : encode(value);
}

/** What a replay has to know of a claim. */
export interface StoredClaim {
  readonly loop_version: number;
  readonly kind: Claim["kind"];
  readonly recoveries: number;
  readonly may_have_mail: boolean;
  /** The entry that woke the run, with how often that was tried. */
  readonly entry_id?: string;
  readonly attempts?: number;
}

function describeClaim({ kind, run, entry }: Claim, may_have_mail: boolean): Json {
  const woken = entry === undefined || kind === "start" ? {} : { entry_id: entry.entry_id, attempts: entry.attempts };
  return { loop_version: LOOP_VERSION, kind, recoveries: run?.recoveries ?? 0, may_have_mail, ...woken };
}
