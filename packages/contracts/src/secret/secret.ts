const REDACTED = "[redacted]";

/**
 * A key, a token or a password. However it is printed, logged, stored or sent as JSON, it reads `[redacted]`; only `reveal`
 * gives the text, and only the code that puts it into a header calls that.
 */
export class Secret {
  readonly #text: string;

  constructor(text: string) {
    this.#text = text;
  }

  reveal(): string {
    return this.#text;
  }

  toString(): string {
    return REDACTED;
  }

  toJSON(): string {
    return REDACTED;
  }

  /** For template strings and arithmetic, which ask for a primitive first. */
  [Symbol.toPrimitive](): string {
    return REDACTED;
  }
}

// How Node asks an object to describe itself, for `console.log` among others. The symbol is registered, so that no platform is
// needed to know it.
Object.defineProperty(Secret.prototype, Symbol.for("nodejs.util.inspect.custom"), { value: () => REDACTED });

/** Takes a secret in whichever form it was given. */
export function toSecret(given: Secret | string): Secret {
  return typeof given === "string" ? new Secret(given) : given;
}
