import { compareIds } from "@reprise/contracts";
import type { DocumentKey, DocumentRow, DocumentRows } from "../../shell/document-rows.ts";
import type { Partitions } from "./partition.ts";
import { hashedPlace } from "./place-of-id.ts";

/** The documents of a partitioned store: each in the database that the hash of its name says, however many a tenant has. */
export function createPartitionedDocuments(partitions: Partitions): DocumentRows {
  const of = ({ tenant, kind, id }: DocumentKey): DocumentRows =>
    partitions.at(hashedPlace([tenant, kind, id], partitions.count)).driver.documents;
  return {
    load: (key) => of(key).load(key),
    save: (document, expected) => of(document).save(document, expected),
    delete: (key, expected) => of(key).delete(key, expected),
    async list(query) {
      const lists = await Promise.all(partitions.all.map(({ driver }) => driver.documents.list(query)));
      const rows: DocumentRow[] = lists.flat();
      return rows.sort((one, other) => compareIds(one.id, other.id)).slice(0, query.limit);
    },
    async prune(limit) {
      let sum = 0;
      for (const { driver } of partitions.all) {
        if (sum < limit) sum += await driver.documents.prune(limit - sum);
      }
      return sum;
    },
  };
}
