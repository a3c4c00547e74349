import { type Env, replaceCredentials } from "@reprise/contracts";
import { alterRecording, type RunRecording } from "@reprise/runtime";
import type { Json } from "@reprise/state";
import { findSecrets, secretsInText, spellingsOf } from "./find-secrets.ts";
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

/**
 * Takes personal data and secrets out of a recording, in every place where it repeats them: messages, ids, state, events, effects, long
 * texts and names of properties. What one place says to be a secret is taken out of all others, also where it is a part of something
 * longer. Pieces of a streamed text are joined first, so that nothing hides in two halves. The recording is sealed anew.
 */
export function redactRecording(recording: RunRecording, options: RedactionOptions, env: Env): RedactedRecording {
  const redactor = new Redactor(recording, options);
  const streamed = redactor.spreadStreams(recording);
  return { recording: alterRecording(streamed, (text) => redactor.redact(text), env), replaced: redactor.replaced };
}

interface Literal {
  readonly rule: string;
  readonly text: string;
}

class Redactor {
  readonly #rules: readonly RedactionRule[];
  /** By each of their spellings. */
  readonly #literals = new Map<string, Literal>();
  readonly #anyLiteral: RegExp | undefined;
  readonly #kept: ReadonlySet<string>;
  readonly #names = new Map<string, string>();
  readonly #counts = new Map<string, number>();

  constructor(recording: RunRecording, { rules = [], fields = [], texts = [] }: RedactionOptions) {
    this.#rules = [...rules, ...DEFAULT_RULES].map(({ name, pattern }) => ({
      name,
      pattern: new RegExp(pattern.source, withGlobal(pattern.flags)),
    }));
    this.#kept = namesOfCode(recording);
    // What a rule finds in an id is looked for by itself: ids that are made of it have more behind it.
    for (const id of givenIds(recording)) this.#applyRules(id, (rule, text) => this.#learn(rule, text));
    for (const text of texts) if (text !== "") this.#learn("field", text);
    const names = new Set(fields);
    const isSecret = (name: string): boolean => SECRET_FIELDS.test(name) || names.has(name);
    // A recording is JSON, which its interface hides.
    const found = [
      ...findSecrets(recording as unknown as Json, isSecret),
      ...recording.changesets.flatMap(streamsOf).flatMap(({ whole }) => secretsInText(whole)),
    ];
    for (const { rule, text } of found) this.#learn(rule, text);
    // The longest first, so that one that begins with another is taken out as a whole.
    const literals = [...this.#literals.keys()].sort((one, other) => other.length - one.length);
    if (literals.length > 0) this.#anyLiteral = new RegExp(literals.map(escapePattern).join("|"), "g");
  }

  get replaced(): { readonly [rule: string]: number } {
    return Object.fromEntries(this.#counts);
  }

  redact(text: string): string {
    if (this.#kept.has(text) || HASH.test(text)) return text;
    const literal = this.#anyLiteral;
    const known =
      literal === undefined
        ? text
        : outside(STAND_IN, text, (part) => part.replace(literal, (found) => this.#nameOfLiteral(found)));
    const ruled = this.#applyRules(known, (rule, found) => this.#nameOf(rule, found));
    // What stands in for something is no credential, whatever the field before it is called.
    return outside(STAND_IN, ruled, (part) =>
      replaceCredentials(part, (found) => (STAND_IN.test(found) ? found : this.#nameOf("credential", found))),
    );
  }

  /**
   * Redacts what was streamed as a whole. The first piece that a redacted text touches takes the whole of what stands in its place; the
   * number of the pieces and their order stay.
   */
  spreadStreams(recording: RunRecording): RunRecording {
    return {
      ...recording,
      changesets: recording.changesets.map((changeset) => {
        const events = [...changeset.events];
        for (const { whole, indexes } of streamsOf(changeset)) {
          const redacted = this.redact(whole);
          if (redacted === whole) continue;
          for (const [position, index] of indexes.entries()) {
            const event = events[index];
            if (event !== undefined) events[index] = withPiece(event, position === 0 ? redacted : "");
          }
        }
        return { ...changeset, events };
      }),
    };
  }

  #learn(rule: string, text: string): string {
    for (const spelling of spellingsOf(text))
      if (!this.#literals.has(spelling)) this.#literals.set(spelling, { rule, text });
    return text;
  }

  #applyRules(text: string, standIn: (rule: string, found: string) => string): string {
    let shown = text;
    for (const { name, pattern } of this.#rules)
      shown = outside(NO_DATA, shown, (part) => part.replace(pattern, (found) => standIn(name, found)));
    return shown;
  }

  /** However a text is spelled, it is the same one. */
  #nameOfLiteral(spelling: string): string {
    const { rule, text } = this.#literals.get(spelling) ?? { rule: "field", text: spelling };
    return this.#nameOf(rule, text);
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

/** Each in a group of its own, so that splitting a text keeps it. */
const STAND_IN = /(\[redacted:[^\]\n]{1,64}\])/;
/** And what the runtime makes: a part of such an id is no number of a card. */
const NO_DATA = /(\[redacted:[^\]\n]{1,64}\]|[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}|[0-9a-f]{64})/;
/** Of a content, which nothing can be read from. */
const HASH = /^(?:blob:)?[0-9a-f]{64}$/;

function outside(pieces: RegExp, text: string, change: (part: string) => string): string {
  return text
    .split(pieces)
    .map((part, index) => (index % 2 === 0 ? change(part) : part))
    .join("");
}

type RecordedChangeset = RunRecording["changesets"][number];
type RecordedEvent = RecordedChangeset["events"][number];

/** Texts that were streamed, and the events that they came in. */
function streamsOf({ events }: RecordedChangeset): readonly { readonly whole: string; readonly indexes: number[] }[] {
  const streams = new Map<string, { whole: string; readonly indexes: number[] }>();
  for (const [index, event] of events.entries()) {
    const piece = pieceOf(event);
    if (piece === undefined) continue;
    const key = `${event.run_id} ${event.step_id ?? ""} ${piece.of}`;
    const stream = streams.get(key) ?? { whole: "", indexes: [] };
    stream.whole += piece.text;
    stream.indexes.push(index);
    streams.set(key, stream);
  }
  return [...streams.values()];
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

/** Ids that others chose. The runtime makes its own of them. */
function givenIds({ tenant, run }: RunRecording): readonly string[] {
  const { run_id, thread_id, resource_id, parent_run_id, parent_thread_id } = run;
  return [tenant, run_id, thread_id, resource_id, parent_run_id, parent_thread_id].flatMap((id) => id ?? []);
}

/** What is written in code: names of agents and tools, and the fields of a recording. None is data, and a playing needs them all. */
function namesOfCode(recording: RunRecording): ReadonlySet<string> {
  const { run, request, base, changesets } = recording;
  const rows = changesets.flatMap((changeset) => [changeset, ...Object.values(changeset).flat()]);
  const data = changesets.flatMap(({ events }) => events.map((event) => event.data));
  const fields = [recording, run, request, base, ...rows, ...data].flatMap((row: unknown) =>
    typeof row === "object" && row !== null ? Object.keys(row) : [],
  );
  const calls = changesets.flatMap((changeset) => changeset.calls);
  const tools = calls.flatMap(({ tool_id, tool_version }) => [tool_id, tool_version]);
  return new Set([run.agent_id, ...tools, ...fields]);
}

function escapePattern(text: string): string {
  return text.replaceAll(/[\\^$.*+?()[\]{}|/-]/g, "\\$&");
}

function withGlobal(flags: string): string {
  return flags.includes("g") ? flags : `${flags}g`;
}
