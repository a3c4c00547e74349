/** A JSON object while it is written, piece by piece. Each piece is looked at once: a model decides how many there are. */
export class WrittenObject {
  #text = "";
  #depth = 0;
  #isInString = false;
  #isEscaped = false;
  /** Where the last brace of the object is; what follows must be blank. */
  #stage: "before" | "inside" | "after" | "broken" = "before";
  #isWhole: boolean | undefined;

  get text(): string {
    return this.#text;
  }

  /** Whether the object is there to its last brace: nothing that may follow could belong to it. */
  get isWhole(): boolean {
    // What follows is blank, so the answer stays the same.
    if (this.#stage === "after") this.#isWhole ??= isJson(this.#text);
    return this.#stage === "after" && this.#isWhole === true;
  }

  add(piece: string): void {
    this.#text += piece;
    for (let at = 0; at < piece.length && this.#stage !== "broken"; at++) this.#take(piece.charCodeAt(at));
  }

  #take(code: number): void {
    if (this.#stage === "inside") this.#takeInside(code);
    else if (code === OPEN_BRACE && this.#stage === "before") {
      this.#stage = "inside";
      this.#depth = 1;
    } else if (!isBlank(code)) this.#stage = "broken";
  }

  #takeInside(code: number): void {
    if (this.#isInString) {
      if (this.#isEscaped) this.#isEscaped = false;
      else if (code === BACKSLASH) this.#isEscaped = true;
      else if (code === QUOTE) this.#isInString = false;
    } else if (code === QUOTE) this.#isInString = true;
    else if (code === OPEN_BRACE || code === OPEN_BRACKET) this.#depth += 1;
    else if (code === CLOSE_BRACE || code === CLOSE_BRACKET) {
      this.#depth -= 1;
      if (this.#depth === 0) this.#stage = "after";
    }
  }
}

const OPEN_BRACE = 0x7b;
const CLOSE_BRACE = 0x7d;
const OPEN_BRACKET = 0x5b;
const CLOSE_BRACKET = 0x5d;
const QUOTE = 0x22;
const BACKSLASH = 0x5c;

function isBlank(code: number): boolean {
  return code === 0x20 || code === 0x0a || code === 0x0d || code === 0x09;
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
