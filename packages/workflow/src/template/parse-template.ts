import { findNearest } from "@reprise/contracts/shape";
import {
  TEMPLATE_FILTERS,
  type Template,
  type TemplateFilter,
  type TemplatePart,
  type TemplateSlot,
} from "./template.ts";

/** A template that cannot be parsed. */
export interface TemplateProblem {
  /** The end of a sentence: `unterminated {{ at character 5`. */
  readonly message: string;
  readonly offset: number;
}

export type ParsedTemplate = { readonly template: Template } | { readonly problem: TemplateProblem };

/** Most templates are parsed for every execution of their node. */
const parsed = new Map<string, ParsedTemplate>();
const MAX_PARSED = 1_000;

/** Parses a text. Without `{{` it is itself. `{{ "{{" }}` stands for the two braces. */
export function parseTemplate(text: string): ParsedTemplate {
  const known = parsed.get(text);
  if (known !== undefined) return known;
  const result = parse(text);
  if (parsed.size >= MAX_PARSED) parsed.delete(parsed.keys().next().value ?? "");
  parsed.set(text, result);
  return result;
}

function parse(text: string): ParsedTemplate {
  const parts: TemplatePart[] = [];
  let at = 0;
  for (;;) {
    const open = text.indexOf("{{", at);
    if (open === -1) break;
    if (open > at) parts.push({ text: text.slice(at, open) });
    const reader = new SlotReader(text, open + 2);
    const slot = reader.readSlot(open);
    if (typeof slot === "string") return { problem: { message: slot, offset: open } };
    parts.push(slot);
    at = reader.at;
  }
  if (at < text.length) parts.push({ text: text.slice(at) });
  return { template: { parts } };
}

const WORD = /[A-Za-z0-9_-]/;

/** Reads one `{{ … }}`. Whatever it cannot read is answered with a message. */
class SlotReader {
  readonly #text: string;
  at: number;

  constructor(text: string, at: number) {
    this.#text = text;
    this.at = at;
  }

  readSlot(offset: number): TemplateSlot | string {
    this.#skipSpace();
    const value = this.#peek() === '"' ? this.#readLiteral() : this.#readReference();
    if (typeof value === "string") return value;
    const filters: TemplateFilter[] = [];
    for (;;) {
      this.#skipSpace();
      if (this.#text.startsWith("}}", this.at)) {
        this.at += 2;
        return { value, filters, offset };
      }
      if (this.#peek() === undefined) return "`{{` has no `}}`";
      if (this.#peek() !== "|") return `${this.#describeNext()} is not expected in \`{{ … }}\``;
      this.at += 1;
      const filter = this.#readFilter();
      if (typeof filter === "string") return filter;
      filters.push(filter);
    }
  }

  #readLiteral(): { readonly literal: string } | string {
    const literal = this.#readString();
    return literal === undefined ? "a string has no end" : { literal };
  }

  #readReference(): { readonly root: string; readonly segments: readonly (string | number)[] } | string {
    const root = this.#readWord();
    if (root === "") return this.#peek() === undefined ? "`{{` has no `}}`" : this.#expectedReference();
    const segments: (string | number)[] = [];
    for (;;) {
      if (this.#peek() === ".") {
        this.at += 1;
        const name = this.#readWord();
        if (name === "") return "a name is expected after the dot";
        segments.push(name);
      } else if (this.#peek() === "[") {
        const segment = this.#readBracket();
        if (segment === undefined) return 'a string or a whole number is expected in brackets, as in `["a"]` or `[0]`';
        segments.push(segment);
      } else return { root, segments };
    }
  }

  #expectedReference(): string {
    return this.#text.startsWith("}}", this.at)
      ? "`{{ }}` is empty; a reference is expected, as in `{{ inputs.name }}`"
      : `a reference is expected, as in \`{{ inputs.name }}\` (got ${this.#describeNext()})`;
  }

  #readBracket(): string | number | undefined {
    this.at += 1;
    this.#skipSpace();
    const segment = this.#peek() === '"' ? this.#readString() : this.#readIndex();
    this.#skipSpace();
    if (segment === undefined || this.#peek() !== "]") return undefined;
    this.at += 1;
    return segment;
  }

  #readIndex(): number | undefined {
    const digits = this.#readWord();
    return /^\d{1,9}$/.test(digits) ? Number(digits) : undefined;
  }

  #readFilter(): TemplateFilter | string {
    this.#skipSpace();
    const name = this.#readWord();
    const known = TEMPLATE_FILTERS.find((each) => each === name);
    if (known === undefined) {
      const nearest = findNearest(name, TEMPLATE_FILTERS);
      const hint =
        nearest === undefined ? `the filters are ${TEMPLATE_FILTERS.join(", ")}` : `the nearest is ${nearest}`;
      return `the filter \`${name}\` is not known (${hint})`;
    }
    if (this.#peek() !== "(")
      return known === "default" ? 'the filter `default` needs a string: `default("…")`' : { name: known };
    if (known !== "default") return `the filter \`${known}\` takes no argument`;
    this.at += 1;
    this.#skipSpace();
    const argument = this.#peek() === '"' ? this.#readString() : undefined;
    this.#skipSpace();
    if (argument === undefined || this.#peek() !== ")") return 'the filter `default` needs a string: `default("…")`';
    this.at += 1;
    return { name: known, argument };
  }

  #readWord(): string {
    const start = this.at;
    while (WORD.test(this.#peek() ?? "")) this.at += 1;
    return this.#text.slice(start, this.at);
  }

  /** A JSON string. */
  #readString(): string | undefined {
    const start = this.at;
    this.at += 1;
    while (this.#peek() !== '"') {
      if (this.#peek() === undefined) return undefined;
      this.at += this.#peek() === "\\" ? 2 : 1;
    }
    this.at += 1;
    try {
      return String(JSON.parse(this.#text.slice(start, this.at)));
    } catch {
      return undefined;
    }
  }

  #skipSpace(): void {
    while (/\s/.test(this.#peek() ?? "")) this.at += 1;
  }

  #peek(): string | undefined {
    return this.#text[this.at];
  }

  #describeNext(): string {
    return JSON.stringify(this.#peek() ?? "");
  }
}
