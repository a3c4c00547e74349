import {
  type AgentEvent,
  awaitsRun,
  type Decision,
  type Effect,
  isOwnQuestion,
  type ModelChunk,
  type StopReason,
  type TokenUsage,
  type ToolCallRecord,
  type ToolResult,
} from "@reprise/contracts";
import { getAt, type Json } from "@reprise/state";
import type { RecordedExecution } from "../run/recorded-world.ts";
import { callIdOf } from "../thread/derived-ids.ts";
import { readEffects } from "./read-effects.ts";
import type { RunRecording } from "./recording.ts";

/** One answer of a model, as the chunks it came in; or the failure it ended with. */
export interface ScriptedAnswer {
  readonly step_id: string;
  /** The model that was wanted. */
  readonly model: string;
  readonly chunks: readonly ModelChunk[];
  readonly failed?: Json;
}

/** One execution of a tool, and its arguments. A call that waited for a run below has the result that it got in the end. */
export interface ScriptedExecution {
  readonly call_id: string;
  readonly tool_id: string;
  readonly arguments: Json;
  readonly execution: RecordedExecution;
}

/** A person's answer, and the question it belongs to. */
export interface ScriptedDecision {
  readonly tool_id: string;
  readonly arguments: Json;
  readonly decision: Decision;
}

/** What a hook recorded, under its place and name. */
export interface ScriptedRecord {
  readonly place: string;
  readonly name: string;
  readonly value: Json;
}

/** Everything a recorded run learned from outside, by order. */
export interface RunScript {
  readonly answers: readonly ScriptedAnswer[];
  readonly executions: readonly ScriptedExecution[];
  readonly decisions: readonly ScriptedDecision[];
  readonly records: readonly ScriptedRecord[];
  /** Kinds of effects that a script has no place for: a run with one can be verified, and not played to another agent. */
  readonly unplayable: readonly string[];
}

/** A composed agent, an agent elsewhere, a program, and media that a model made. */
const UNPLAYABLE: ReadonlySet<string> = new Set(["backend", "delegate", "files", "work"]);

/** Reads a recording as a script: the answers of models, tools, people and hooks, each in its order. */
export function readScript(recording: RunRecording): RunScript {
  const reader = new ScriptReader(recording);
  for (const changeset of recording.changesets) {
    for (const call of changeset.calls) reader.calls.set(call.call_id, call);
    const { effects, events } = readEffects(changeset, recording);
    for (const effect of effects) reader.take(effect, events);
  }
  return reader.script();
}

class ScriptReader {
  readonly calls = new Map<string, ToolCallRecord>();
  readonly #recording: RunRecording;
  readonly #answers: ScriptedAnswer[] = [];
  readonly #executions: ScriptedExecution[] = [];
  readonly #decisions = new Map<string, ScriptedDecision>();
  readonly #records: ScriptedRecord[] = [];
  readonly #unplayable = new Set<string>();
  /** Up to which event the answers of a step were read. */
  readonly #heard = new Map<string, number>();

  constructor(recording: RunRecording) {
    this.#recording = recording;
  }

  take(effect: Effect, events: readonly AgentEvent[]): void {
    if (UNPLAYABLE.has(effect.kind)) this.#unplayable.add(effect.kind);
    if (effect.kind === "turn") this.#takeTurn(effect, events);
    if (effect.kind === "execute") this.#takeExecution(effect);
    if (effect.kind === "inbox") this.#takeInbox(effect);
    const recorded = getAt(effect.value ?? null, ["recorded"]);
    // Written by the port of the phase that recorded.
    if (Array.isArray(recorded)) this.#records.push(...(recorded as unknown as readonly ScriptedRecord[]));
  }

  script(): RunScript {
    return {
      answers: this.#answers,
      executions: this.#executions,
      decisions: [...this.#decisions.values()],
      records: this.#records,
      unplayable: [...this.#unplayable],
    };
  }

  #takeTurn({ of, seq = 0, value = null, failed }: Effect, events: readonly AgentEvent[]): void {
    // Written by `ModelTurn`.
    const facts = value as unknown as StoredTurn;
    const from = this.#heard.get(of) ?? 0;
    this.#heard.set(of, seq);
    // A call by hand, and a request that was refused before a model was asked, leave no attempt.
    if (!facts.attempts?.some(({ outcome }) => outcome !== "skipped")) return;
    const shown = events.filter((event) => event.step_id === of && isWithin(event, from, seq));
    const said = facts.held === undefined ? readShown(shown, of, facts) : readHeld(facts.held);
    const finish = { type: "finish", stop_reason: facts.stop_reason ?? "end_turn", ...usageOf(facts) } as const;
    const chunks = failed === undefined ? [...said, finish] : said;
    this.#answers.push({ step_id: of, model: facts.model, chunks, ...(failed !== undefined && { failed }) });
  }

  #takeExecution({ of, value = null, failed }: Effect): void {
    const call = this.calls.get(of);
    if (call === undefined) return;
    const { tool_id, arguments: given } = call;
    const last = awaitsRun({ ticket: suspensionOf(value) }) ? this.#endOf(of) : undefined;
    const execution = failed !== undefined ? { failed } : { value: last === undefined ? value : { result: last } };
    this.#executions.push({ call_id: of, tool_id, arguments: given, execution });
  }

