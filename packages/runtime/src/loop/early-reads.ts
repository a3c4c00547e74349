import type { ToolCallRecord } from "@reprise/contracts";
import { type Admission, admitCall, findTool } from "../tools/admit-call.ts";
import { type ExecutedCall, executeCall } from "../tools/execute-call.ts";
import { routeTool } from "../tools/pools/routing-class.ts";
import type { RunWorkspace } from "./run-workspace.ts";

/** A read that was let in and begun before its step was over. */
export interface BegunRead {
  readonly admission: Extract<Admission, { kind: "run" }>;
  readonly execution: Promise<ExecutedCall>;
}

/**
 * Reads begun while the model still speaks. Reading changes nothing, so a turn that is taken back costs no more than the
 * time. Only reads that come before everything else in their turn are begun: a later one must see what stands before it.
 */
export class EarlyReads {
  readonly #workspace: RunWorkspace;
  readonly #stop = new AbortController();
  readonly #begun = new Map<string, BegunRead>();
  readonly #admissions: Promise<void>[] = [];
  #isOpen = true;

  constructor(workspace: RunWorkspace) {
    this.#workspace = workspace;
  }

  /** The model has finished asking for a call. */
  offer(call: ToolCallRecord): void {
    const { agent } = this.#workspace;
    const found = findTool(this.#workspace, call);
    const isRead =
      found.kind === "found" && routeTool(found.tool.descriptor, agent.spec.tool_concurrency) === "read_only";
    // Whoever is to be asked, a person or a plugin, is asked in the round, where the answer can be committed.
    const isAsked = isRead && (found.tool.descriptor.needs_approval !== false || hooksCalls(this.#workspace));
    if (!isRead || isAsked) this.#isOpen = false;
    if (this.#isOpen) this.#admissions.push(this.#begin(call));
  }

  /** What was begun of a call; it is then the round's. */
  take(callId: string): BegunRead | undefined {
    const begun = this.#begun.get(callId);
    this.#begun.delete(callId);
    return begun;
  }

  /** Resolves when every read that was offered is begun or was turned away. */
  async settle(): Promise<void> {
    await Promise.all(this.#admissions);
  }

  /** Gives up what nobody took. */
  stop(): void {
    this.#isOpen = false;
    this.#stop.abort(new Error("The turn was taken back."));
    this.#begun.clear();
  }

  async #begin(call: ToolCallRecord): Promise<void> {
    const workspace = this.#workspace;
    const admission = await admitCall(workspace, call, { approved: false });
    if (admission.kind !== "run" || this.#stop.signal.aborted) return;
    const signal = AbortSignal.any([this.#stop.signal, workspace.signal]);
    const { tool, input } = admission;
    const execution = executeCall(workspace, { tool, call, input, document: workspace.document, signal });
    // Somebody may take it later, or nobody ever: a rejection in between is not unhandled.
    execution.catch(() => undefined);
    this.#begun.set(call.call_id, { admission, execution });
  }
}

function hooksCalls({ agent }: RunWorkspace): boolean {
  return agent.env.hooks.before_tool_execute !== undefined || agent.env.scheduled.size > 0;
}
