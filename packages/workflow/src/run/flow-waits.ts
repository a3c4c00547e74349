import type { EventData, ProgramNews } from "@reprise/contracts";
import { type Json, type JsonObject, ops } from "@reprise/state";
import type { NodeFailure, NodeWait } from "../node/node-executor.ts";
import { type Flow, type Place, RunFailed } from "./flow.ts";
import { DEADLINE, UPGRADE } from "./flow-holds.ts";
import type { NodeRecord, WaitType } from "./workflow-state.ts";

/** Nodes that wait for something outside: a person, a time, an event, a run below. */
export class FlowWaits {
  readonly #flow: Flow;
  /** Nodes that wait for something outside, by path. */
  readonly waiting: Map<string, Place> = new Map();
  readonly toDelegate: (Place & { readonly agentId: string; readonly prompt: string })[] = [];

  constructor(flow: Flow) {
    this.#flow = flow;
  }

  pause(place: Place, record: NodeRecord, wait: NodeWait): void {
    const { path } = place;
    switch (wait.type) {
      case "run": {
        const prompt = typeof wait.input === "string" ? wait.input : JSON.stringify(wait.input);
        this.toDelegate.push({ ...place, agentId: wait.agent_id, prompt });
        return;
      }
      case "sleep":
        return this.sleep(place, record, "sleep", { ms: wait.duration_ms, message: `${path} sleeps.` });
      case "event": {
        const parameters = { node_id: path, event: wait.event };
        const message = `Node ${path} waits for the event ${wait.event}.`;
        const question = { action: `event:${wait.event}`, message, parameters };
        return this.#ask(place, record, "event", { ...question, expiresInMs: wait.timeout_ms }, { event: wait.event });
      }
      case "gate": {
        const { gate_type, message, assignee, response_schema, timeout_ms, timeout_action } = wait;
        const parameters = { node_id: path, gate_type, ...(assignee !== undefined && { assignee }) };
        const question = { action: `gate:${gate_type}`, message, parameters, responseSchema: response_schema };
        const told = { gate_type, message, timeout_action, ...(assignee !== undefined && { assignee }) };
        return this.#ask(place, record, "gate", { ...question, expiresInMs: timeout_ms }, told);
      }
      default:
        return wait satisfies never;
    }
  }

