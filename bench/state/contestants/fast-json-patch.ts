import fastJsonPatch from "fast-json-patch";
import { type Contestant, defineContestant } from "../contestant.ts";
import type { Json } from "../json.ts";
import { type JsonPatchOperation, toJsonPatch } from "../json-patch-operations.ts";

const { applyPatch, deepClone } = fastJsonPatch;

/** It changes documents in place; its own option to clone them first makes it immutable. */
export const fastJsonPatchClone: Contestant = defineContestant<JsonPatchOperation[]>({
  name: "fast-json-patch",
  note: "deep clone of the document for every patch, no validation; batched: one clone, and the patches cloned too",
  immutable: true,
  prepare: toJsonPatch,
  apply: (document, operations) => applyPatch(document, operations, false, false).newDocument,
  applyAll(document, log) {
    // It puts the values of the patch themselves into the document, where later operations would write to them.
    const operations: JsonPatchOperation[] = deepClone(log.flat());
    const result: Json = applyPatch(document, operations, false, false).newDocument;
    return result;
  },
});
