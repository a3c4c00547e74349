import type { ModelChunk } from "@reprise/contracts";
import type { ToolNames } from "../request/tool-names.ts";
import type { ChatCallDelta } from "./chat-wire.ts";
import { WrittenObject } from "./written-object.ts";

/** A call while it is being written. */
interface OpenCall {
  /** Ours: the server's, made up when it gave none, told apart when it gave one twice. */
  readonly id: string;
  readonly name: string;
  readonly serverId: string | undefined;
  readonly index: number | undefined;
  readonly written: WrittenObject;
  isReady: boolean;
}

/** The most calls an answer may have: with every piece, all of them are looked through. */
const MOST_CALLS = 1_000;

/**
 * Puts calls together from their pieces. Servers agree on little here: an index may be missing or always 0, an id may be missing,
 * repeated or new in every piece, all of a call may come at once or letter by letter.
 */
export class CallAssembler {
  readonly #names: ToolNames;
  readonly #calls: OpenCall[] = [];
  readonly #ids = new Set<string>();

  constructor(names: ToolNames) {
    this.#names = names;
  }

  get hasCalls(): boolean {
    return this.#calls.length > 0;
  }

  get hasTooMany(): boolean {
    return this.#calls.length > MOST_CALLS;
  }

  /** Takes one piece in. A piece of a call that was not begun is left out. */
  take(delta: ChatCallDelta, chunks: ModelChunk[]): void {
    const name = delta.function?.name || undefined;
    const given = delta.function?.arguments;
    // Some servers send the arguments as JSON instead of as text that holds JSON.
    const text = typeof given === "object" && given !== null ? JSON.stringify(given) : (given ?? "");
    let call = this.#find(delta, name, text);
    if (call === undefined) {
      if (name === undefined) return;
      // Who begins another call is done with the ones before, if they are whole.
      for (const before of this.#calls) if (!before.isReady && before.written.isWhole) this.#ready(before, chunks);
      call = this.#begin(delta, name);
      chunks.push({ type: "tool_call_start", id: call.id, name: this.#names.fromWire(name) });
    }
    if (text === "" || call.isReady) return;
    call.written.add(text);
    chunks.push({ type: "tool_call_delta", id: call.id, args_delta: text });
  }

  /** The answer is over. One that was cut short may have left its last call half written: that one is not ready. */
  finish(isCutShort: boolean, chunks: ModelChunk[]): void {
    for (const call of this.#calls) {
      if (!call.isReady && (!isCutShort || call.written.isWhole)) this.#ready(call, chunks);
    }
  }

  /** The call a piece belongs to; undefined when it begins another. */
  #find({ index, id }: ChatCallDelta, name: string | undefined, text: string): OpenCall | undefined {
    const last = index == null ? this.#lastOf(id) : this.#calls.findLast((call) => call.index === index);
    if (last === undefined || name === undefined) return last;
    const isOther = name !== last.name || (id != null && id !== "" && id !== last.serverId);
    // A name once more is a repetition, unless there is no index to go by or the call is whole and a new one opens.
    return isOther || index == null || (last.written.isWhole && text.trimStart().startsWith("{")) ? undefined : last;
  }

  #lastOf(id: string | null | undefined): OpenCall | undefined {
    const known = id ? this.#calls.findLast((call) => call.serverId === id) : undefined;
    return known ?? this.#calls.at(-1);
  }

  #begin({ index, id }: ChatCallDelta, name: string): OpenCall {
    const serverId = id || undefined;
    const wanted = serverId ?? `call_${this.#calls.length + 1}`;
    let chosen = wanted;
    for (let count = 2; this.#ids.has(chosen); count++) chosen = `${wanted}_${count}`;
    this.#ids.add(chosen);
    const written = new WrittenObject();
    const call: OpenCall = { id: chosen, name, serverId, index: index ?? undefined, written, isReady: false };
    this.#calls.push(call);
    return call;
  }

  #ready(call: OpenCall, chunks: ModelChunk[]): void {
    call.isReady = true;
    chunks.push({
      type: "tool_call_ready",
      id: call.id,
      name: this.#names.fromWire(call.name),
      arguments: call.written.text,
    });
  }
}
