/**
 * Which tests a command runs: `test` has every law, every store and every protocol once; `prove` has what takes minutes: planted
 * bugs, chaos, browsers, the official clients, and the laws of one store over several databases. The name of a file says its tier.
 *
 * @typedef {"test" | "prove"} Tier
 */

const TEST = ".test.ts";
const PROVE = ".prove.test.ts";

/**
 * @param {string} file
 * @returns {Tier | undefined} undefined for a file without tests
 */
export function tierOf(file) {
  if (!file.endsWith(TEST)) return undefined;
  return file.endsWith(PROVE) ? "prove" : "test";
}

/**
 * The tier a run was asked for, by `REPRISE_TIER`; `all` is for `npm run fuzz`, which lengthens the tests of both.
 *
 * @param {Readonly<Record<string, string | undefined>>} env
 * @returns {Tier | "all"}
 */
export function chooseTier({ REPRISE_TIER: asked = "test" }) {
  if (asked === "test" || asked === "prove" || asked === "all") return asked;
  throw new Error(`REPRISE_TIER must be test, prove or all; it is "${asked}".`);
}

/**
 * The part of some globs of test files that belongs to a tier, for vitest.
 *
 * @param {Tier | "all"} tier
 * @param {readonly string[]} globs each ends in `.test.ts`
 * @returns {{ include: string[], exclude: string[] }}
 */
export function selectTier(tier, globs) {
  if (tier !== "prove") return { include: [...globs], exclude: tier === "test" ? [`**/*${PROVE}`] : [] };
  return { include: globs.map((glob) => `${glob.slice(0, -TEST.length)}${PROVE}`), exclude: [] };
}
