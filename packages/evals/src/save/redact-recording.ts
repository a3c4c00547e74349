import { type Env, type Message, redactCredentials } from "@reprise/contracts";
import { alterRecording, type RunRecording } from "@reprise/runtime";
import { isJson, type Json } from "@reprise/state";
import { DEFAULT_RULES, type RedactionRule, SECRET_FIELDS } from "./redaction-rules.ts";

export interface RedactionOptions {
  /** Beside the built-in ones. */
  readonly rules?: readonly RedactionRule[];
  /** Names of fields whose values are taken out, beside those that name a secret. */
  readonly fields?: readonly string[];
  /** Texts to take out wherever they stand, such as the name of a customer. */
  readonly texts?: readonly string[];
}

export interface RedactedRecording {
  readonly recording: RunRecording;
  readonly replaced: { readonly [rule: string]: number };
}

/** Shorter values of secret fields are words like `none`, and would be taken out of everything. */
const SHORTEST_SECRET = 6;

/**
 * Takes personal data and secrets out of a recording, in every place where it repeats them: messages, state, events, effects and long
 * texts. Pieces of a streamed text are joined first, so that nothing hides in two halves. The recording is sealed anew.
 */
export function redactRecording(recording: RunRecording, options: RedactionOptions, env: Env): RedactedRecording {
  const redactor = new Redactor(recording, options);
  const streamed = redactor.spreadStreams(recording);
  return { recording: alterRecording(streamed, (text) => redactor.redact(text), env), replaced: redactor.replaced };
}

class Redactor {
  readonly #rules: readonly RedactionRule[];
  readonly #literals: readonly string[];
  readonly #kept: ReadonlySet<string>;
  readonly #names = new Map<string, string>();
  readonly #counts = new Map<string, number>();

  constructor(recording: RunRecording, { rules = [], fields = [], texts = [] }: RedactionOptions) {
    this.#rules = [...rules, ...DEFAULT_RULES];
    const names = new Set(fields);
    const found = new Set<string>(texts.filter((text) => text !== ""));
    // A recording is JSON, which its interface hides.
    collectFields(recording as unknown as Json, (name) => SECRET_FIELDS.test(name) || names.has(name), found);
    // The longest first, so that one that begins with another is taken out as a whole.
    this.#literals = [...found].sort((one, other) => other.length - one.length);
    this.#kept = idsOf(recording);
  }

  get replaced(): { readonly [rule: string]: number } {
    return Object.fromEntries(this.#counts);
  }

  redact(text: string): string {
    if (this.#kept.has(text)) return text;
    let shown = text;
    for (const literal of this.#literals) {
      if (shown.includes(literal)) shown = shown.replaceAll(literal, this.#nameOf("field", literal));
    }
    for (const { name, pattern } of this.#rules) {
      shown = shown.replace(new RegExp(pattern.source, withGlobal(pattern.flags)), (found) =>
        this.#nameOf(name, found),
      );
    }
    // What stands in for something is no credential, whatever the field before it is called.
    const safe = shown
      .split(STAND_IN)
      .map((part, index) => (index % 2 === 0 ? redactCredentials(part) : part))
      .join("");
    if (safe !== shown) this.#nameOf("credential", shown);
    return safe;
  }

  /**
   * Redacts what was streamed as a whole. The first piece that a redacted text touches takes the whole of what stands in its place; the
   * number of the pieces and their order stay.
   */
  spreadStreams(recording: RunRecording): RunRecording {
    return {
      ...recording,
      changesets: recording.changesets.map((changeset) => {
        const pieces = new Map<string, { readonly index: number; readonly text: string }[]>();
        for (const [index, event] of changeset.events.entries()) {
          const key = streamOf(event);
          const { text } = pieceOf(event) ?? {};
          if (key === undefined || text === undefined) continue;
          pieces.set(key, [...(pieces.get(key) ?? []), { index, text }]);
        }
        const events = [...changeset.events];
        for (const stream of pieces.values()) {
          const whole = stream.map(({ text }) => text).join("");
          const redacted = this.redact(whole);
          if (redacted === whole) continue;
          for (const [position, { index }] of stream.entries()) {
            const event = events[index];
            if (event !== undefined) events[index] = withPiece(event, position === 0 ? redacted : "");
          }
        }
        return { ...changeset, events };
      }),
    };
  }

  #nameOf(rule: string, found: string): string {
    const key = `${rule}\n${found}`;
    const known = this.#names.get(key);
    if (known !== undefined) return known;
    const count = (this.#counts.get(rule) ?? 0) + 1;
    this.#counts.set(rule, count);
    const name = `[redacted:${rule}:${count}]`;
    this.#names.set(key, name);
    return name;
  }
}

/** In a group of its own, so that splitting a text keeps it. */
const STAND_IN = /(\[redacted:[^\]\n]{1,64}\])/;

type RecordedEvent = RunRecording["changesets"][number]["events"][number];

function streamOf(event: RecordedEvent): string | undefined {
  const piece = pieceOf(event);
  return piece === undefined ? undefined : `${event.run_id} ${event.step_id ?? ""} ${piece.of}`;
}

function pieceOf(event: RecordedEvent): { readonly of: string; readonly text: string } | undefined {
  switch (event.type) {
    case "text_delta":
    case "reasoning_delta":
      return { of: event.type, text: event.data.delta };
    case "tool_call_delta":
      return { of: `${event.type} ${event.data.id}`, text: event.data.args_delta };
    default:
      return undefined;
  }
}

function withPiece(event: RecordedEvent, text: string): RecordedEvent {
  switch (event.type) {
    case "text_delta":
    case "reasoning_delta":
      return { ...event, data: { delta: text } };
    case "tool_call_delta":
      return { ...event, data: { ...event.data, args_delta: text } };
    default:
      return event;
  }
}

/** Ids that the loop makes or compares. They name nobody, and one that looks like a number of a card must stay. */
function idsOf({ run, changesets, base }: RunRecording): ReadonlySet<string> {
  const ids = new Set([run.run_id, run.thread_id, run.agent_id]);
  const say = ({ id }: Pick<Message, "id">): unknown => ids.add(id);
  base.messages.forEach(say);
  for (const { changeset_id, messages, calls, digest } of changesets) {
    ids.add(changeset_id).add(digest);
    messages.forEach(say);
    for (const { call_id, step_id, tool_id } of calls) ids.add(call_id).add(step_id).add(tool_id);
  }
  return ids;
}

/** The texts under fields with such names, also in JSON that is the text of a field. */
function collectFields(value: Json, isSecret: (name: string) => boolean, found: Set<string>): void {
  if (typeof value === "string") {
    const inner = value.startsWith("{") || value.startsWith("[") ? parseOrNothing(value) : undefined;
    if (inner !== undefined) collectFields(inner, isSecret, found);
    return;
  }
  if (typeof value !== "object" || value === null) return;
  if (Array.isArray(value)) {
    for (const item of value) collectFields(item, isSecret, found);
    return;
  }
  for (const [name, item] of Object.entries(value)) {
    if (typeof item === "string" && item.length >= SHORTEST_SECRET && isSecret(name)) found.add(item);
    else collectFields(item, isSecret, found);
  }
}

function parseOrNothing(text: string): Json | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isJson(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

function withGlobal(flags: string): string {
  return flags.includes("g") ? flags : `${flags}g`;
}
