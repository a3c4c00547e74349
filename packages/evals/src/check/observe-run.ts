import {
  isOwnQuestion,
  type RunRecord,
  type StoredChangeset,
  type ToolCallOutcome,
  type ToolCallRecord,
} from "@reprise/contracts";
import type { RunRecording } from "@reprise/runtime";
import { applyPatches, getAt, type Json } from "@reprise/state";

/** A tool call as it went. */
export interface ObservedCall {
  readonly id: string;
  readonly tool: string;
  readonly arguments: Json;
  readonly outcome: ToolCallOutcome;
  /** The code of the error that the model read. */
  readonly error?: string;
}

/** A question to a person. */
export interface ObservedApproval {
  readonly call_id: string;
  readonly tool: string;
  readonly arguments: Json;
  readonly asked_by?: string;
}

/** What a run did, as far as checks look at it. The same whether it was recorded or has just been played. */
export interface ObservedRun {
  readonly ended: string;
  readonly text: string;
  readonly output?: Json;
  readonly calls: readonly ObservedCall[];
  /** What the model read of the calls that ended, by their ids. */
  readonly results: { readonly [callId: string]: Json };
  readonly approvals: readonly ObservedApproval[];
  readonly state: Json;
  readonly steps: number;
  readonly input_tokens: number;
  readonly output_tokens: number;
  readonly cost_microcents: number;
  readonly is_priced: boolean;
  readonly latency_ms: number;
  /** The models that answered. */
  readonly models: readonly string[];
}

export function observeRecording({ run, base, changesets }: RunRecording): ObservedRun {
  return observeRun(run, base.state, changesets);
}

/** Reads a run off its commits. */
export function observeRun(run: RunRecord, before: Json, changesets: readonly StoredChangeset[]): ObservedRun {
  const reader = new CallReader(run.run_id);
  const models = new Set<string>();
  let text = "";
  let output: Json | undefined;
  let state = before;
  for (const changeset of changesets) {
    state = applyPatches(state, changeset.patches);
    for (const call of changeset.calls) reader.see(call);
    for (const event of changeset.events) {
      if (event.run_id !== run.run_id) continue;
      reader.hear(event);
      if (event.type === "inference_complete") models.add(event.data.model);
      if (event.type !== "run_finish") continue;
      const response = event.data.result?.response;
      if (typeof response === "string") text = response;
      output = event.data.result?.output;
    }
    for (const message of changeset.messages) {
      const isOwn = message.role === "assistant" && message.metadata?.run_id === run.run_id;
      if (isOwn && typeof message.content === "string" && message.content !== "") text = message.content;
    }
  }
  return {
    ended: run.status === "done" ? (run.termination_code ?? "natural") : run.status,
    text,
    ...(output !== undefined && { output }),
    calls: reader.calls(),
    results: Object.fromEntries(reader.results),
    approvals: reader.approvals,
    state,
    steps: run.steps,
    input_tokens: run.input_tokens,
    output_tokens: run.output_tokens,
    cost_microcents: run.cost_microcents ?? 0,
    is_priced: run.is_unpriced !== true,
    latency_ms: Math.max(0, run.updated_at - run.created_at),
    models: [...models],
  };
}

type RunEvent = StoredChangeset["events"][number];

class CallReader {
  readonly approvals: ObservedApproval[] = [];
  readonly results = new Map<string, Json>();
  readonly #runId: string;
  readonly #rows = new Map<string, ToolCallRecord>();
  /** In the order in which the model asked for them. */
  readonly #order: string[] = [];
  readonly #ends = new Map<string, { readonly outcome: ToolCallOutcome; readonly error?: string }>();

  constructor(runId: string) {
    this.#runId = runId;
  }

  see(call: ToolCallRecord): void {
    if (call.run_id !== this.#runId || isOwnQuestion(call)) return;
    this.#rows.set(call.call_id, call);
  }

  hear(event: RunEvent): void {
    if (event.type === "tool_call_ready") this.#order.push(event.data.id);
    if (event.type === "tool_call_cancelled")
      this.#ends.set(event.data.id, { outcome: "cancelled", error: event.data.reason });
    if (event.type !== "tool_call_done") return;
    const { id, outcome, result, suspended } = event.data;
    const error = getAt(result.data, ["error", "code"]);
    this.#ends.set(id, { outcome, ...(typeof error === "string" && { error }) });
    this.results.set(id, result.data);
    const row = this.#rows.get(id);
    // A call that waits for a run below it, or for a time, asks no person.
    const asksPerson = suspended?.ticket.run_id === undefined && suspended?.ticket.on_expiry === undefined;
    if (suspended === undefined || row === undefined || !asksPerson) return;
    const { asked_by } = suspended.ticket;
    const asked = { call_id: id, tool: row.tool_id, arguments: row.arguments };
    this.approvals.push({ ...asked, ...(asked_by !== undefined && { asked_by }) });
  }

  calls(): readonly ObservedCall[] {
    const order = [...new Set([...this.#order, ...this.#rows.keys()])];
    return order.flatMap((id): readonly ObservedCall[] => {
      const row = this.#rows.get(id);
      if (row === undefined) return [];
      const { outcome = outcomeOfRow(row), error } = this.#ends.get(id) ?? {};
      const call = { id, tool: row.tool_id, arguments: row.arguments, outcome };
      return [{ ...call, ...(error !== undefined && { error }) }];
    });
  }
}

function outcomeOfRow({ status }: ToolCallRecord): ToolCallOutcome {
  return status === "succeeded" || status === "failed" || status === "cancelled" ? status : "suspended";
}
