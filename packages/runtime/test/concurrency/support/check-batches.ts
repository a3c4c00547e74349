import fc from "fast-check";

const FACTOR = process.env.REPRISE_FUZZ ? 10 : 1;

/** Checks many random batches. A failure names the seed and the smallest batch, and nothing else. */
export async function checkBatches<Batch>(
  count: number,
  batches: fc.Arbitrary<Batch>,
  check: (batch: Batch) => Promise<readonly string[]>,
): Promise<void> {
  await fc.assert(
    fc.asyncProperty(batches, async (batch) => {
      const problems = await check(batch);
      if (problems.length > 0) throw new Error(`${problems.slice(0, 5).join("\n")}\n${JSON.stringify(batch)}`);
    }),
    { numRuns: count * FACTOR, reporter: reportShort },
  );
}

function reportShort<Batch>({
  failed,
  errorInstance,
  seed,
  counterexamplePath,
  numRuns,
  numShrinks,
}: fc.RunDetails<[Batch]>): void {
  if (!failed) return;
  const cause = errorInstance instanceof Error ? errorInstance.message : String(errorInstance);
  throw new Error(
    `REPRISE_SEED=${seed}, path ${counterexamplePath}, after ${numRuns} runs and ${numShrinks} shrinks:\n${cause}`,
  );
}
