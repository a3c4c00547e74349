import type { AgentEvent, Termination } from "@reprise/contracts";
import { fieldsOf } from "./block.ts";

/** Who did something. */
export type Actor = "person" | "model" | "tool" | "agent" | "runtime" | "plugin";

/** One act of a run, in words. Times are milliseconds since 1970; `seq` is its last event. */
export interface Act {
  readonly id: string;
  readonly actor: Actor;
  readonly text: string;
  readonly from: number;
  readonly to: number;
  readonly firstSeq: number;
  readonly seq: number;
  readonly tone: "plain" | "wait" | "good" | "bad";
  readonly costMicrocents?: number;
  readonly tokens?: number;
  /** What opens when the act is opened: the events it is told from. */
  readonly events: readonly AgentEvent[];
  /** The run of another agent that the act is about. */
  readonly childRunId?: string;
}

/** An act that is being told. */
interface OpenStep {
  readonly start: AgentEvent;
  firstToken: number | undefined;
  readonly events: AgentEvent[];
  readonly asked: string[];
  model: string;
  costMicrocents: number;
  tokens: number;
  failures: number;
}

interface OpenCall {
  readonly name: string;
  readonly events: AgentEvent[];
  from: number;
  /** When it first asked. */
  askedAt?: number;
  /** Since when it waits, until it is decided. */
  suspendedAt: number | undefined;
  /** How long it waited, over all the questions that were answered. */
  waitedMs: number;
  decision: string | undefined;
  /** The run of another agent that does what was asked for. */
  child?: { readonly runId: string; readonly agentId: string };
}

