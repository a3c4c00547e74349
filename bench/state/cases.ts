import type { Change } from "./change.ts";
import { mixLarge, mixSmall } from "./mixed-changes.ts";
import { mutate } from "./mutate.ts";
import { createRandom, type Random } from "./random.ts";
import {
  appendItem,
  appendTag,
  incrementRecord,
  incrementTokens,
  mergeItem,
  mergeProfile,
  mergeRecords,
  setItemField,
  setProfileField,
} from "./single-changes.ts";
import { largeState, smallState } from "./states.ts";

export type StateSize = "small" | "large";

/** One question to all contestants: a document and a log of changes that fit it in order. */
export interface Case {
  readonly id: string;
  readonly title: string;
  readonly size: StateSize;
  /** `operation` asks for one kind of change, `replay` for a whole log, one by one and as one step. */
  readonly kind: "operation" | "replay";
  /** The document as text, so that everybody gets one of their own, made the way stores make it. */
  readonly text: string;
  readonly changes: readonly Change[];
  /** After so many changes the chain begins again at the document, so that lists do not grow without end. */
  readonly chainLength: number;
}

/** Makes a change that fits the document as it stands at its place in the log. */
export type MakeChange<State> = (random: Random, state: State) => Change;

const RING_LENGTH = 256;
const REPLAY_LENGTH = 10_000;
/** A tag list of 4 grows to 20: still the list of a small state. */
const SMALL_APPEND_CHAIN = 16;

export function createCases(): readonly Case[] {
  const small = JSON.stringify(smallState());
  const large = JSON.stringify(largeState());
  const operation = { kind: "operation", length: RING_LENGTH, chainLength: RING_LENGTH } as const;
  const replay = { kind: "replay", length: REPLAY_LENGTH, chainLength: REPLAY_LENGTH } as const;
  return [
    createCase("small", "set", "set at depth 3", small, operation, setProfileField),
    createCase("small", "increment", "increment", small, operation, incrementTokens),
    createCase("small", "append", "append", small, { ...operation, chainLength: SMALL_APPEND_CHAIN }, appendTag),
    createCase("small", "merge", "shallow merge", small, operation, mergeProfile),
    createCase("large", "set", "set a field of an item (list of 10,000)", large, operation, setItemField),
    createCase("large", "increment", "increment (map of 1,000)", large, operation, incrementRecord),
    createCase("large", "append", "append (list of 10,000)", large, operation, appendItem),
    createCase("large", "merge-item", "merge into an item (list of 10,000)", large, operation, mergeItem),
    createCase("large", "merge-map", "merge into the map of 1,000", large, operation, mergeRecords),
    createCase("small", "replay", "replay of 10,000 mixed patches", small, replay, mixSmall),
    createCase("large", "replay", "replay of 10,000 mixed patches", large, replay, mixLarge),
  ];
}

interface LogShape {
  readonly kind: Case["kind"];
  readonly length: number;
  readonly chainLength: number;
}

function createCase<State>(
  size: StateSize,
  name: string,
  title: string,
  text: string,
  shape: LogShape,
  make: MakeChange<State>,
): Case {
  const random = createRandom(name.length * 1000 + shape.length);
  const changes: Change[] = [];
  let state = JSON.parse(text);
  for (let position = 0; position < shape.length; position++) {
    if (position % shape.chainLength === 0) state = JSON.parse(text);
    const change = make(random, state);
    mutate(state, change);
    changes.push(change);
  }
  const { kind, chainLength } = shape;
  return { id: `${size}-${name}`, title: `${size} state: ${title}`, size, kind, text, changes, chainLength };
}
