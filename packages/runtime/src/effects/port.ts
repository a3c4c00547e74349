import type { AgentEvent, Changeset, Effect } from "@reprise/contracts";
import type { Json } from "@reprise/state";
import type { MailFlag } from "./mail-flag.ts";
import type { Observers, Watch } from "./observers.ts";
import type { CommitContent } from "./stored-effects.ts";

/**
 * The version of the loop's behaviour. Raised when the same effects come to other commits than before; the loop then asks
 * `port.loopVersion` and does for older recordings what it did then.
 *
 * - 2: A phase that asks no plugin leaves no effect, also where scheduled actions are possible. `context_resolved` names the tools that plugins hide. The answer to a call of an unknown tool names ten tools at most, and no hidden one.
 *   Plugins hear of denied and expired calls. A question whose answer becomes the result comes after other questions.
 * - 3: A run that has told the run above how it ended takes in no message any more: its next owner ends it as it was told.
 * - 4: The decisions and messages that an activation finds when it takes a run up are not asked for again. A tool is asked whether a call that was
 *   interrupted may be repeated.
 * - 5: A call that was interrupted is not counted again where tool calls are limited.
 */
export const LOOP_VERSION = 5;

/** Everything an activation learns from outside of its thread. */
export type EffectKind =
  | "claim"
  | "start"
  | "definition"
  | "activate"
  | "tools"
  | "phase"
  | "request"
  | "context"
  | "turn"
  | "wait"
  | "files"
  | "backend"
  | "delegate"
  | "work"
  | "gather"
  | "check"
  | "approval"
  | "place"
  | "execute"
  | "progress"
  | "migrate"
  | "reduce"
  | "rebase"
  | "stop"
  | "active_ms"
  | "budget"
  | "decision"
  | "inbox"
  | "calls"
  | "reload"
  | "mail"
  | "cancel"
  | "commit"
  | "notify"
  | "below"
  | "told"
  | "pause";

/** Answers of the definition's own code. A replay in the mode `reexecute` asks them again. */
export const AUTHORED: ReadonlySet<EffectKind> = new Set<EffectKind>([
  "definition",
  "activate",
  "phase",
  "request",
  "context",
  "check",
  "approval",
  "migrate",
  "reduce",
  "stop",
]);

/** Something to learn, and how its answer is stored. JSON is stored as it is unless the effect says otherwise. */
export interface Question<Value> {
  readonly kind: EffectKind;
  readonly of: string;
  readonly encode?: (value: Value) => Json | undefined;
  readonly decode?: (stored: Json | undefined) => Value;
  /** For a failure whose handler looks at more than its code. */
  readonly encodeFailure?: (error: unknown) => Json | undefined;
  readonly decodeFailure?: (stored: Json) => unknown;
  /** What is stored however it ended; instead of its value. */
  readonly facts?: () => Json;
  /** For work that plugins may observe. */
  readonly watch?: Watch<Value>;
}

/** A question whose answer is shown while it comes. */
export interface Streamed<Value> extends Question<Value> {
  /** The last event shown so far. */
  readonly seq: () => number;
  /** Which events the stream shows, where it is not the answer of a model. */
  readonly isShown?: (type: AgentEvent["type"]) => boolean;
  /** Shows an event of the stream once more. */
  readonly play: (event: AgentEvent) => void;
  readonly facts: () => Json;
  /** Takes in what was stored, before the stream is played. */
  readonly recall: (facts: Json) => void;
}

/** A question whose answerer may tell how far it is. */
export interface Reporting<Value> extends Question<Value> {
  readonly report: (value: Json) => void;
}

/** An event as work beside the loop shows it: the loop adds its envelope. */
export type ShownEvent = Pick<AgentEvent, "type" | "data">;

