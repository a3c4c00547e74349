import type { ToolCallRecord } from "@reprise/contracts";
import type { AgentView } from "../run/ports.ts";
import { type AdmittingRun, admitCall, findTool } from "../tools/admit-call.ts";
import { routeTool } from "../tools/pools/routing-class.ts";
import { CallExecutor, type ExecutorRun } from "./call-executor.ts";

type ReadingRun = ExecutorRun & AdmittingRun & AgentView;

/**
 * Reads begun while the model still speaks. Reading changes nothing, so a turn that is taken back costs no more than the
 * time. Only reads that come before everything else in their turn are begun: a later one must see what stands before it.
 * They are executed by the executor of the round to come, which settles them in their turn.
 */
export class EarlyReads {
  readonly executor: CallExecutor;
  readonly #workspace: ReadingRun;
  readonly #begun = new Set<string>();
  readonly #admissions: Promise<void>[] = [];
  #offered = 0;
  /** Whether only reads were offered so far. */
  #isOpen = true;
  #isGivenUp = false;

  constructor(workspace: ReadingRun) {
    this.#workspace = workspace;
    this.executor = new CallExecutor(workspace);
  }

  /** The model has finished asking for a call; `index` is its place among those it began to ask for. */
  offer(call: ToolCallRecord, index: number): void {
    // A call before it is still being written: its kind is not known yet.
    const isNext = index === this.#offered++;
    this.#isOpen &&= isNext && mayBegin(this.#workspace, call);
    if (!this.#isOpen) return;
    const join = this.#workspace.effects.fork();
    const begun = this.#begin(call).finally(join);
    // Looked at when the turn is over; a turn that is taken back before takes its failure with it.
    begun.catch(() => undefined);
    this.#admissions.push(begun);
  }

  /** Whether a call was begun. */
  has(callId: string): boolean {
    return this.#begun.has(callId);
  }

  /** Resolves when every read that was offered is begun or was turned away. */
  async settle(): Promise<void> {
    await Promise.all(this.#admissions);
  }

  /** Gives up what was begun: the turn was taken back, or there will be no round. */
  stop(): void {
    this.#isOpen = false;
    this.#isGivenUp = true;
    this.#begun.clear();
    this.executor.close();
  }

  async #begin(call: ToolCallRecord): Promise<void> {
    const admission = await admitCall(this.#workspace, call, { approved: false });
    if (admission.kind !== "run" || this.#isGivenUp) return;
    this.#begun.add(call.call_id);
    void this.executor.start({ call, admission });
  }
}

/** Whether a call can begin before its step is committed: a read that needs no approval. */
function mayBegin(workspace: AdmittingRun & AgentView, call: ToolCallRecord): boolean {
  const { spec, installed } = workspace.agent;
  const found = findTool(workspace, call);
  if (found.kind !== "found" || workspace.toolExecutionMode === "sequential") return false;
  const { descriptor } = found.tool;
  const isScheduled = [...installed.scheduled.values()].some(({ value }) => value.phase === "before_tool_execute");
  const isHooked = installed.hooks.before_tool_execute !== undefined || isScheduled;
  const isAsked = descriptor.needs_approval !== false || isHooked;
  return !isAsked && routeTool(descriptor, spec.tool_concurrency) === "read_only";
}
