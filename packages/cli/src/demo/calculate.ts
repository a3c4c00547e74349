/** The deepest nesting that is read; deeper is a mistake or an attack. */
const MAX_DEPTH = 50;

/** Works out an expression of numbers, `+ - * / % ^` and parentheses. Reads it itself: nothing is ever executed. */
export function calculate(expression: string): number {
  const reader = new Reader(expression);
  const value = readSum(reader, 0);
  reader.assertEnd();
  if (!Number.isFinite(value)) throw new Error(`${expression} has no value: it divides by zero or is too large.`);
  return value;
}

function readSum(reader: Reader, depth: number): number {
  let value = readProduct(reader, depth);
  for (;;) {
    if (reader.take("+")) value += readProduct(reader, depth);
    else if (reader.take("-")) value -= readProduct(reader, depth);
    else return value;
  }
}

function readProduct(reader: Reader, depth: number): number {
  let value = readSigned(reader, depth);
  for (;;) {
    if (reader.take("*")) value *= readSigned(reader, depth);
    else if (reader.take("/")) value /= readSigned(reader, depth);
    else if (reader.take("%")) value %= readSigned(reader, depth);
    else return value;
  }
}

/** A sign binds less than a power: -2^2 is -4. */
function readSigned(reader: Reader, depth: number): number {
  if (depth > MAX_DEPTH) throw new Error("The expression is nested too deeply.");
  if (reader.take("-")) return -readSigned(reader, depth + 1);
  if (reader.take("+")) return readSigned(reader, depth + 1);
  return readPower(reader, depth);
}

/** From the right: 2^3^2 is 2^9. */
function readPower(reader: Reader, depth: number): number {
  const base = readValue(reader, depth);
  return reader.take("^") ? base ** readSigned(reader, depth + 1) : base;
}

function readValue(reader: Reader, depth: number): number {
  if (!reader.take("(")) return reader.number();
  const value = readSum(reader, depth + 1);
  if (!reader.take(")")) throw new Error(`A closing parenthesis is missing ${reader.position}.`);
  return value;
}

class Reader {
  readonly #text: string;
  #at = 0;

  constructor(text: string) {
    this.#text = text;
  }

  get position(): string {
    return this.#at >= this.#text.length
      ? "at the end"
      : `at ${JSON.stringify(this.#text.slice(this.#at, this.#at + 10))}`;
  }

  take(mark: string): boolean {
    this.#skipSpace();
    if (!this.#text.startsWith(mark, this.#at)) return false;
    this.#at += mark.length;
    return true;
  }

  number(): number {
    this.#skipSpace();
    const [digits] = /^(\d+(\.\d*)?|\.\d+)/.exec(this.#text.slice(this.#at)) ?? [];
    if (digits === undefined) throw new Error(`A number is missing ${this.position}.`);
    this.#at += digits.length;
    return Number(digits);
  }

  assertEnd(): void {
    this.#skipSpace();
    if (this.#at < this.#text.length)
      throw new Error(`This is not part of an expression: ${this.#text.slice(this.#at, this.#at + 20)}`);
  }

  #skipSpace(): void {
    while (/\s/.test(this.#text.charAt(this.#at))) this.#at++;
  }
}
