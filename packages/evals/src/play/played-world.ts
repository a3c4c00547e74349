import {
  canonicalJson,
  type Decision,
  describeThrown,
  type LanguageModel,
  type ModelChunk,
  ModelError,
  type ModelErrorKind,
  type ToolCallRecord,
  type ToolDescriptor,
  toolFailure,
} from "@reprise/contracts";
import type { AskedInference, RecordedExecution, RecordedWorld, RunScript, ScriptedAnswer } from "@reprise/runtime";
import { getAt, type Json } from "@reprise/state";
import type { EvalMode } from "./eval-mode.ts";

/** Which tools may really be called. */
export interface LivePermissions {
  /** Reading tools that may be called where nothing was recorded: all of them, or those with these ids. */
  readonly reads: boolean | readonly string[];
  /** Whether tools that change something may be called, in `live`. They do what they always do: nothing here is a sandbox. */
  readonly writes: boolean;
}

export type PlayNoteKind =
  /** A tool was not called, because nothing was recorded for the call and it may not be made. */
  | "refused_call"
  /** A reading tool was really called. */
  | "live_call"
  /** The model was asked more often than it was in the recording. */
  | "no_answer"
  /** Answers that the model was not asked for any more. */
  | "answers_left"
  /** A hook asked for something that was not recorded, and its code was run. */
  | "unrecorded"
  /** A person was asked, and nobody had been. */
  | "asked"
  /** A question stayed open. */
  | "unanswered";

/** Something about the playing of a case that its run does not show. */
export interface PlayNote {
  readonly kind: PlayNoteKind;
  readonly message: string;
  readonly tool?: string;
  readonly arguments?: Json;
}

/** How often the world was really asked, and how often the recording. */
export interface PlayCounts {
  readonly model_calls: number;
  readonly tool_calls: number;
  readonly recorded_answers: number;
  readonly recorded_results: number;
}

type Mutable<Value> = { -readonly [Key in keyof Value]: Value[Key] };

/** Answers out of a recording, as far as a mode says so. Counts what was really asked. */
export class PlayedWorld implements RecordedWorld {
  readonly notes: PlayNote[] = [];
  readonly #mode: Exclude<EvalMode, "verify">;
  readonly #isCut: boolean;
  readonly #live: LivePermissions;
  readonly #answers: readonly ScriptedAnswer[];
  readonly #executions = new Map<string, RecordedExecution[]>();
  readonly #decisions = new Map<string, Decision[]>();
  readonly #records = new Map<string, Json[]>();
  readonly #counts: Mutable<PlayCounts> = { model_calls: 0, tool_calls: 0, recorded_answers: 0, recorded_results: 0 };
  #next = 0;

