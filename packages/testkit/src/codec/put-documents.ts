import { MAX_DOCUMENT_BYTES } from "@reprise/contracts";
import type { Json } from "@reprise/state";
import type { StoreBench } from "../store/store-bench.ts";
import type { Corpus } from "./corpus.ts";
import { asJson, type Reading } from "./reading.ts";

/** Documents of one kind, named after the thread that stands beside them. */
export async function putDocuments({ tenant }: StoreBench, corpus: Corpus, kind: string): Promise<readonly Reading[]> {
  const bodies = Array.from({ length: 6 }, () => shortened(corpus.below(2) === 0 ? corpus.json() : corpus.record()));
  await Promise.all(bodies.map((body, index) => tenant.saveDocument({ kind, id: `d${index}`, body }, 0)));
  return [
    {
      place: "documents",
      expected: bodies,
      read: async (store) => {
        const found = await Promise.all(bodies.map((_, index) => store.loadDocument(kind, `d${index}`)));
        return found.map((document) => document && asJson(document.body));
      },
    },
    {
      place: "documents in lists",
      expected: bodies,
      read: async (store) => (await store.listDocuments({ kind })).items.map(({ body }) => body),
    },
  ];
}

/** The corpus has texts that are longer than a document may be; the beginning of such a one is hostile enough. */
function shortened(body: Json): Json {
  const text = JSON.stringify(body);
  return new TextEncoder().encode(text).byteLength > MAX_DOCUMENT_BYTES ? text.slice(0, MAX_DOCUMENT_BYTES / 8) : body;
}
