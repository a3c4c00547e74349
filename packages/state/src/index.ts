import "./require-node.ts";

export { applyPatch, applyPatches } from "./apply/apply-patch.ts";
export type { Conflict, ConflictKind } from "./compare/detect-conflicts.ts";
export { detectConflicts } from "./compare/detect-conflicts.ts";
export type { DiffOptions } from "./compare/diff.ts";
export { diff } from "./compare/diff.ts";
export type { JsonPatchOperation } from "./compare/json-patch.ts";
export { toJsonPatch } from "./compare/json-patch.ts";
export type { TouchedPath } from "./compare/touched.ts";
export { computeTouched } from "./compare/touched.ts";
export type { StateOptions } from "./define/define-state.ts";
export { defineState } from "./define/define-state.ts";
export type { FieldOption, FieldOptions, LatticeFor } from "./define/field-options.ts";
export type { Immutable } from "./define/immutable.ts";
export type { SchemaIssue, SchemaResult, StandardSchema } from "./define/standard-schema.ts";
export type { StateAction } from "./define/state-action.ts";
export { parseStateAction, sliceOf } from "./define/state-action.ts";
export type {
  ActionArguments,
  ActionCreators,
  LatticeField,
  Reducers,
  StateDefinition,
  StateSlice,
} from "./define/state-definition.ts";
export type { StateScope } from "./define/state-path.ts";
export { STATE_SCOPES, TOOL_CALL_SCOPE } from "./define/state-path.ts";
export { StateRegistry } from "./define/state-registry.ts";
export { isVersionPath, storedVersion } from "./define/state-version.ts";
export type { StateWriter } from "./define/state-writer.ts";
export { assertJson, isJson } from "./document/assert-json.ts";
export { deepEqual } from "./document/deep-equal.ts";
export { formatPath, toJsonPointer } from "./document/format-path.ts";
export { getAt } from "./document/get-at.ts";
export type { Json, JsonArray, JsonObject, JsonTypeName } from "./document/json.ts";
export { parseJson } from "./document/parse-json.ts";
export type { Path, Segment } from "./document/path.ts";
export { MAX_DEPTH, path } from "./document/path.ts";
export type { StateErrorCode } from "./document/state-error.ts";
export {
  appendRequiresArray,
  indexOutOfBounds,
  invalidOperation,
  mergeRequiresObject,
  numericOnNonNumber,
  pathNotFound,
  STATE_ERRORS,
  StateError,
  serialization,
  typeMismatch,
} from "./document/state-error.ts";
export type { StateManagerOptions, StateSnapshot } from "./history/state-manager.ts";
export { StateManager } from "./history/state-manager.ts";
export { flag } from "./lattice/flag.ts";
export type { GCounter } from "./lattice/g-counter.ts";
export { gCounter, gCounterIncrement, gCounterValue } from "./lattice/g-counter.ts";
export type { GSet } from "./lattice/g-set.ts";
export { gSet } from "./lattice/g-set.ts";
export type { Lattice } from "./lattice/lattice.ts";
export { defineLattice } from "./lattice/lattice.ts";
export type { LatticeLookup } from "./lattice/lattice-registry.ts";
export { LatticeRegistry } from "./lattice/lattice-registry.ts";
export type { OrMap, OrMapEntry } from "./lattice/or-map.ts";
export { orMap, orMapGet, orMapKeys, orMapPut, orMapRemove } from "./lattice/or-map.ts";
export type { OrSet } from "./lattice/or-set.ts";
export { EMPTY_OR_SET, orSet, orSetAdd, orSetElements, orSetHas, orSetRemove } from "./lattice/or-set.ts";
export type { Comparable } from "./lattice/registers.ts";
export { maxReg, minReg } from "./lattice/registers.ts";
export type {
  AppendOp,
  DecrementOp,
  DeleteOp,
  IncrementOp,
  InsertOp,
  LatticeMergeOp,
  MergeObjectOp,
  Op,
  OpName,
  RemoveOp,
  SetOp,
} from "./operations/op.ts";
export { ops } from "./operations/ops.ts";
export { parseOp, parsePath } from "./operations/parse-op.ts";
export { parsePatch, parseTrackedPatch } from "./operations/parse-patch.ts";
export type { Patch, TrackedPatch } from "./operations/patch.ts";
export { JsonWriter } from "./write/json-writer.ts";
