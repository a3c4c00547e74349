import { describe, it } from "vitest";
import { contentLaws } from "./content-laws.ts";
import type { OpenBlobStore, OpenedBlobStore } from "./open-blob-store.ts";
import { pieceLaws } from "./piece-laws.ts";
import { readingLaws } from "./reading-laws.ts";
import { referenceLaws } from "./reference-laws.ts";

/** Registers one law about blobs as a test, on a store of its own. */
export type BlobLaw = (sentence: string, prove: (opened: OpenedBlobStore) => Promise<void>) => void;

/** The laws every blob store keeps, as tests. `open` is called once a test and gives a store without blobs. */
export function describeBlobStore(name: string, open: OpenBlobStore): void {
  describe(`the ${name} blobs`, () => {
    const law: BlobLaw = (sentence, prove) => {
      it(sentence, async () => {
        const opened = await open();
        try {
          await prove(opened);
        } finally {
          await opened.close();
        }
      });
    };
    describe("content", () => contentLaws(law));
    describe("pieces", () => pieceLaws(law));
    describe("reading", () => readingLaws(law));
    describe("references", () => referenceLaws(law));
  });
}
