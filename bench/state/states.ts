export const ITEM_COUNT = 10_000;
export const RECORD_COUNT = 1_000;

/** About twenty keys, nested to depth three: the state of an ordinary thread. */
export type SmallState = {
  readonly id: string;
  readonly status: string;
  readonly step: number;
  readonly user: { readonly id: string; readonly name: string; readonly profile: Profile };
  readonly usage: { readonly calls: number; readonly tokens: Tokens };
  readonly flags: { readonly archived: boolean; readonly pinned: boolean };
  readonly tags: readonly string[];
};

export type Profile = {
  readonly locale: string;
  readonly timezone: string;
  readonly theme: string;
  readonly plan: string;
};
export type Tokens = { readonly input: number; readonly output: number; readonly cached: number };

/** A list of 10,000 items and a map of 1,000 records beside a few scalars: containers that are dear to copy. */
export type LargeState = {
  readonly id: string;
  readonly title: string;
  readonly revision: number;
  readonly items: readonly Item[];
  readonly records: Readonly<Record<string, CountedRecord>>;
  readonly archived: boolean;
};

export type Item = {
  readonly id: string;
  readonly title: string;
  readonly done: boolean;
  readonly score: number;
  readonly owner: string;
};

export type CountedRecord = { readonly count: number; readonly label: string; readonly active: boolean };

export function smallState(): SmallState {
  return {
    id: "thread_1",
    status: "running",
    step: 3,
    user: { id: "user_1", name: "Ada", profile: { locale: "en", timezone: "UTC", theme: "dark", plan: "free" } },
    usage: { calls: 4, tokens: { input: 1200, output: 340, cached: 80 } },
    flags: { archived: false, pinned: true },
    tags: ["billing", "urgent", "europe", "beta"],
  };
}

export function largeState(): LargeState {
  const records = Array.from({ length: RECORD_COUNT }, (_, index) => [recordKey(index), record(index)] as const);
  return {
    id: "board_1",
    title: "Backlog",
    revision: 17,
    items: Array.from({ length: ITEM_COUNT }, (_, index) => item(index)),
    records: Object.fromEntries(records),
    archived: false,
  };
}

export function item(index: number): Item {
  return { id: `item_${index}`, title: `Item ${index}`, done: index % 3 === 0, score: index % 100, owner: "user_1" };
}

export function record(index: number): CountedRecord {
  return { count: index % 50, label: `Record ${index}`, active: index % 2 === 0 };
}

export function recordKey(index: number): string {
  return `record_${index}`;
}
