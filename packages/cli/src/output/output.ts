import type { CommandFailure } from "./failure.ts";
import { plainText } from "./plain-text.ts";

/** Where a command writes to. Answers go to standard output, everything else to standard error. */
export interface Streams {
  readonly out: NodeJS.WritableStream;
  readonly error: NodeJS.WritableStream & { readonly isTTY?: boolean };
}

/** What a command says, to people or to programs. */
export class Output {
  readonly isJson: boolean;
  readonly #isVerbose: boolean;
  readonly #streams: Streams;
  #hasProgress = false;

  constructor(streams: Streams, options: { readonly isJson: boolean; readonly isVerbose: boolean }) {
    this.#streams = streams;
    this.isJson = options.isJson;
    this.#isVerbose = options.isVerbose;
  }

  /** Whether a person at a terminal reads this and can be asked. */
  get isPerson(): boolean {
    return !this.isJson && this.#streams.error.isTTY === true && process.stdin.isTTY === true;
  }

  /** The answer: one JSON value for programs, lines for people. */
  answer(value: unknown, lines: () => string): void {
    this.#clearProgress();
    this.#streams.out.write(this.isJson ? `${JSON.stringify(value)}\n` : `${plainText(lines())}\n`);
  }

  /** An answer for programs that is the same for people, as it is: no character of it may be lost. */
  raw(text: string): void {
    this.#clearProgress();
    this.#streams.out.write(text);
  }

  /** A piece of text on its way, for people alone. */
  write(text: string): void {
    this.#clearProgress();
    if (!this.isJson) this.#streams.out.write(plainText(text));
  }

  /** One of many values, for programs alone. */
  record(value: unknown): void {
    if (this.isJson) this.#streams.out.write(`${JSON.stringify(value)}\n`);
  }

  /** Something beside the answer, for people alone. */
  note(text: string): void {
    if (this.isJson) return;
    this.#clearProgress();
    this.#streams.error.write(`${plainText(text)}\n`);
  }

  warn(text: string): void {
    this.#clearProgress();
    this.#streams.error.write(this.isJson ? `${JSON.stringify({ warning: text })}\n` : `warning: ${plainText(text)}\n`);
  }

  /** Progress, shown only at a terminal. */
  progress(text: string): void {
    if (this.isJson || this.#streams.error.isTTY !== true) return;
    this.#streams.error.write(`\r\u001b[K${plainText(text)}`);
    this.#hasProgress = true;
  }

  fail(failure: CommandFailure): void {
    this.#clearProgress();
    const { code, message, remedy, problems } = failure;
    const stack = this.#isVerbose ? stackOf(failure) : undefined;
    if (this.isJson) {
      const error = {
        code,
        message,
        ...(remedy !== undefined && { remedy }),
        ...(problems.length > 0 && { problems }),
      };
      this.#streams.error.write(`${JSON.stringify({ error: { ...error, ...(stack !== undefined && { stack }) } })}\n`);
      return;
    }
    const lines = [
      `error: ${message}`,
      ...problems.map(({ path, message: problem }) => `  ${path === "" ? "" : `${path}: `}${problem}`),
      ...(remedy === undefined ? [] : [remedy]),
      ...(stack === undefined ? [] : [stack]),
    ];
    this.#streams.error.write(`${plainText(lines.join("\n"))}\n`);
  }

  #clearProgress(): void {
    if (this.#hasProgress) this.#streams.error.write("\r\u001b[K");
    this.#hasProgress = false;
  }
}

/** The stack of what really happened. */
function stackOf(failure: CommandFailure): string {
  const origin = failure.cause instanceof Error ? failure.cause : failure;
  return origin.stack ?? origin.message;
}
