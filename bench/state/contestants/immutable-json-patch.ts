import { immutableJSONPatch } from "immutable-json-patch";
import { type Contestant, defineContestant } from "../contestant.ts";
import type { Json } from "../json.ts";
import { type JsonPatchOperation, toJsonPatch } from "../json-patch-operations.ts";

export const immutableJsonPatch: Contestant = defineContestant<JsonPatchOperation[]>({
  name: "immutable-json-patch",
  note: "path copy for JSON Patch; all operations in one call would still copy for each, so there is no batched form",
  immutable: true,
  prepare: toJsonPatch,
  apply: (document, operations) => immutableJSONPatch<Json>(document, operations),
});
