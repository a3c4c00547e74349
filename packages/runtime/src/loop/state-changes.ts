import { RepriseError, type ToolCallRecord } from "@reprise/contracts";
import {
  applyPatch,
  computeTouched,
  deepEqual,
  detectConflicts,
  formatPath,
  getAt,
  isJson,
  isVersionPath,
  type Json,
  LatticeRegistry,
  type Op,
  type StateSlice,
} from "@reprise/state";
import { copyJson } from "../json/copy-json.ts";
import type { Outside, StateAccess } from "../run/ports.ts";
import type { CallState } from "../tools/call-state.ts";

type MergingRun = Pick<StateAccess, "document"> & Outside;

interface SettledChange {
  readonly call: ToolCallRecord;
  readonly ops: readonly Op[];
  readonly slices: ReadonlySet<StateSlice>;
}

/**
 * The state changes of the calls of a round, in the order in which they became part of the run. Calls that overlapped saw
 * the same state: they may not have changed the same path, unless it merges.
 */
export class StateChanges {
  readonly #settled: SettledChange[] = [];

  /** How many changes are settled. A call that begins now overlaps with everything settled later. */
  get settledCount(): number {
    return this.#settled.length;
  }

  /**
   * What a call's changes come to now. Throws `PATCH_CONFLICT`, naming both calls and the path, when another call that
   * overlapped changed it too; where both merged, the merged value is written, so that history needs no code to be read.
   */
  rebase(workspace: MergingRun, call: ToolCallRecord, state: CallState, settledBefore: number): readonly Op[] {
    const { slices } = state;
    if (state.ops.length === 0) return state.ops;
    const overlapping = this.#settled.slice(settledBefore);
    const ops = overlapping.length === 0 ? state.ops : performMerge(workspace, call, state, overlapping);
    this.#settled.push({ call, ops, slices });
    return ops;
  }
}

/** Only the code of the tools' states knows how their changes merge. */
function performMerge(
  workspace: MergingRun,
  call: ToolCallRecord,
  state: CallState,
  overlapping: readonly SettledChange[],
): readonly Op[] {
  // Operations are made of JSON; their interfaces hide it.
  const encode = (ops: readonly Op[]): Json => copyJson(ops as unknown as Json);
  return workspace.effects.note({ kind: "rebase", of: call.call_id, encode }, () =>
    mergeChanges(workspace, call, state, overlapping),
  );
}

function mergeChanges(
  workspace: MergingRun,
  call: ToolCallRecord,
  state: CallState,
  overlapping: readonly SettledChange[],
): readonly Op[] {
  const { slices } = state;
  // Two who create the same state at once both write the fields neither of them changed.
  const ops = state.ops.filter((op) => !isCreatedAlready(workspace, op, state) && !isNotedAlready(workspace, op));
  const lattices = new LatticeRegistry();
  for (const slice of new Set([...slices, ...overlapping.flatMap((other) => [...other.slices])])) {
    for (const { path, lattice } of slice.lattices) {
      for (const { call_id } of [call, ...overlapping.map((other) => other.call)]) {
        lattices.register([...slice.pathIn(call_id), ...path], lattice);
      }
    }
  }
  const touched = computeTouched({ ops });
  for (const other of overlapping) {
    const [conflict] = detectConflicts(computeTouched({ ops: other.ops }), touched, lattices);
    if (conflict !== undefined) throw conflicting(other.call, call, formatPath(conflict.path));
  }
  return ops.map((op) => mergeWithCurrent(workspace, op, lattices));
}

/** Whether an operation only gives a field its first value, and the field has one by now. */
function isCreatedAlready({ document }: MergingRun, op: Op, { base, slices }: CallState): boolean {
  if (op.op !== "set" || getAt(base, op.path) !== undefined || getAt(document, op.path) === undefined) return false;
  const slice = [...slices].find(({ path }) => path.every((segment, index) => op.path[index] === segment));
  if (slice === undefined || slice.scope === "tool_call") return false;
  const initial: unknown = slice.initial();
  // Fields that do not merge are stored as they are.
  return isJson(initial) && deepEqual(getAt(initial, op.path.slice(slice.path.length)) ?? null, op.value);
}

/** Whether an operation only notes the version of a state, and that is noted by now. */
function isNotedAlready({ document }: MergingRun, op: Op): boolean {
  return op.op === "set" && isVersionPath(op.path) && getAt(document, op.path) === op.value;
}

/** A merge says what the value is to be joined with; written down is what it comes to. */
function mergeWithCurrent({ document }: MergingRun, op: Op, lattices: LatticeRegistry): Op {
  if (op.op !== "lattice_merge") return op;
  const merged = getAt(applyPatch(document, { ops: [op] }, lattices), op.path);
  return merged === undefined ? op : { ...op, value: merged };
}

function conflicting(first: ToolCallRecord, second: ToolCallRecord, path: string): RepriseError {
  const message = `Conflicting parallel state changes between ${first.tool_id} (${first.call_id}) and ${second.tool_id} (${second.call_id}) at ${path}.`;
  return new RepriseError("PATCH_CONFLICT", message, {
    details: { calls: [first.call_id, second.call_id], path },
  });
}
