import { spawnSync } from "node:child_process";
import { isContinuousIntegration } from "./continuous-integration.mjs";

/**
 * The seed of all property tests of a run: the one asked for; in continuous integration one that follows from the commit, so
 * that the same commit is always judged the same; otherwise a fresh one.
 *
 * @param {Readonly<Record<string, string | undefined>>} env
 * @returns {number}
 */
export function chooseSeed(env) {
  const asked = env.REPRISE_SEED;
  if (asked === undefined || asked === "") {
    return isContinuousIntegration(env) ? seedOfCommit() : Math.floor(Math.random() * 2 ** 31);
  }
  const seed = Number(asked);
  // fast-check cuts seeds to 32 bits: a longer one would be another seed than the one printed.
  if (!Number.isInteger(seed) || seed !== (seed | 0)) {
    throw new Error(`REPRISE_SEED must be a whole number of at most 32 bits; it is "${asked}".`);
  }
  return seed;
}

function seedOfCommit() {
  const { stdout } = spawnSync("git", ["rev-parse", "HEAD"], { encoding: "utf8" });
  const seed = Number.parseInt(String(stdout).slice(0, 7), 16);
  return Number.isNaN(seed) ? 1 : seed;
}