  #ask(
    place: Place,
    record: NodeRecord,
    type: WaitType,
    question: {
      readonly action: string;
      readonly message: string;
      readonly parameters: JsonObject;
      readonly responseSchema?: JsonObject | undefined;
      readonly expiresInMs?: number | undefined;
      readonly isTimer?: true;
    },
    told: Partial<EventData["node_wait"]> = {},
  ): void {
    const { path } = place;
    const { action, message, parameters, responseSchema, expiresInMs, isTimer } = question;
    const callId = this.#flow.book.port.ask({
      key: path,
      name: path,
      action,
      message,
      parameters,
      ...(responseSchema !== undefined && { responseSchema }),
      ...(expiresInMs !== undefined && { expiresInMs }),
      ...(isTimer === true && { isTimer }),
    });
    this.waiting.set(path, place);
    this.#flow.book.write(path, { ...record, status: "waiting", wait: { type, call_id: callId } });
    if (isSilent(type)) return;
    this.#flow.book.emitOnCommit({
      type: "node_wait",
      data: {
        node_id: path,
        wait: type === "budget" ? "gate" : type,
        call_id: callId,
        ...told,
        ...(expiresInMs !== undefined && { expires_at: this.#flow.book.port.now + expiresInMs }),
      },
    });
  }

  sleep(
    place: Place,
    record: NodeRecord,
    type: WaitType,
    {
      ms,
      message,
      told = {},
    }: { readonly ms: number; readonly message: string; readonly told?: Partial<EventData["node_wait"]> },
  ): void {
    const parameters = { node_id: place.path };
    this.#ask(place, record, type, { action: type, message, parameters, expiresInMs: ms, isTimer: true }, told);
  }

  askForBudget(place: Place, record: NodeRecord, { message }: NodeFailure): void {
    const limit = this.#flow.book.known.budget_limit ?? this.#flow.book.known.workflow.budget?.max_cost_microcents ?? 0;
    const parameters = { node_id: place.path, limit_microcents: limit, proposed_limit_microcents: limit * 2 };
    const spent_microcents = this.#flow.book.port.spentMicrocents;
    const told = { gate_type: "budget", message, limit_microcents: limit, spent_microcents };
    this.#ask(place, record, "budget", { action: "budget", message, parameters }, told);
  }

  /** Asks about a node that was interrupted while it called a tool that may not be repeated. */
  askWhatHappened(place: Place, record: NodeRecord): void {
    const tools = [...new Set(record.calls?.map(({ tool_id }) => tool_id))].join(", ");
    const message = `The process died while node ${place.path} called ${tools}. Supply the output of the node if the call took effect, approve to run the node again, or deny to count it as failed.`;
    const parameters = { node_id: place.path, calls: (record.calls ?? []) as unknown as Json };
    this.#ask(place, record, "unknown_outcome", { action: "unknown_outcome", message, parameters }, { message });
  }

  async takeAnswer(news: Extract<ProgramNews, { type: "answered" }>): Promise<void> {
    if (news.key === UPGRADE) return this.#flow.holds.takeUpgrade(news);
    const place = this.waiting.get(news.key);
    if (place === undefined) return;
    this.waiting.delete(news.key);
    const record = this.#flow.book.recordOf(place);
    const { action, result, reason, decidedBy } = news;
    const wait = record.wait?.type ?? "gate";
    const decision = wait === "gate" || wait === "budget" ? decisionOn(place, action) : undefined;
    this.#resumed(place, wait, { decision, result, decided_by: decidedBy });
    const isYes = action === "resume";
    switch (wait) {
      case "event":
        return this.#flow.nodes.settle(place, {
          ...record,
          status: "completed",
          output: isYes ? (result ?? null) : null,
        });
      case "budget": {
        if (!isYes) throw new RunFailed(budgetExceeded(reason), place.path);
        const asked = news.arguments ?? result;
        const named = (asked as { readonly limit_microcents?: unknown } | undefined)?.limit_microcents;
        const before =
          this.#flow.book.known.budget_limit ?? this.#flow.book.known.workflow.budget?.max_cost_microcents ?? 0;
        const limit = typeof named === "number" && named > 0 ? named : before * 2;
        await this.#flow.book.port.raiseBudget(limit);
        this.#flow.book.state = { ...this.#flow.book.known, budget_limit: limit };
        this.#flow.book.change([ops.set(["budget_limit"], limit)]);
        return this.#flow.nodes.again(place);
      }
      case "unknown_outcome": {
        if (!isYes) return this.#flow.nodes.giveUp(place, record, deniedAfterCrash(place.path, reason));
        if (result !== undefined)
          return this.#flow.nodes.settle(place, { ...record, status: "completed", output: result });
        const { calls: _calls, ...cleared } = record;
        this.#flow.book.write(place.path, cleared);
        return this.#flow.nodes.again(place);
      }
      default: {
        const output: JsonObject = {
          decision: decisionOn(place, action),
          ...(decidedBy !== undefined && { decided_by: decidedBy }),
          ...(result !== undefined && { payload: result }),
          ...(reason !== undefined && { comment: reason }),
        };
        return this.#flow.nodes.settle(place, { ...record, status: "completed", output });
      }
    }
  }

  takeExpiry(key: string): void {
    if (key === DEADLINE) throw this.#flow.holds.tooLate();
    const place = this.waiting.get(key);
    if (place === undefined) return;
    this.waiting.delete(key);
    const record = this.#flow.book.recordOf(place);
    const wait = record.wait?.type ?? "gate";
    const isApproved = place.vertex.node.type === "human_gate" && place.vertex.node.timeout_action === "approve";
    if (!isSilent(wait)) this.#resumed(place, wait, isApproved ? { decision: "approved", decided_by: "timeout" } : {});
    if (wait === "sleep") return this.#flow.nodes.settle(place, { ...record, status: "completed", output: null });
    if (isSilent(wait) || wait === "media_job") return this.#flow.nodes.again(place);
    const { node } = place.vertex;
    if (node.type === "human_gate" && node.timeout_action === "approve") {
      const output = { decision: "approved", decided_by: "timeout" };
      return this.#flow.nodes.settle(place, { ...record, status: "completed", output });
    }
    const message = `${wait === "gate" ? "Nobody decided about" : "The event did not come for"} node ${place.path} in time.`;
    this.#flow.nodes.fail(place, record, { error: { code: "run_timeout", message, retryable: false } });
  }

  #resumed({ path }: Place, wait: WaitType, { decision, result, decided_by }: Answer = {}): void {
    this.#flow.book.emitOnCommit({
      type: "node_resume",
      data: {
        node_id: path,
        wait: wait === "budget" || isSilent(wait) ? "gate" : wait,
        ...(decision !== undefined && { decision }),
        ...(result !== undefined && { result }),
        ...(decided_by !== undefined && { decided_by }),
      },
    });
  }

  async delegate(): Promise<void> {
    const asked = this.toDelegate.splice(0);
    this.#flow.book.flush();
    this.#flow.book.isDirty = false;
    this.#flow.book.owes = false;
    const started = await this.#flow.book.port.startRuns(
      asked.map(({ path, agentId, prompt }) => ({ key: path, agentId, prompt })),
    );
    this.#flow.book.isDirty = true;
    for (const [index, child] of started.entries()) {
      const place = asked[index];
      if (place === undefined) continue;
      const record = this.#flow.book.recordOf(place);
      if ("error" in child) {
        this.#flow.nodes.fail(place, record, { error: { code: "validation", message: child.error, retryable: false } });
        continue;
      }
      this.waiting.set(place.path, place);
      this.#flow.book.write(place.path, { ...record, status: "waiting", wait: { type: "run", call_id: child.callId } });
      const told = { node_id: place.path, wait: "run", call_id: child.callId, child_run_id: child.runId } as const;
      this.#flow.book.emitOnCommit({ type: "node_wait", data: told });
    }
  }

  takeChild({ key, end }: Extract<ProgramNews, { type: "child" }>): void {
    const place = this.waiting.get(key);
    if (place === undefined) return;
    this.waiting.delete(key);
    const record = this.#flow.book.recordOf(place);
    this.#resumed(place, "run");
    if (end.status === "completed") {
      const { output: text = "" } = end;
      const output = place.vertex.type === "subworkflow" ? readJson(text) : text;
      return this.#flow.nodes.settle(place, { ...record, status: "completed", output });
    }
    const message = end.error ?? `The run below node ${place.path} was stopped.`;
    this.#flow.nodes.fail(place, record, { error: { code: "tool_failed", message, retryable: true } });
  }
}

