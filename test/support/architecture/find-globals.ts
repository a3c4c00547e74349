import { type Token, tokenize } from "./tokenize.ts";

/** A use of something that ties code to a platform, to the clock or to chance. */
export interface GlobalUse {
  readonly global: string;
  readonly line: number;
}

/** Clock, chance, input and output come through the `Env` port; these are the ways around it. */
const IMPURE = new Set(
  `process Buffer console fetch crypto performance require __dirname __filename global Deno Bun
   setTimeout setInterval setImmediate clearTimeout clearInterval clearImmediate
   XMLHttpRequest WebSocket EventSource localStorage sessionStorage`.split(/\s+/),
);

/** Pure by themselves, but not these members. */
const IMPURE_MEMBERS: ReadonlyMap<string, readonly string[]> = new Map([
  ["Date", ["now"]],
  ["Math", ["random"]],
  ["AbortSignal", ["timeout"]],
  ["import", ["meta"]],
]);

const MODIFIERS = new Set(["readonly", "static", "get", "set", "async", "declare", "override", "public", "private"]);

/** Finds uses of impure globals; property names and members of other objects are not uses. */
export function findImpureGlobals(source: string): readonly GlobalUse[] {
  const tokens = tokenize(source);
  return tokens.flatMap((token, index) => {
    const before = tokens[index - 1]?.text;
    if (token.kind !== "word" || before === "." || before === "?." || isPropertyName(tokens, index)) return [];
    const global = impureGlobalAt(tokens, index);
    return global === undefined ? [] : [{ global, line: token.line }];
  });
}

function impureGlobalAt(tokens: readonly Token[], index: number): string | undefined {
  const word = tokens[index]?.text ?? "";
  const member = memberAfter(tokens, index);
  if (word === "globalThis") {
    // Bare, it may be passed on or taken apart, and then nothing more can be seen.
    return member === undefined ? "globalThis" : impureGlobalAt(tokens, index + 2);
  }
  if (IMPURE.has(word)) return word;
  if (member !== undefined && IMPURE_MEMBERS.get(word)?.includes(member)) return `${word}.${member}`;
  if (word === "Date") return readsClock(tokens, index) ? "new Date()" : undefined;
  return word === "import" && isComputedImport(tokens, index) ? "import(expression)" : undefined;
}

/** The `x` of `.x`, `?.x` and `["x"]`. */
function memberAfter(tokens: readonly Token[], index: number): string | undefined {
  const [mark, name] = [tokens[index + 1], tokens[index + 2]];
  const named = (mark?.text === "." || mark?.text === "?.") && name?.kind === "word";
  const quoted = mark?.text === "[" && name?.kind === "string";
  return named || quoted ? name?.text : undefined;
}

/** `new Date` without arguments and any call of `Date` without `new` tell the time. */
function readsClock(tokens: readonly Token[], index: number): boolean {
  const isCalled = tokens[index + 1]?.text === "(";
  if (tokens[index - 1]?.text !== "new") return isCalled;
  return !isCalled || tokens[index + 2]?.text === ")";
}

function isComputedImport(tokens: readonly Token[], index: number): boolean {
  return tokens[index + 1]?.text === "(" && tokens[index + 2]?.kind !== "string";
}

/** Whether the word names a property, a method or an object's key. */
function isPropertyName(tokens: readonly Token[], index: number): boolean {
  const before = tokens[index - 1];
  const opensMember = before !== undefined && ["{", "}", ",", ";"].includes(before.text);
  if (!opensMember && !(before?.kind === "word" && MODIFIERS.has(before.text))) return false;
  const [next, second] = [tokens[index + 1]?.text, tokens[index + 2]?.text];
  if (next === ":" || ((next === "?" || next === "!") && second === ":")) return true;
  return next === "(" && ["{", ":"].includes(tokens[closingOf(tokens, index + 1) + 1]?.text ?? "");
}

function closingOf(tokens: readonly Token[], opening: number): number {
  let depth = 0;
  for (let at = opening; at < tokens.length; at += 1) {
    const token = tokens[at];
    if (token?.kind !== "punctuation") continue;
    if (token.text === "(") depth += 1;
    if (token.text === ")") depth -= 1;
    if (depth === 0) return at;
  }
  return tokens.length;
}