/** Tells a run in sentences, from its events: who acted, why it waited, what it cost. */
export function tellStory(events: readonly AgentEvent[]): readonly Act[] {
  const acts: Act[] = [];
  const calls = new Map<string, OpenCall>();
  let step: OpenStep | undefined;
  let wasStarted = false;
  let lastSeen: AgentEvent | undefined;
  let waited: "decision" | "model" | "agent" | undefined;

  const add = (actor: Actor, text: string, told: readonly AgentEvent[], more: Partial<Act> = {}): void => {
    const [first, last] = [told[0], told.at(-1)];
    if (first === undefined || last === undefined) return;
    acts.push({
      id: `${last.seq ?? acts.length}-${actor}`,
      actor,
      text,
      from: first.timestamp_ms,
      to: last.timestamp_ms,
      firstSeq: first.seq ?? 0,
      seq: last.seq ?? 0,
      tone: "plain",
      events: told,
      ...more,
    });
  };

  const open = (id: string, name: string, from: number): OpenCall => {
    const known = calls.get(id);
    if (known !== undefined) return known;
    const call: OpenCall = { name, events: [], from, suspendedAt: undefined, waitedMs: 0, decision: undefined };
    calls.set(id, call);
    return call;
  };
  for (const event of events) {
    if (event.lineage !== undefined) continue;
    switch (event.type) {
      case "run_start":
        if (!wasStarted) add("runtime", "The run began.", [event]);
        else if (waited === undefined && lastSeen !== undefined && !isAwaitingAgents(calls)) {
          // No wait was announced, so the process before this one did not end the activation itself.
          step = undefined;
          const gap = formatSpan(event.timestamp_ms - lastSeen.timestamp_ms);
          add("runtime", `The process died; another continued after ${gap}.`, [lastSeen, event], { tone: "wait" });
        }
        wasStarted = true;
        waited = undefined;
        break;
      case "step_start":
        step = {
          start: event,
          firstToken: undefined,
          events: [event],
          asked: [],
          model: "",
          costMicrocents: 0,
          tokens: 0,
          failures: 0,
        };
        break;
      case "text_delta":
      case "reasoning_delta":
      case "tool_call_delta":
        if (step !== undefined) step.firstToken ??= event.timestamp_ms;
        break;
      case "tool_call_start":
        if (step !== undefined) step.firstToken ??= event.timestamp_ms;
        step?.asked.push(event.data.name);
        calls.set(event.data.id, {
          name: event.data.name,
          events: [],
          from: event.timestamp_ms,
          suspendedAt: undefined,
          waitedMs: 0,
          decision: undefined,
        });
        break;
      case "tool_call_ready": {
        const call = calls.get(event.data.id);
        if (call !== undefined) {
          call.from = event.timestamp_ms;
          call.events.push(event);
        }
        break;
      }
      case "model_routed":
        if (step !== undefined) {
          step.failures = event.data.chain.filter(({ outcome }) => outcome === "failed").length;
          step.events.push(event);
        }
        break;
      case "cost_recorded":
        if (step !== undefined) {
          step.costMicrocents += event.data.cost_microcents;
          step.events.push(event);
        }
        break;
      case "context_resolved":
        step?.events.push(event);
        break;
      case "inference_complete":
        if (step !== undefined) {
          step.model = event.data.model;
          step.tokens = (event.data.usage?.prompt_tokens ?? 0) + (event.data.usage?.completion_tokens ?? 0);
          step.events.push(event);
        }
        break;
      case "step_reset":
        if (step !== undefined) step.asked.length = 0;
        break;
      case "step_end":
        if (step !== undefined) {
          step.events.push(event);
          const cost = { costMicrocents: step.costMicrocents, tokens: step.tokens };
          add("model", tellStep(step, event.timestamp_ms), step.events, cost);
        }
        step = undefined;
        break;
      case "permission_evaluated":
        calls.get(event.data.id)?.events.push(event);
        if (event.data.decision === "deny")
          add("plugin", `The rule ${event.data.rule ?? "of the default"} refused ${event.data.tool_id}.`, [event], {
            tone: "bad",
          });
        break;
      case "child_run_start": {
        // The run waits for the other one without a word, and begins again when that is over.
        if (event.data.background === true) {
          const child = { childRunId: event.data.child_run_id };
          add("agent", `${event.data.agent_id} began to work in the background.`, [event], child);
          break;
        }
        waited = "agent";
        const asked = open(event.data.id, "agent_run", event.timestamp_ms);
        asked.child = { runId: event.data.child_run_id, agentId: event.data.agent_id };
        asked.events.push(event);
        break;
      }
      case "tool_call_resumed": {
        const call = calls.get(event.data.target_id);
        if (call === undefined) break;
        call.decision = wordOf(event.data.result);
        endWait(call, event.timestamp_ms);
        call.events.push(event);
        break;
      }
      case "tool_call_done": {
        const { id, outcome, result } = event.data;
        const call = open(id, result.tool_name, event.timestamp_ms);
        call.events.push(event);
        if (outcome === "suspended") {
          call.suspendedAt = event.timestamp_ms;
          call.askedAt ??= event.timestamp_ms;
          call.decision = undefined;
          waited = "decision";
          break;
        }
        // One that was never answered waited until its end: it expired, or a new message took its place.
        endWait(call, event.timestamp_ms);
        const told = tellCall(call, event.timestamp_ms, outcome, result.data);
        const { child } = call;
        add(child === undefined ? "tool" : "agent", told.text, call.events, {
          tone: told.tone,
          from: child === undefined ? (call.askedAt ?? call.from) : call.from,
          ...(child !== undefined && { childRunId: child.runId }),
        });
        calls.delete(id);
        break;
      }
      case "model_waiting":
        waited = "model";
        add(
          "runtime",
          `No model could answer (${event.data.reason.replaceAll("_", " ")}); the run waited until ${formatClock(event.data.until)}.`,
          [event],
          { tone: "wait" },
        );
        break;
      case "agent_handoff":
        add("agent", `${event.data.from} handed over to ${event.data.to}.`, [event]);
        break;
      case "budget_warning":
        add(
          "runtime",
          event.data.reason === "near_limit"
            ? "The budget is nearly spent."
            : event.data.reason === "over_limit"
              ? "The budget is spent."
              : "A model without a price was used.",
          [event],
          { tone: "wait" },
        );
        break;
      case "guardrail_tripped":
        add("plugin", `The guardrail ${event.data.guardrail} found something and did: ${event.data.action}.`, [event], {
          tone: "wait",
        });
        break;
      case "compaction_completed":
        add(
          "plugin",
          `${event.data.messages} old messages were summarised: ${event.data.original_tokens} tokens became ${event.data.summary_tokens}.`,
          [event],
        );
        break;
      case "definition_changed":
        add("runtime", `The agent ${event.data.agent_id} was changed while the run waited.`, [event], { tone: "wait" });
        break;
      case "run_finish":
        if (event.data.termination.type === "suspended") {
          const open = [...calls.values()].filter(({ suspendedAt }) => suspendedAt !== undefined);
          add(
            "runtime",
            `The run waits: ${listOf(open.map(({ name }) => name))} ${open.length === 1 ? "needs" : "need"} a decision.`,
            [event],
            { tone: "wait" },
          );
          waited = "decision";
        } else add("runtime", tellEnd(event.data.termination), [event], { tone: toneOf(event.data.termination) });
        break;
      default:
    }
    lastSeen = event;
  }
  for (const { child, events: told, from } of calls.values())
    if (child !== undefined)
      add("agent", `${child.agentId} is at work.`, told, { from, childRunId: child.runId, tone: "wait" });
  // What was announced once is told by what came of it; only the last wait is still one.
  return acts.filter(
    (act, index) => !(act.actor === "runtime" && act.text.startsWith("The run waits:") && index < acts.length - 1),
  );
}

function endWait(call: OpenCall, at: number): void {
  if (call.suspendedAt !== undefined) call.waitedMs += at - call.suspendedAt;
  call.suspendedAt = undefined;
}

/** Whether the run is away because other agents work for it. */
function isAwaitingAgents(calls: ReadonlyMap<string, OpenCall>): boolean {
  return [...calls.values()].some(({ child }) => child !== undefined);
}

