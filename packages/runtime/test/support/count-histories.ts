/**
 * How many random histories a property plays: what `REPRISE_HISTORIES` says, for full runs by hand (e2e/PROVEN.md), ten times as many
 * as usual with `npm run fuzz`, and otherwise the number given.
 */
export function countHistories(usual: number): number {
  const asked = process.env.REPRISE_HISTORIES;
  if (asked === undefined || asked === "") return process.env.REPRISE_FUZZ ? 10 * usual : usual;
  const count = Number(asked);
  if (!Number.isSafeInteger(count) || count < 1) {
    throw new Error(`REPRISE_HISTORIES must be a whole number of at least 1; it is "${asked}".`);
  }
  return count;
}
