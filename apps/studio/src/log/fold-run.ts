import type { AgentEvent, SuspensionNotice, Termination } from "@reprise/contracts";
import {
  type Block,
  type CallStatus,
  type ChildRun,
  fieldsOf,
  pageOf,
  type RunStatus,
  type ShownCall,
} from "./block.ts";

/**
 * A run as a conversation, made from its events and those of the runs below it. Each event costs what it changes: a stream of any
 * length can be followed.
 */
export class RunFold {
  readonly runId: string;
  #blocks: Block[] = [];
  readonly #calls = new Map<string, number>();
  readonly #children = new Map<string, { readonly fold: RunFold; readonly callId: string }>();
  #status: RunStatus = "working";
  /** Where the text or the reasoning goes that comes next. */
  #open: "text" | "reasoning" | undefined;
  /** How many blocks were there when the present step began. */
  #mark = 0;
  #delay: number | undefined;
  #isStale = false;
  #snapshot: readonly Block[] | undefined;
  /** The last event that was folded in. */
  seq = 0;
  /** Some of what was shown was withdrawn: the run has to be read anew. */
  isWithdrawn = false;

  constructor(runId: string) {
    this.runId = runId;
  }

  get status(): RunStatus {
    if (this.#status === "waiting" && this.questions.length > 0) return "needs approval";
    return this.#status;
  }

  /** What was said and done so far. The same list as before unless something changed. */
  get blocks(): readonly Block[] {
    if (this.#isStale || this.#snapshot === undefined) {
      for (const [, { fold, callId }] of this.#children) this.#showChild(callId, fold);
      this.#snapshot = [...this.#blocks];
      this.#isStale = false;
    }
    return this.#snapshot;
  }

  /** The calls that need a person. */
  get questions(): readonly ShownCall[] {
    return this.#blocks.flatMap((block) =>
      block.kind === "call" && block.call.status === "needs approval" ? [block.call] : [],
    );
  }

  add(event: AgentEvent): void {
    this.#isStale = true;
    if (event.lineage !== undefined) return this.#addBelow(event);
    this.seq = event.seq ?? this.seq;
    switch (event.type) {
      case "run_start":
        this.#status = "working";
        break;
      case "step_start":
        this.#status = "working";
        this.#open = undefined;
        this.#mark = this.#blocks.length;
        break;
      case "text_delta":
        this.#append("text", event.data.delta);
        break;
      case "reasoning_delta":
        this.#append("reasoning", event.data.delta);
        break;
      case "tool_call_start":
        this.#call(event.data.id, event.data.name, {});
        break;
      case "tool_call_delta": {
        const call = this.#find(event.data.id);
        if (call !== undefined) this.#change(call.id, { draft: call.draft + event.data.args_delta });
        break;
      }
      case "tool_call_ready":
        this.#call(event.data.id, event.data.name, {
          arguments: event.data.arguments,
          status: "running",
          startedAt: event.timestamp_ms,
        });
        break;
      case "activity_snapshot":
        this.#showActivity(event.data);
        break;
      case "tool_call_resumed":
        this.#resume(event.data.target_id, event.data.result, event.timestamp_ms);
        break;
      case "tool_call_done":
        this.#finishCall(event.data, event.timestamp_ms);
        break;
      case "tool_call_cancelled":
        this.#change(event.data.id, {
          status:
            event.data.reason === "expired" || event.data.reason === "superseded" ? event.data.reason : "cancelled",
          question: undefined,
          endedAt: event.timestamp_ms,
        });
        break;
      case "child_run_start":
        this.#begin(event.data);
        break;
      case "model_waiting":
        this.#status = "waiting for model";
        this.#showDelay(event.data.until);
        break;
      case "agent_handoff":
        this.#note(`${event.data.from} handed over to ${event.data.to}.`);
        break;
      case "compaction_completed":
        this.#note(`${event.data.messages} old messages were summarised.`);
        break;
      case "guardrail_tripped":
        this.#note(`The guardrail ${event.data.guardrail} found something: ${event.data.reason ?? event.data.action}.`);
        break;
      case "budget_warning":
        this.#note(BUDGET_NOTES[event.data.reason]);
        break;
      case "step_reset":
        this.#withdrawStep();
        break;
      case "run_finish":
        this.#end(event.data.termination);
        break;
      case "stream_reset":
        this.isWithdrawn = true;
        break;
      default:
    }
  }

  #push(block: Block): number {
    this.#removeDelay();
    this.#blocks.push({ ...block, seq: this.seq });
    return this.#blocks.length - 1;
  }

  #append(kind: "text" | "reasoning", delta: string): void {
    this.#removeDelay();
    const last = this.#blocks.at(-1);
    if (this.#open === kind && last?.kind === kind) {
      this.#blocks[this.#blocks.length - 1] = { ...last, text: last.text + delta, seq: this.seq };
      return;
    }
    this.#open = kind;
    this.#push({ key: `${this.runId}-${this.#blocks.length}`, kind, text: delta });
  }

  #find(id: string): ShownCall | undefined {
    const block = this.#blocks[this.#calls.get(id) ?? -1];
    return block?.kind === "call" ? block.call : undefined;
  }

  #change(id: string, change: Partial<ShownCall> | { readonly question: undefined }): void {
    const at = this.#calls.get(id) ?? -1;
    const block = this.#blocks[at];
    if (block?.kind !== "call") return;
    const { question, ...call } = { ...block.call, ...change };
    this.#blocks[at] = { ...block, call: question === undefined ? call : { ...call, question } };
  }

  #call(id: string, tool: string, change: Partial<ShownCall>): void {
    if (!this.#calls.has(id)) {
      this.#open = undefined;
      const call: ShownCall = { id, tool, status: "preparing", draft: "" };
      this.#calls.set(id, this.#push({ key: id, kind: "call", call }));
    }
    this.#change(id, change);
  }

  #resume(id: string, decision: unknown, at: number): void {
    const call = this.#find(id);
    if (call === undefined) return;
    const edited = fieldsOf(decision).arguments;
    const isEdited = edited !== undefined && JSON.stringify(edited) !== JSON.stringify(call.arguments);
    this.#change(id, {
      status: "running",
      question: undefined,
      startedAt: at,
      ...(isEdited && { arguments: edited, original: call.original ?? call.arguments }),
    });
  }

  #finishCall(
    done: {
      readonly id: string;
      readonly outcome: string;
      readonly result: {
        readonly tool_name: string;
        readonly data: unknown;
        readonly message: string | null;
        readonly metadata?: unknown;
      };
      readonly suspended?: SuspensionNotice;
    },
    at: number,
  ): void {
    const { id, outcome, result, suspended } = done;
    this.#call(id, result.tool_name, {});
    if (outcome === "suspended" && suspended !== undefined) {
      const { ticket } = suspended;
      const isByItself = ticket.run_id !== undefined || ticket.on_expiry === "execute";
      // A question of the runtime itself has no call of the model's before it.
      const known = this.#find(id)?.arguments ?? ticket.pending.arguments;
      this.#change(id, {
        arguments: known,
        ...(isByItself ? { status: "waiting" } : { status: "needs approval", question: suspended }),
      });
      return;
    }
    this.#change(id, {
      status: statusOf(outcome, result.data),
      result: result.data ?? result.message,
      ...pageOf(result.metadata),
      question: undefined,
      endedAt: at,
    });
  }

  #showActivity({
    activity_type,
    message_id,
    content,
  }: {
    readonly activity_type: string;
    readonly message_id: string;
    readonly content: unknown;
  }): void {
    const fields = fieldsOf(content);
    if (activity_type === "tool-call-progress") {
      const { progress, total, message } = fields;
      this.#change(String(fields.call_id), {
        progress: {
          ...(typeof progress === "number" && { value: progress }),
          ...(typeof total === "number" && { total }),
          ...(typeof message === "string" && { message }),
        },
      });
      return;
    }
    if (activity_type === "a2ui-surface" && Array.isArray(fields.a2ui_operations)) {
      this.#open = undefined;
      const surfaceId = message_id.replace(/^a2ui-surface-/, "");
      this.#push({
        key: `${this.runId}-${this.#blocks.length}`,
        kind: "surface",
        surfaceId,
        operations: fields.a2ui_operations,
      });
      return;
    }
    if (activity_type === "file" && typeof fields.url === "string") {
      this.#open = undefined;
      const file = {
        url: fields.url,
        mediaType: String(fields.media_type ?? ""),
        name: String(fields.filename ?? "file"),
      };
      this.#push({ key: `${this.runId}-${this.#blocks.length}`, kind: "file", file });
    }
  }

  #begin({
    id,
    ...child
  }: {
    readonly id: string;
    readonly child_run_id: string;
    readonly child_thread_id: string;
    readonly agent_id: string;
    readonly background?: boolean;
  }): void {
    const known = this.#children.get(child.child_run_id);
    this.#children.set(child.child_run_id, known ?? { fold: new RunFold(child.child_run_id), callId: id });
    const shown: ChildRun = {
      runId: child.child_run_id,
      threadId: child.child_thread_id,
      agentId: child.agent_id,
      background: child.background ?? false,
      status: "running",
      blocks: [],
    };
    this.#change(id, { child: shown });
  }

  /** An event of a run below goes to the run that started it, however deep that is. */
  #addBelow(event: AgentEvent): void {
    const { lineage, ...own } = event;
    if (lineage === undefined) return;
    for (const [runId, { fold }] of this.#children) {
      if (runId === event.run_id) return fold.add(own as AgentEvent);
      if (fold.#knows(event.run_id)) return fold.add(event);
    }
  }

  #knows(runId: string): boolean {
    return [...this.#children].some(([id, { fold }]) => id === runId || fold.#knows(runId));
  }

  #showChild(callId: string, fold: RunFold): void {
    const child = this.#find(callId)?.child;
    if (child === undefined) return;
    const { status } = fold;
    const word =
      status === "done" || status === "failed"
        ? status
        : status === "cancelled"
          ? "failed"
          : status === "working"
            ? "running"
            : "waiting";
    this.#change(callId, { child: { ...child, status: word, blocks: fold.blocks } });
  }

  #showDelay(until: number): void {
    this.#removeDelay();
    const time = new Date(until).toLocaleTimeString([], { hour: "2-digit", minute: "2-digit", second: "2-digit" });
    this.#delay = this.#note(`The model cannot answer now. The run continues by itself at ${time}.`);
  }

  #removeDelay(): void {
    if (this.#delay === undefined) return;
    // It is always the last one: whatever comes after it removes it first.
    this.#blocks.splice(this.#delay, 1);
    this.#delay = undefined;
  }

  #note(text: string): number {
    this.#open = undefined;
    return this.#push({ key: `${this.runId}-${this.#blocks.length}`, kind: "note", text });
  }

  /** Takes back what the present step showed: the model is asked anew. */
  #withdrawStep(): void {
    this.#open = undefined;
    for (const block of this.#blocks.splice(this.#mark)) if (block.kind === "call") this.#calls.delete(block.call.id);
  }

  #end(termination: Termination): void {
    this.#open = undefined;
    if (termination.type === "suspended") {
      this.#status = "waiting";
      return;
    }
    this.#removeDelay();
    this.#status = termination.type === "error" ? "failed" : termination.type === "cancelled" ? "cancelled" : "done";
    const isSuperseded = termination.type === "stopped" && termination.value.code === "superseded";
    for (const { id } of this.questions)
      this.#change(id, { status: isSuperseded ? "superseded" : "cancelled", question: undefined });
    const end = describeEnd(termination);
    if (end !== undefined) this.#push({ key: `${this.runId}-end`, ...end });
  }
}

const BUDGET_NOTES = {
  near_limit: "The budget of this run is nearly spent.",
  over_limit: "The budget of this run is spent.",
  unpriced: "A model without a known price was used: the actual cost is higher than shown.",
} as const;

/** What a conversation says about the end of a run; nothing when it simply ended. */
export function describeEnd(
  termination: Termination,
): { readonly kind: "note" | "failure"; readonly text: string } | undefined {
  switch (termination.type) {
    case "stopped": {
      const { code } = termination.value;
      return code === "superseded"
        ? undefined
        : { kind: "note", text: `Stopped by a rule: ${code.replaceAll("_", " ")}.` };
    }
    case "cancelled":
      return { kind: "note", text: "Stopped." };
    case "error":
      return { kind: "failure", text: termination.value };
    default:
      return undefined;
  }
}

/** How a call ended. */
export function statusOf(outcome: string, data: unknown): CallStatus {
  if (outcome === "succeeded") return "done";
  const { code } = fieldsOf(fieldsOf(data).error);
  if (code === "denied" || code === "superseded" || code === "expired") return code;
  return outcome === "cancelled" ? "cancelled" : "failed";
}
