import type { Change } from "./change.ts";
import type { Random } from "./random.ts";
import {
  appendItem,
  appendTag,
  deleteExtraRecord,
  incrementRecord,
  incrementTokens,
  mergeItem,
  mergeProfile,
  mergeRecords,
  setItemField,
  setProfileField,
} from "./single-changes.ts";
import type { LargeState, SmallState } from "./states.ts";

const MOST_TAGS = 16;

/** 40 % set, 25 % increment, 20 % merge, 15 % tags coming and going. */
export function mixSmall(random: Random, state: SmallState): Change {
  const share = random();
  if (share < 0.4) return setProfileField(random);
  if (share < 0.65) return incrementTokens(random, state);
  if (share < 0.85) return mergeProfile(random);
  return state.tags.length < MOST_TAGS ? appendTag(random, state) : { kind: "delete", path: ["tags", 0] };
}

/** 40 % set, 25 % increment, 15 % append, 16 % merge, 4 % records coming and going. */
export function mixLarge(random: Random, state: LargeState): Change {
  const share = random();
  if (share < 0.4) return setItemField(random, state);
  if (share < 0.65) return incrementRecord(random, state);
  if (share < 0.8) return appendItem(random, state);
  if (share < 0.9) return mergeItem(random, state);
  if (share < 0.96) return mergeRecords(random);
  return deleteExtraRecord(random, state);
}
