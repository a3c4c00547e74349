/**
 * Reads server-sent events. Text comes in pieces cut anywhere; what comes out is the data of each complete event. Names, ids
 * and comments are left out: nobody here needs them.
 */
export class EventStream {
  #rest = "";
  #data: string | undefined;
  #isBegun = false;

  /** Takes text in and returns the data of every event it completes, in order. */
  push(piece: string): readonly string[] {
    let text = this.#rest + piece;
    if (!this.#isBegun && text !== "") {
      if (text.charCodeAt(0) === BYTE_ORDER_MARK) text = text.slice(1);
      this.#isBegun = true;
    }
    if (text.includes("\r")) {
      // A return at the very end may be the first half of a line end.
      const isSplit = text.endsWith("\r");
      text = (isSplit ? text.slice(0, -1) : text).replaceAll(/\r\n?/g, "\n") + (isSplit ? "\r" : "");
    }
    const events: string[] = [];
    let from = 0;
    for (let to = text.indexOf("\n"); to !== -1; to = text.indexOf("\n", from)) {
      this.#takeLine(text, from, to, events);
      from = to + 1;
    }
    this.#rest = text.slice(from);
    return events;
  }

  /** The data of an event that the stream's end cut off before its blank line: many servers leave that out at the very end. */
  end(): readonly string[] {
    return this.push("\n\n");
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

/** What a line says about a field whose name ends at `at`; undefined when the name goes on there. */
function readValue(text: string, at: number, to: number): string | undefined {
  if (at === to) return "";
  if (text.charCodeAt(at) !== COLON) return undefined;
  return text.slice(text.charCodeAt(at + 1) === SPACE ? at + 2 : at + 1, to);
}