/** A question that is answered beside the rest of the loop, while other parts of it work. Several may be open at a time. */
export interface Working<Value> extends Question<Value> {
  /** The last event shown so far, by whatever part of the loop. */
  readonly seq: () => number;
  /** Which events with the id `of` as their step the work shows. */
  readonly isShown: (type: AgentEvent["type"]) => boolean;
  /** Shows an event. Called in a turn of its own: nothing else of the loop runs meanwhile. */
  readonly play: (event: ShownEvent) => void;
  /** Takes in what the work reports. */
  readonly report: (value: Json) => void;
}

/** How work beside the loop makes itself heard. Both come in later, in their order. */
export interface WorkVoice {
  show(event: ShownEvent): void;
  report(value: Json): void;
}

/** The answer something impure gave to a tool or a plugin. */
export interface Recorded {
  /** The call, or the phase with the plugin. Stored under this name. */
  readonly place: string;
  readonly name: string;
  readonly value: Json;
}

/**
 * The one way into an activation. Live, the port asks the world and keeps each answer as an effect; in a replay it hands back the
 * stored effects. Between two effects the loop runs promise jobs only, and no two effects enter in one turn of the event loop while
 * parts of the loop run beside each other. So what the loop does follows from the order of its effects alone.
 */
export interface EffectPort {
  readonly loopVersion: number;
  /** The store's time at which the last effect came in. */
  readonly now: number;
  /** Aborted when the run is cancelled or the claim is lost. */
  readonly signal: AbortSignal;
  /** Aborted when the claim is lost. */
  readonly lost: AbortSignal;
  readonly mail: MailFlag;
  /** Asks something the loop waits for. */
  perform<Value>(question: Question<Value>, ask: () => Promise<Value> | Value): Promise<Value>;
  /** Asks something whose answer may be there at once; then the loop does not wait. */
  ask<Value>(question: Question<Value>, ask: () => Promise<Value> | Value): Promise<Value> | Value;
  /** Asks something whose answer is always there at once. */
  note<Value>(question: Question<Value>, ask: () => Value): Value;
  stream<Value>(question: Streamed<Value>, ask: () => Promise<Value>): Promise<Value>;
  report<Value>(question: Reporting<Value>, ask: (report: (value: Json) => void) => Promise<Value>): Promise<Value>;
  /** Has something done beside the rest of the loop. The caller has said `fork`. */
  work<Value>(question: Working<Value>, ask: (voice: WorkVoice) => Promise<Value>): Promise<Value>;
  /** Has something impure done once, inside the answer of a plugin. */
  record<Value extends Json>(key: string, name: string, ask: () => Promise<Value> | Value): Promise<Value>;
  /** The same for the runtime's own part in that answer, which is there at once; undefined when it had none. */
  recordOwn<Value>(key: string, name: string, ask: () => Value | undefined): Value | undefined;
  /** Something of the loop runs beside the rest from here on; returns the way to say that it is over. */
  fork(): () => void;
  /** A part of the loop waits for another one; returns the way to say that it no longer does. */
  rest(): () => void;
  /** The effects since the last commit, as a changeset with this content stores them. */
  take(content: CommitContent): readonly Effect[];
  /** What was taken last was not committed. */
  putBack(): void;
  /** Commits, and answers with the version. */
  commit(changeset: Changeset, commit: () => Promise<number>): Promise<number>;
  /** Does something in the world that the loop learns nothing from. */
  act(act: () => void): void;
  /** Has observers watch the activation from here on, to its end or until the returned function is called. */
  observe(starts: Parameters<Observers["open"]>[0]): () => void;
  /** The activation is over. */
  close(): void;
}

/** Numbers the effects of one kind that belong to the same thing. */
export class Attempts {
  readonly #counts = new Map<string, Map<string, number>>();

  next(kind: string, of: string): number {
    let counts = this.#counts.get(kind);
    if (counts === undefined) {
      counts = new Map();
      this.#counts.set(kind, counts);
    }
    const attempt = (counts.get(of) ?? 0) + 1;
    counts.set(of, attempt);
    return attempt;
  }
}