  constructor(
    script: RunScript,
    {
      mode,
      isCut,
      live,
    }: { readonly mode: Exclude<EvalMode, "verify">; readonly isCut: boolean; readonly live: LivePermissions },
  ) {
    this.#mode = mode;
    this.#isCut = isCut;
    this.#live = live;
    this.#answers = script.answers;
    for (const { tool_id, arguments: given, execution } of script.executions)
      push(this.#executions, keyOf(tool_id, given), execution);
    for (const { tool_id, arguments: given, decision } of script.decisions)
      push(this.#decisions, keyOf(tool_id, given), decision);
    for (const { place, name, value } of script.records) push(this.#records, `${place} ${name}`, value);
  }

  get counts(): PlayCounts {
    return { ...this.#counts };
  }

  /** Says what was left when the run was over. */
  finish(): void {
    const left = this.#answers.length - this.#next;
    if (this.#mode !== "rescript" || left <= 0) return;
    this.#note("answers_left", `The run ended with ${left} of ${this.#answers.length} recorded answers left.`);
  }

  inference({ plugin }: AskedInference): LanguageModel | undefined {
    if (this.#mode !== "rescript") {
      this.#counts.model_calls += 1;
      return undefined;
    }
    if (plugin !== undefined) {
      this.#note("no_answer", `Plugin ${plugin} asks a model something that was not recorded.`);
      return silentModel(`Plugin ${plugin} asked a model something that was not recorded.`);
    }
    const answer = this.#answers[this.#next];
    if (answer !== undefined) {
      this.#next += 1;
      this.#counts.recorded_answers += 1;
      return answeringModel(answer);
    }
    // Where the recording was cut off, the run has shown all that it should.
    if (this.#isCut) return answeringModel(END);
    this.#note(
      "no_answer",
      `The model is asked ${this.#next + 1} times, and ${this.#answers.length} answers were recorded.`,
    );
    return silentModel("The recording has no more answers of the model.");
  }

  execution(call: ToolCallRecord, tool: ToolDescriptor): RecordedExecution | undefined {
    if (this.#mode === "live") return this.#perform(call, tool, this.#live.writes || tool.class === "read_only");
    const recorded = this.#executions.get(keyOf(call.tool_id, call.arguments));
    // The same question is answered the same way again when it changes nothing.
    const mayRepeat = tool.class === "read_only" && recorded?.length === 1;
    const next = mayRepeat ? recorded[0] : recorded?.shift();
    if (next !== undefined) {
      this.#counts.recorded_results += 1;
      return next;
    }
    const { reads } = this.#live;
    const isAllowed = typeof reads === "boolean" ? reads : reads.includes(tool.id);
    return this.#perform(call, tool, this.#mode === "rerun" && tool.class === "read_only" && isAllowed);
  }

  recorded(place: string, name: string): { readonly value: Json } | undefined {
    // A plugin's own question to a model is as live as the agent's.
    if (this.#mode === "live" || (this.#mode === "rerun" && name === "infer")) return undefined;
    const values = this.#records.get(`${place} ${name}`);
    if (values !== undefined && values.length > 0) return { value: values.shift() ?? null };
    if (this.#mode === "rescript") this.#note("unrecorded", `${name} of ${place} was not recorded; its code was run.`);
    return undefined;
  }

  /** The recorded answer to a question about a call. */
  decisionAbout(tool: string, given: Json): Decision | undefined {
    return this.#decisions.get(keyOf(tool, given))?.shift();
  }

  note(kind: PlayNoteKind, message: string, call: Pick<PlayNote, "tool" | "arguments"> = {}): void {
    this.#note(kind, message, call);
  }

  #perform(call: ToolCallRecord, tool: ToolDescriptor, isAllowed: boolean): RecordedExecution | undefined {
    const about = { tool: tool.id, arguments: call.arguments };
    if (isAllowed) {
      this.#counts.tool_calls += 1;
      this.#note("live_call", `${tool.id} was really called.`, about);
      return undefined;
    }
    const why = tool.class === "read_only" ? "No result was recorded for the call" : "The call would change something";
    this.#note("refused_call", `${tool.id} was not called. ${why}, and the evaluation does not allow it.`, about);
    const message = `The tool was not called: nothing was recorded for these arguments.`;
    // A result is JSON, which its interface hides.
    return { value: { result: toolFailure(tool.id, "execution_failed", message) } as unknown as Json };
  }

  #note(kind: PlayNoteKind, message: string, call: Pick<PlayNote, "tool" | "arguments"> = {}): void {
    this.notes.push({ kind, message, ...call });
  }
}

const END: ScriptedAnswer = { step_id: "", model: "", chunks: [{ type: "finish", stop_reason: "end_turn" }] };

function keyOf(tool: string, given: Json): string {
  return `${tool} ${canonicalJson(given)}`;
}

function push<Item>(lists: Map<string, Item[]>, key: string, item: Item): void {
  const list = lists.get(key);
  if (list === undefined) lists.set(key, [item]);
  else list.push(item);
}

/** Says again what a model said. Asked once more for the same inference, it says the same once more. */
function answeringModel({ model, chunks, failed }: ScriptedAnswer): LanguageModel {
  return {
    id: model,
    async *stream(): AsyncGenerator<ModelChunk> {
      yield* chunks;
      if (failed !== undefined) throw failureOf(failed);
    },
  };
}

/** A model that must not be asked. */
export function silentModel(message: string): LanguageModel {
  return {
    id: "recorded",
    // biome-ignore lint/correctness/useYield: it never says anything.
    async *stream(): AsyncGenerator<ModelChunk> {
      throw new ModelError("invalid_request", message);
    },
  };
}

/** A failure as it was stored. One that could be tried again is not: the recording has what came of that. */
function failureOf(stored: Json): ModelError {
  const kind = getAt(stored, ["kind"]);
  const message = getAt(stored, ["message"]);
  const isFinal = kind === "content_filter" || kind === "context_length" || kind === "auth" || kind === "quota";
  return new ModelError(
    isFinal ? (kind as ModelErrorKind) : "invalid_request",
    describeThrown(message ?? "It failed."),
  );
}