  #takeInbox({ value = null }: Effect): void {
    // Written by `readInbox`.
    const decisions = (getAt(value, ["decisions"]) ?? []) as unknown as readonly Decision[];
    for (const decision of decisions) {
      const call = this.calls.get(decision.call_id);
      if (call === undefined || isOwnQuestion(call) || awaitsRun(call)) continue;
      const { tool_id, arguments: given } = call;
      this.#decisions.set(`${decision.call_id} ${decision.suspension}`, { tool_id, arguments: given, decision });
    }
  }

  /** The result that a call had in the end. */
  #endOf(callId: string): Json | undefined {
    const results = this.#recording.changesets
      .flatMap(({ events }) => events)
      .flatMap((event) => (event.type === "tool_call_done" && event.data.id === callId ? [event.data] : []));
    const last: ToolResult | undefined = results.findLast(({ outcome }) => outcome !== "suspended")?.result;
    // A result is JSON, which its interface hides.
    return last as unknown as Json | undefined;
  }
}

interface StoredTurn {
  readonly model: string;
  readonly attempts?: readonly { readonly outcome: string }[];
  readonly calls: readonly { readonly provider_id: string; readonly problem?: string }[];
  readonly stop_reason?: StopReason;
  readonly usage?: TokenUsage;
  readonly held?: {
    readonly text: string;
    readonly reasoning: string;
    readonly encrypted?: string;
    readonly calls: readonly {
      readonly provider_id: string;
      readonly name: string;
      readonly arguments: { readonly ok: boolean; readonly value: Json };
    }[];
  };
}

function usageOf({ usage }: StoredTurn): { readonly usage?: TokenUsage } {
  return usage === undefined ? {} : { usage };
}

function isWithin({ seq = 0 }: AgentEvent, from: number, to: number): boolean {
  return seq > from && seq <= to;
}

/** The chunks that events showed. What a restart withdrew is left out. */
function readShown(events: readonly AgentEvent[], stepId: string, facts: StoredTurn): readonly ModelChunk[] {
  let chunks: ModelChunk[] = [];
  let ready = 0;
  for (const event of events) {
    switch (event.type) {
      case "step_reset":
        chunks = [];
        break;
      case "text_delta":
        chunks.push({ type: "text_delta", delta: event.data.delta });
        break;
      case "reasoning_delta":
        chunks.push({ type: "reasoning_delta", delta: event.data.delta });
        break;
      case "reasoning_encrypted_value":
        chunks.push({ type: "reasoning_encrypted", value: event.data.encrypted_value });
        break;
      case "tool_call_ready": {
        const { provider_id = "", problem } = facts.calls[ready++] ?? {};
        const position = event.data.id.slice(callIdOf(stepId, 0).length - 1);
        const id = provider_id === "" ? `call_${position}` : provider_id;
        const text = problem === undefined ? JSON.stringify(event.data.arguments) : String(event.data.arguments);
        chunks.push(...callChunks(id, event.data.name, text));
        break;
      }
      default:
    }
  }
  return chunks;
}

function readHeld({ text, reasoning, encrypted, calls }: NonNullable<StoredTurn["held"]>): readonly ModelChunk[] {
  return [
    ...(reasoning === "" ? [] : [{ type: "reasoning_delta", delta: reasoning } as const]),
    ...(encrypted === undefined ? [] : [{ type: "reasoning_encrypted", value: encrypted } as const]),
    ...(text === "" ? [] : [{ type: "text_delta", delta: text } as const]),
    ...calls.flatMap(({ provider_id, name, arguments: { ok, value } }) =>
      callChunks(provider_id, name, ok ? JSON.stringify(value) : String(value)),
    ),
  ];
}

function callChunks(id: string, name: string, text: string): readonly ModelChunk[] {
  return [
    { type: "tool_call_start", id, name },
    { type: "tool_call_delta", id, args_delta: text },
    { type: "tool_call_ready", id, name, arguments: text },
  ];
}

/** The question with which an execution ended, if it did. */
function suspensionOf(value: Json): ToolResult["suspension"] {
  // Written by `performCall`.
  return getAt(value, ["result", "suspension"]) as unknown as ToolResult["suspension"];
}
