import type { Env } from "@reprise/contracts";

/** A choice of a pool, with the share of the keys it is home to. */
export interface Weighted<Item> {
  readonly name: string;
  readonly weight: number;
  readonly item: Item;
}

/**
 * The order in which a key asks the members of a pool: its home first, the same in every process and for ever. Each key draws a
 * number for each member (rendezvous hashing with weights): a member that leaves moves only the keys that were at home there, and the
 * others keep theirs.
 */
export function rankPool<Item>(env: Env, key: string, pool: readonly Weighted<Item>[]): readonly Item[] {
  return pool
    .map(({ name, weight, item }) => ({ item, score: -weight / Math.log(drawOf(env, key, name)) }))
    .sort((one, other) => other.score - one.score)
    .map(({ item }) => item);
}

const DIGITS = 13;

/** A number between 0 and 1, neither included, that depends on nothing but the two names. */
function drawOf(env: Env, key: string, name: string): number {
  const digits = env.hash(JSON.stringify([key, name])).slice(0, DIGITS);
  return (Number.parseInt(digits, 16) + 0.5) / 16 ** DIGITS;
}
