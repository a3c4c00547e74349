import type { Change } from "./change.ts";
import type { Json } from "./json.ts";

/** What the author of a contestant writes; `Prepared` is a change in the contestant's own format. */
export interface ContestantDefinition<Prepared> {
  readonly name: string;
  readonly note: string;
  /** False for the floor, which changes its input. */
  readonly immutable: boolean;
  /** Runs before the clock starts: changes come from a log, already in the right format. */
  prepare(change: Change): Prepared;
  apply(document: Json, prepared: Prepared): Json;
  /** The best way to apply a whole log as one step, where there is one. */
  applyAll?(document: Json, prepared: readonly Prepared[]): Json;
}

/** A contestant with its format sealed behind `bind`. */
export interface Contestant {
  readonly name: string;
  readonly note: string;
  readonly immutable: boolean;
  bind(changes: readonly Change[]): BoundContestant;
}

/** How to walk through a log. */
export interface Chain {
  /** Where in the log to begin. */
  readonly from: number;
  readonly count: number;
  /** After so many changes the chain begins again at what `restart` makes of the first document. */
  readonly length: number;
  restart(document: Json): Json;
}

/** A contestant that holds a log in its own format. */
export interface BoundContestant {
  /** Applies changes one at a time, each to the result of the one before; after the last of the log comes the first. */
  applyOneByOne(document: Json, chain: Chain): Json;
  readonly applyAll: ((document: Json) => Json) | undefined;
  /** The log as text, to see that it stays as it was. */
  describeLog(): string;
}

/** One pass without a restart. */
export function straight(from: number, count: number): Chain {
  return { from, count, length: Number.POSITIVE_INFINITY, restart: sameDocument };
}

/** The restart of everybody who leaves the first document as it was. */
export function sameDocument(document: Json): Json {
  return document;
}

export function defineContestant<Prepared>(definition: ContestantDefinition<Prepared>): Contestant {
  const { name, note, immutable, applyAll } = definition;
  return {
    name,
    note,
    immutable,
    bind(changes) {
      const log = changes.map((change) => definition.prepare(structuredClone(change)));
      return {
        applyOneByOne(document, chain) {
          const { count } = chain;
          let current = document;
          let position = chain.from;
          let untilRestart = chain.length;
          for (let done = 0; done < count; done++) {
            current = definition.apply(current, log[position] as Prepared);
            if (++position === log.length) position = 0;
            if (--untilRestart === 0) {
              current = chain.restart(document);
              untilRestart = chain.length;
            }
          }
          return current;
        },
        applyAll: applyAll === undefined ? undefined : (document) => applyAll(document, log),
        describeLog: () => JSON.stringify(log),
      };
    },
  };
}
