import { expect, it } from "vitest";
import type { Deviation, OpenStore } from "./open-store.ts";
import { StoreBench } from "./store-bench.ts";

/** Registers one law as a test: a sentence, and a proof on a store of its own. */
export type Law = (sentence: string, prove: (bench: StoreBench) => Promise<void>) => void;

/** Tests of laws; those deviated from are shown with their reason and not run. */
export interface LawSuite {
  readonly law: Law;
  /** To be called last: a deviation from a law that does not exist is a mistake. */
  readonly closeList: () => void;
}

export function createLawSuite(open: OpenStore, deviations: readonly Deviation[]): LawSuite {
  const known = new Set<string>();
  return {
    law: (sentence, prove) => {
      known.add(sentence);
      const deviation = deviations.find(({ law }) => law === sentence);
      if (deviation !== undefined) return it(`${sentence} (DEVIATES: ${deviation.reason})`, () => {});
      it(sentence, async () => {
        const opened = await open();
        try {
          await prove(new StoreBench(opened));
        } finally {
          await opened.close();
        }
      });
    },
    closeList: () =>
      it("deviates from nothing but laws that exist", () => {
        expect(deviations.map(({ law }) => law).filter((law) => !known.has(law))).toEqual([]);
      }),
  };
}
