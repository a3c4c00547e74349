import type { Change } from "../change.ts";
import { type Contestant, defineContestant } from "../contestant.ts";
import type { Json } from "../json.ts";
import type { CountedRecord, Item, LargeState, SmallState } from "../states.ts";

/** A method on purpose: its parameter may be narrower than the document, and the path says which state it is for. */
interface Reduction<State> {
  reduce(state: State): Json;
}

export const REDUCER = "hand-written reducer";

/**
 * The nested spreads one writes inside an application, where the path is known in the source and only its last key or
 * index is data. Code for patches out of a log cannot do that: an upper bound for hand-written copies.
 */
export const reducer: Contestant = defineContestant<Reduction<Json>>({
  name: REDUCER,
  note: "nested spreads, one function per path; takes no patches as data",
  immutable: true,
  prepare(change): Reduction<Json> {
    const isLarge = change.path[0] === "items" || change.path[0] === "records";
    return isLarge ? reduceLarge(change) : reduceSmall(change);
  },
  apply: (document, reduction) => reduction.reduce(document),
});

function reduceSmall(change: Change): Reduction<SmallState> {
  const key = change.path.at(-1) as string;
  switch (change.kind) {
    case "set":
      return { reduce: (s) => ({ ...s, user: { ...s.user, profile: { ...s.user.profile, [key]: change.value } } }) };
    case "increment": {
      const counter = key as keyof SmallState["usage"]["tokens"];
      return {
        reduce(s) {
          const { tokens } = s.usage;
          return { ...s, usage: { ...s.usage, tokens: { ...tokens, [counter]: tokens[counter] + change.amount } } };
        },
      };
    }
    case "append":
      return { reduce: (s) => ({ ...s, tags: s.tags.concat([change.value as string]) }) };
    case "merge":
      return { reduce: (s) => ({ ...s, user: { ...s.user, profile: { ...s.user.profile, ...change.value } } }) };
    case "delete":
      return { reduce: (s) => ({ ...s, tags: s.tags.toSpliced(change.path[1] as number, 1) }) };
    default:
      return change satisfies never;
  }
}

function reduceLarge(change: Change): Reduction<LargeState> {
  const index = change.path[1] as number;
  const key = change.path[1] as string;
  const isItem = change.path[0] === "items";
  switch (change.kind) {
    case "set": {
      const field = change.path[2] as string;
      return {
        reduce: (s) => ({ ...s, items: s.items.with(index, { ...(s.items[index] as Item), [field]: change.value }) }),
      };
    }
    case "increment":
      return {
        reduce(s) {
          const record = s.records[key] as CountedRecord;
          return { ...s, records: { ...s.records, [key]: { ...record, count: record.count + change.amount } } };
        },
      };
    case "append":
      return { reduce: (s) => ({ ...s, items: s.items.concat([change.value as Item]) }) };
    case "merge":
      if (!isItem) return { reduce: (s) => ({ ...s, records: { ...s.records, ...change.value } }) };
      return {
        reduce: (s) => ({ ...s, items: s.items.with(index, { ...(s.items[index] as Item), ...change.value }) }),
      };
    case "delete":
      return {
        reduce(s) {
          const { [key]: _, ...records } = s.records;
          return { ...s, records };
        },
      };
    default:
      return change satisfies never;
  }
}
