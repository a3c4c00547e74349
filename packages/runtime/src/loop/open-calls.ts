import { isTerminal, TOOL_CALL_TRANSITIONS, type ToolCallRecord } from "@reprise/contracts";
import { compareCallIds } from "../thread/derived-ids.ts";

/** The calls of a run that are not over, in the order the model asked for them. */
export class OpenCalls {
  #calls = new Map<string, ToolCallRecord>();
  /** The same as a list, until one of them changes: the loop asks for it at every turn. */
  #all: readonly ToolCallRecord[] | undefined;

  get all(): readonly ToolCallRecord[] {
    this.#all ??= [...this.#calls.values()];
    return this.#all;
  }

  /** How an open call stands; undefined for one that is over. */
  status(callId: string): ToolCallRecord["status"] | undefined {
    return this.#calls.get(callId)?.status;
  }

  /** Takes note of how a call stands; one that is over is no longer open. */
  set(call: ToolCallRecord): void {
    this.#all = undefined;
    if (isTerminal(TOOL_CALL_TRANSITIONS, call.status)) this.#calls.delete(call.call_id);
    else this.#calls.set(call.call_id, call);
  }

  /** Forgets a call that was never committed. */
  drop(callId: string): void {
    this.#all = undefined;
    this.#calls.delete(callId);
  }

  adopt(calls: readonly ToolCallRecord[]): void {
    const all = [...this.all, ...calls].toSorted((left, right) => compareCallIds(left.call_id, right.call_id));
    this.#calls = new Map(all.map((call) => [call.call_id, call]));
    this.#all = undefined;
  }

  clear(): void {
    this.#calls.clear();
    this.#all = undefined;
  }
}