function tellStep(step: OpenStep, end: number): string {
  const took = formatSpan(end - step.start.timestamp_ms);
  const cost = step.costMicrocents > 0 ? `, ${money(step.costMicrocents)}` : "";
  const model = step.model === "" ? "" : ` (${step.model}${cost})`;
  const again =
    step.failures === 0 ? "" : ` after ${step.failures} failed ${step.failures === 1 ? "attempt" : "attempts"}`;
  const asked = step.asked.length === 0 ? "" : ` and asked for ${countTools(step.asked)}`;
  return `Model answered in ${took}${model}${again}${asked}.`;
}

const NUMBERS = ["no", "one", "two", "three", "four", "five", "six"];

function countTools(names: readonly string[]): string {
  const [only = ""] = names;
  if (names.length === 1) return only;
  const kinds = [...new Set(names)];
  const count = NUMBERS[names.length] ?? String(names.length);
  if (kinds.length === 1) return `${only} ${count} times`;
  const counted = kinds.map((kind) => [kind, names.filter((name) => name === kind).length] as const);
  return `${count} calls: ${listOf(counted.map(([kind, times]) => (times === 1 ? kind : `${kind} ×${times}`)))}`;
}

function tellCall(
  call: OpenCall,
  end: number,
  outcome: string,
  data: unknown,
): { readonly text: string; readonly tone: Act["tone"] } {
  if (call.child !== undefined && outcome === "succeeded")
    return { text: `${call.child.agentId} worked for ${formatSpan(end - call.from)}.`, tone: "good" };
  // What comes after the decision is the work of the tool, not a wait.
  const waitedFor = call.askedAt === undefined ? "" : ` waited ${formatSpan(call.waitedMs)}`;
  const { code, message } = fieldsOf(fieldsOf(data).error);
  const name = call.child?.agentId ?? call.name;
  if (outcome === "succeeded") {
    if (call.askedAt === undefined) return { text: `${call.name} took ${formatSpan(end - call.from)}.`, tone: "good" };
    return { text: `${call.name}${waitedFor} and was ${call.decision ?? "continued"}.`, tone: "good" };
  }
  if (code === "denied") return { text: `${call.name}${waitedFor} and was denied.`, tone: "bad" };
  if (code === "expired") return { text: `${call.name}${waitedFor}; nobody decided, so it expired.`, tone: "bad" };
  if (code === "superseded") return { text: `${call.name} was withdrawn by a new message.`, tone: "wait" };
  if (outcome === "cancelled") return { text: `${call.name} was cancelled.`, tone: "wait" };
  return { text: `${name} failed: ${typeof message === "string" ? message : "no reason was given"}`, tone: "bad" };
}

/** What a decision said. */
function wordOf(decision: unknown): string {
  const { action, arguments: edited, result, decided_by } = fieldsOf(decision);
  const by = typeof decided_by === "string" ? ` by ${decided_by}` : "";
  if (action === "cancel") return `denied${by}`;
  if (edited !== undefined) return `approved with changed arguments${by}`;
  return result === undefined ? `approved${by}` : `answered${by}`;
}

function tellEnd(termination: Termination): string {
  switch (termination.type) {
    case "natural_end":
      return "The run is done.";
    case "behavior_requested":
      return "A plugin or a tool ended the run.";
    case "stopped":
      return termination.value.code === "superseded"
        ? "A new message took the place of the run."
        : `A stop policy ended the run: ${termination.value.code.replaceAll("_", " ")}.`;
    case "cancelled":
      return "The run was cancelled.";
    case "error":
      return `The run failed: ${termination.value}`;
    case "suspended":
      return "The run waits.";
    default:
      return termination satisfies never;
  }
}

function toneOf({ type }: Termination): Act["tone"] {
  return type === "natural_end" ? "good" : type === "error" ? "bad" : "wait";
}

function listOf(names: readonly string[]): string {
  const kinds = [...new Set(names)];
  return kinds.length < 2 ? (kinds[0] ?? "a call") : `${kinds.slice(0, -1).join(", ")} and ${kinds.at(-1)}`;
}

/** How long something took, in a sentence. */
function formatSpan(ms: number): string {
  if (ms < 1000) return `${Math.max(0, Math.round(ms))} ms`;
  if (ms < 60_000) return `${(ms / 1000).toFixed(1)} s`;
  return ms < 3_600_000 ? `${Math.round(ms / 60_000)} min` : `${(ms / 3_600_000).toFixed(1)} h`;
}

function money(microcents: number): string {
  const dollars = microcents / 100_000_000;
  return `$${dollars >= 0.01 ? dollars.toFixed(2) : dollars.toPrecision(2)}`;
}

function formatClock(time: number): string {
  return new Date(time).toLocaleTimeString([], { hour: "2-digit", minute: "2-digit", second: "2-digit" });
}
