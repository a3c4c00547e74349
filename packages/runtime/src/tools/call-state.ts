import { type LoggedAction, RepriseError, type ToolState } from "@reprise/contracts";
import {
  applyPatch,
  getAt,
  type Immutable,
  type Json,
  type Op,
  type Path,
  type StateAction,
  type StateDefinition,
  type StateSlice,
  sliceOf,
} from "@reprise/state";
import { freezeDeep } from "../json/freeze-deep.ts";

/**
 * The state as one execution sees it: the document when it began, and its own writes. No other call sees those before they
 * are committed with the call's result.
 */
export class CallState implements ToolState {
  readonly #callId: string;
  readonly #source: string;
  #document: Json;
  /** The document when the execution began. */
  readonly base: Json;
  readonly ops: Op[] = [];
  readonly actions: LoggedAction[] = [];
  /** Run-scoped states written to, so that the next run finds what to delete. */
  readonly runScoped: Set<string> = new Set();
  /** The states written to, with what they know of merging. */
  readonly slices: Set<StateSlice> = new Set();
  #isOpen = true;

  constructor(document: Json, callId: string, source: string) {
    this.#document = document;
    this.base = document;
    this.#callId = callId;
    this.#source = source;
  }

  get<State>(definition: StateDefinition<State>): Immutable<State> {
    return freezeDeep(definition.read(this.#document, this.#callId));
  }

  at(path: Path): Json | undefined {
    return freezeDeep(getAt(this.#document, path));
  }

  apply(action: StateAction): void {
    if (!this.#isOpen) {
      throw new RepriseError(
        "INVALID_REQUEST",
        `Tool call ${this.#callId} has ended, so its state can no longer change.`,
      );
    }
    const slice = sliceOf(action);
    if (slice === undefined) {
      throw new RepriseError(
        "INVALID_REQUEST",
        `Cannot apply ${action.state}/${action.action}: create the action with its state definition.`,
      );
    }
    const patch = slice.reduce(this.#document, action, this.#callId);
    this.#document = applyPatch(this.#document, patch);
    this.ops.push(...patch.ops);
    this.slices.add(slice);
    this.actions.push({ source: this.#source, action, call_id: this.#callId });
    if (slice.scope === "run") this.runScoped.add(slice.name);
  }

  get isOpen(): boolean {
    return this.#isOpen;
  }

  /** Ends the collection of changes. Later changes are too late, because the result is on its way into the thread. */
  close(): void {
    this.#isOpen = false;
  }
}
