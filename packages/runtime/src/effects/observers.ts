import {
  type AgentEvent,
  describeThrown,
  type RunObserver,
  type WorkEnding,
  type WorkObserver,
} from "@reprise/contracts";
import { freezeDeep } from "../json/freeze-deep.ts";

/** An observer, with the name of the plugin that brought it. */
export interface NamedObserver {
  readonly name: string;
  readonly observer: RunObserver;
}

/** Tells one observer that a piece of work begins. Undefined when the observer does not watch this kind of work. */
export type Watch<Value> = (observer: RunObserver) => WorkObserver<Value> | undefined;

/** Hears of the first failure of each observer. */
export type ReportFailure = (name: string, problem: string) => void;

/** The observers of one activation. They see it and cannot change it: what they throw is reported, and what they return is not used. */
export class Observers {
  readonly #report: ReportFailure;
  readonly #failed = new Set<string>();
  #named: readonly NamedObserver[] = [];

  constructor(report: ReportFailure) {
    this.#report = report;
  }

  /** Adds the observers that begin to watch now; returns the way to end that. One that fails to begin watches nothing. */
  open(starts: readonly { readonly name: string; readonly start: () => RunObserver | undefined }[]): () => void {
    const opened = starts.flatMap(({ name, start }): NamedObserver[] => {
      const observer = this.#guard(name, start);
      return observer === undefined ? [] : [{ name, observer }];
    });
    this.#named = [...this.#named, ...opened];
    return () => {
      this.#named = this.#named.filter((named) => !opened.includes(named));
      for (const { name, observer } of opened) this.#guard(name, () => observer.close?.());
    };
  }

  get isEmpty(): boolean {
    return this.#named.length === 0;
  }

  committed(events: readonly AgentEvent[]): void {
    for (const { name, observer } of this.#named) {
      if (observer.event === undefined) continue;
      for (const event of events) {
        freezeDeep(event);
        // No closure for each: a run may have an event a token.
        try {
          const told: unknown = observer.event(event);
          if (told instanceof Promise) told.catch((error: unknown) => this.#fail(name, error));
        } catch (error) {
          this.#fail(name, error);
        }
      }
    }
  }

  /** Does a piece of work in the contexts that the observers give it, and tells them how it ended. */
  watch<Value>(watch: Watch<Value>, work: () => Promise<Value> | Value): Promise<Value> | Value {
    const watching = this.#named.flatMap(({ name, observer }) => {
      const of = this.#guard(name, () => watch(observer));
      return of === undefined ? [] : [{ name, of }];
    });
    if (watching.length === 0) return work();
    let answer: Promise<Value> | undefined;
    let run = (): void => {
      // A promise in any case: what the work throws is not the observer's failure.
      answer ??= (async () => work())();
    };
    for (const { name, of } of watching.toReversed()) {
      if (of.enter === undefined) continue;
      const inner = run;
      run = () => {
        this.#guard(name, () => of.enter?.(inner));
        inner();
      };
    }
    run();
    const end = (ending: WorkEnding<Value>): void => {
      for (const { name, of } of watching) this.#guard(name, () => of.end?.(ending));
    };
    return Promise.resolve(answer as Promise<Value>).then(
      (value) => {
        end({ answer: value });
        return value;
      },
      (error: unknown) => {
        end({ error });
        throw error;
      },
    );
  }

  close(): void {
    for (const { name, observer } of this.#named) this.#guard(name, () => observer.close?.());
  }

  #guard<Value>(name: string, call: () => Value): Value | undefined {
    try {
      const value: unknown = call();
      // The run does not wait for an observer; one that is asynchronous by mistake must not end the process either.
      if (value instanceof Promise) value.catch((error: unknown) => this.#fail(name, error));
      // The observer's own type, as it was just returned.
      return value as Value;
    } catch (error) {
      this.#fail(name, error);
      return undefined;
    }
  }

  #fail(name: string, error: unknown): void {
    if (this.#failed.has(name)) return;
    this.#failed.add(name);
    this.#report(name, describeThrown(error));
  }
}

/** The same observer for work whose value holds more than the answer. */
export function watchAnswer<Value, Answer>(
  observer: WorkObserver<Answer> | undefined,
  answerOf: (value: Value) => Answer,
): WorkObserver<Value> | undefined {
  if (observer === undefined) return undefined;
  return {
    ...(observer.enter !== undefined && { enter: (run: () => void) => observer.enter?.(run) }),
    end: (ending) => observer.end?.("error" in ending ? ending : { answer: answerOf(ending.answer) }),
  };
}
