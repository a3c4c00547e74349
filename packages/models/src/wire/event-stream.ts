/**
 * Reads server-sent events. Text comes in pieces cut anywhere; what comes out is the data of each complete event. Names, ids
 * and comments are left out, because no reader needs them.
 */
export class EventStream {
  /** The line that has begun. It is only added to: looked at piece by piece, a long line would be read again with every piece. */
  #rest = "";
  #data: string | undefined;
  #isBegun = false;
  #isAfterReturn = false;

  /** How much of an event that is not complete is held, in characters. */
  get held(): number {
    return this.#rest.length + (this.#data?.length ?? 0);
  }

  /** Takes text in and returns the data of every event it completes, in order. */
  push(piece: string): readonly string[] {
    if (piece === "") return [];
    const text = this.#normalize(piece);
    const events: string[] = [];
    let from = 0;
    for (let to = text.indexOf("\n"); to !== -1; to = text.indexOf("\n", from)) {
      if (this.#rest === "") this.#takeLine(text, from, to, events);
      else {
        const line = this.#rest + text.slice(from, to);
        this.#rest = "";
        this.#takeLine(line, 0, line.length, events);
      }
      from = to + 1;
    }
    this.#rest += text.slice(from);
    return events;
  }

  /** The data of an event that the stream's end cut off before its blank line: many servers leave that out at the very end. */
  end(): readonly string[] {
    return this.push("\n\n");
  }

  /** The same text with one kind of line end. A return ends its line at once; a newline right after it belongs to it. */
  #normalize(piece: string): string {
    const isHalf = this.#isAfterReturn && piece.startsWith("\n");
    const isMarked = !this.#isBegun && piece.charCodeAt(0) === BYTE_ORDER_MARK;
    this.#isBegun = true;
    this.#isAfterReturn = piece.endsWith("\r");
    const text = isHalf || isMarked ? piece.slice(1) : piece;
    return text.includes("\r") ? text.replaceAll(/\r\n?/g, "\n") : text;
  }

  #takeLine(text: string, from: number, to: number, events: string[]): void {
    if (to === from) {
      if (this.#data !== undefined) events.push(this.#data);
      this.#data = undefined;
    } else if (text.startsWith("data", from)) {
      const value = readValue(text, from + 4, to);
      if (value !== undefined) this.#data = this.#data === undefined ? value : `${this.#data}\n${value}`;
    }
  }
}

const BYTE_ORDER_MARK = 0xfeff;
const COLON = 0x3a;
const SPACE = 0x20;

/** What a line says about a field whose name ends at `at`; undefined when the name continues there. */
function readValue(text: string, at: number, to: number): string | undefined {
  if (at === to) return "";
  if (text.charCodeAt(at) !== COLON) return undefined;
  return text.slice(text.charCodeAt(at + 1) === SPACE ? at + 2 : at + 1, to);
}