/** A run answers with text. That of a workflow is JSON, unless its output is a text. */
function readJson(text: string): Json {
  try {
    return JSON.parse(text) as Json;
  } catch {
    return text;
  }
}

function budgetExceeded(reason: string | undefined): NodeFailure {
  const message = `The budget of the run is spent, and no more was granted.${reason === undefined ? "" : ` ${reason}`}`;
  return { code: "budget_exceeded", message, retryable: false };
}

function deniedAfterCrash(path: string, reason: string | undefined): NodeFailure {
  const why = reason === undefined ? "" : ` ${reason}`;
  return { code: "tool_failed", message: `Node ${path} was interrupted and counts as failed.${why}`, retryable: false };
}

/** What is told of the end of a wait. */
type Answer = {
  readonly [Name in "decision" | "result" | "decided_by"]?: EventData["node_resume"][Name] | undefined;
};

/** Waits of the run's own making, which are told of in other words or not at all. */
function isSilent(wait: WaitType): wait is "retry" | "rate_limit" {
  return wait === "retry" || wait === "rate_limit";
}

/** What an answer means at a gate. */
function decisionOn({ vertex }: Place, action: "resume" | "cancel"): "approved" | "rejected" | "input_provided" {
  if (action === "cancel") return "rejected";
  return vertex.node.type === "human_gate" && vertex.node.gate_type === "input" ? "input_provided" : "approved";
}
