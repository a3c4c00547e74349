import type { Change } from "./change.ts";
import { pick, pickIndex, type Random } from "./random.ts";
import { item, type LargeState, RECORD_COUNT, record, recordKey, type SmallState } from "./states.ts";

const PROFILE_KEYS = ["locale", "timezone", "theme", "plan"] as const;
const TOKEN_KEYS = ["input", "output", "cached"] as const;
/** Keys that a merge may add to the map and a delete may take away again. */
const EXTRA_RECORDS = 24;

export function setProfileField(random: Random): Change {
  return { kind: "set", path: ["user", "profile", pick(random, PROFILE_KEYS)], value: word(random) };
}

export function incrementTokens(random: Random, state: SmallState): Change {
  const key = pick(random, TOKEN_KEYS);
  const amount = 1 + pickIndex(random, 9);
  return { kind: "increment", path: ["usage", "tokens", key], amount, result: state.usage.tokens[key] + amount };
}

export function appendTag(random: Random, state: SmallState): Change {
  return { kind: "append", path: ["tags"], value: word(random), index: state.tags.length };
}

export function mergeProfile(random: Random): Change {
  const value = { [pick(random, PROFILE_KEYS)]: word(random), [pick(random, PROFILE_KEYS)]: word(random) };
  return { kind: "merge", path: ["user", "profile"], value };
}

export function setItemField(random: Random, state: LargeState): Change {
  const index = pickIndex(random, state.items.length);
  return random() < 0.5
    ? { kind: "set", path: ["items", index, "title"], value: word(random) }
    : { kind: "set", path: ["items", index, "score"], value: pickIndex(random, 1000) };
}

export function incrementRecord(random: Random, state: LargeState): Change {
  const key = recordKey(pickIndex(random, RECORD_COUNT));
  const amount = 1 + pickIndex(random, 9);
  const result = (state.records[key]?.count ?? 0) + amount;
  return { kind: "increment", path: ["records", key, "count"], amount, result };
}

export function appendItem(random: Random, state: LargeState): Change {
  return { kind: "append", path: ["items"], value: item(pickIndex(random, 1e6)), index: state.items.length };
}

export function mergeItem(random: Random, state: LargeState): Change {
  const value = { done: random() < 0.5, score: pickIndex(random, 1000) };
  return { kind: "merge", path: ["items", pickIndex(random, state.items.length)], value };
}

/** Two records that are there already and one that may be new. */
export function mergeRecords(random: Random): Change {
  const keys = [pickIndex(random, RECORD_COUNT), pickIndex(random, RECORD_COUNT), extraRecord(random)];
  const value = Object.fromEntries(keys.map((key) => [recordKey(key), record(pickIndex(random, 1000))]));
  return { kind: "merge", path: ["records"], value };
}

/** Takes away a record that a merge added; merges something again when there is none. */
export function deleteExtraRecord(random: Random, state: LargeState): Change {
  const key = recordKey(extraRecord(random));
  return Object.hasOwn(state.records, key) ? { kind: "delete", path: ["records", key] } : mergeRecords(random);
}

function extraRecord(random: Random): number {
  return RECORD_COUNT + pickIndex(random, EXTRA_RECORDS);
}

function word(random: Random): string {
  return `word ${pickIndex(random, 1e6)}`;
}
