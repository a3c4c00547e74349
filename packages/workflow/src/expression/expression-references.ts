import type { TemplateReference } from "../template/template.ts";

/** A reference in an expression, as far as it can be read without running it. */
export interface ExpressionReference extends TemplateReference {
  /** It is called as a function, so its last segment may be a method. */
  readonly isCalled: boolean;
}

/** The names whose uses are collected. */
const ROOTS: ReadonlySet<string> = new Set(["inputs", "ctx", "run"]);

/**
 * What an expression reads of `inputs`, `ctx` and `run`, by its tokens: `run.outputs["n"].a`, `inputs?.name`. Where a name is computed, the
 * reference ends before it: `run.outputs[key]` reads all outputs. Strings, comments and regular expressions are skipped.
 */
export function expressionReferences(expression: string): readonly ExpressionReference[] {
  const tokens = tokenize(expression);
  const references: ExpressionReference[] = [];
  for (let index = 0; index < tokens.length; index += 1) {
    const token = tokens[index];
    if (token?.kind !== "name" || !ROOTS.has(token.text)) continue;
    const before = tokens[index - 1]?.text;
    const isKey = tokens[index + 1]?.text === ":" && (before === "{" || before === ",");
    if (before === "." || before === "?." || isKey) continue;
    references.push(readReference(tokens, index));
  }
  return references;
}

function readReference(tokens: readonly Token[], start: number): ExpressionReference {
  const segments: (string | number)[] = [];
  let at = start + 1;
  for (;;) {
    const token = tokens[at];
    const next = tokens[at + 1];
    const opensAfterChain = token?.text === "?." && next?.text === "[";
    const bracket = opensAfterChain ? at + 1 : at;
    if ((token?.text === "." || token?.text === "?.") && next?.kind === "name") {
      segments.push(next.text);
      at += 2;
    } else if (tokens[bracket]?.text === "[" && tokens[bracket]?.kind === "sign") {
      const key = tokens[bracket + 1];
      if ((key?.kind !== "string" && key?.kind !== "number") || tokens[bracket + 2]?.text !== "]") break;
      segments.push(key.kind === "number" ? Number(key.text) : key.text);
      at = bracket + 3;
    } else break;
  }
  return { root: tokens[start]?.text ?? "", segments, isCalled: tokens[at]?.text === "(" };
}

interface Token {
  readonly kind: "name" | "string" | "number" | "sign" | "regex";
  readonly text: string;
}

/** After these a slash begins a regular expression, as it does at the beginning. */
const BEFORE_REGEX: ReadonlySet<string> = new Set(["return", "typeof", "case", "in", "of", "void", "delete"]);

function tokenize(text: string): readonly Token[] {
  const tokens: Token[] = [];
  /** How many braces are open inside of each `${`. */
  const templates: number[] = [];
  let at = 0;
  const readTemplateText = (): void => {
    while (at < text.length && text[at] !== "`") {
      if (text.startsWith("${", at)) {
        at += 2;
        templates.push(0);
        return;
      }
      at += text[at] === "\\" ? 2 : 1;
    }
    at += 1;
  };
  while (at < text.length) {
    const character = text[at] ?? "";
    if (/\s/.test(character)) at += 1;
    else if (text.startsWith("//", at)) at = endOfLine(text, at);
    else if (text.startsWith("/*", at)) at = endOfComment(text, at);
    else if (character === '"' || character === "'") {
      const end = endOfQuoted(text, at, character);
      tokens.push({ kind: "string", text: plainText(text.slice(at + 1, end - 1)) });
      at = end;
    } else if (character === "`") {
      at += 1;
      tokens.push({ kind: "sign", text: "`" });
      readTemplateText();
    } else if (/[A-Za-z_$\u0080-\uffff]/.test(character)) {
      const start = at;
      while (/[\w$\u0080-\uffff]/.test(text[at] ?? "")) at += 1;
      tokens.push({ kind: "name", text: text.slice(start, at) });
    } else if (/\d/.test(character)) {
      const start = at;
      while (/[\w.]/.test(text[at] ?? "")) at += 1;
      tokens.push({ kind: "number", text: text.slice(start, at) });
    } else if (character === "/" && mayBeRegex(tokens.at(-1))) {
      at = endOfRegex(text, at);
      tokens.push({ kind: "regex", text: "/" });
    } else if (text.startsWith("?.", at) && !/\d/.test(text[at + 2] ?? "")) {
      tokens.push({ kind: "sign", text: "?." });
      at += 2;
    } else if (text.startsWith("...", at)) {
      tokens.push({ kind: "sign", text: "..." });
      at += 3;
    } else {
      const depth = templates.at(-1);
      at += 1;
      if (character === "}" && depth === 0) {
        templates.pop();
        readTemplateText();
        continue;
      }
      if (depth !== undefined && character === "{") templates[templates.length - 1] = depth + 1;
      if (depth !== undefined && character === "}") templates[templates.length - 1] = depth - 1;
      tokens.push({ kind: "sign", text: character });
    }
  }
  return tokens;
}

function mayBeRegex(before: Token | undefined): boolean {
  if (before === undefined) return true;
  if (before.kind === "name") return BEFORE_REGEX.has(before.text);
  return before.kind === "sign" && before.text !== ")" && before.text !== "]" && before.text !== "}";
}

function endOfLine(text: string, from: number): number {
  const end = text.indexOf("\n", from);
  return end === -1 ? text.length : end;
}

function endOfComment(text: string, from: number): number {
  const end = text.indexOf("*/", from + 2);
  return end === -1 ? text.length : end + 2;
}

function endOfQuoted(text: string, from: number, quote: string): number {
  let at = from + 1;
  while (at < text.length && text[at] !== quote) at += text[at] === "\\" ? 2 : 1;
  return at + 1;
}

function endOfRegex(text: string, from: number): number {
  let at = from + 1;
  let isInClass = false;
  while (at < text.length && (isInClass || text[at] !== "/")) {
    if (text[at] === "[") isInClass = true;
    if (text[at] === "]") isInClass = false;
    at += text[at] === "\\" ? 2 : 1;
  }
  return at + 1;
}

/** Node ids and names of inputs need no escapes; with others a reference simply finds nothing. */
function plainText(text: string): string {
  return text.replaceAll(/\\(.)/g, "$1");
}
