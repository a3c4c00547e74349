import { RE2JS, RE2JSException } from "re2js";
import { requiredLiterals } from "./required-literals.ts";

/** Says whether a text fits. Takes time linear in the text, whatever the pattern says. */
export interface TextMatcher {
  readonly kind: "exact" | "glob" | "regex";
  /** Texts that every text that fits contains. An index over many patterns finds those worth trying by them. */
  readonly literals: readonly string[];
  matches(text: string): boolean;
}

/** A pattern nothing can be made of. Its message says why, without a full stop. */
export class PatternProblem extends Error {}

export function exactly(wanted: string): TextMatcher {
  return { kind: "exact", literals: [wanted], matches: (text) => text === wanted };
}

const GLOB_SIGNS = /[*?[]/;

/** Whether a text has signs of a glob in it; without any it stands for itself alone. */
export function isGlob(text: string): boolean {
  return GLOB_SIGNS.test(text);
}

/**
 * A pattern for whole texts: `*` stands for any text, `/` and line ends included, `?` for one character, `[a-z]` and `[!a-z]` for one
 * character of a class. Nothing is escaped; `[*]` is a star.
 */
export function compileGlob(glob: string): TextMatcher {
  if (!isGlob(glob)) return exactly(glob);
  // Classes and single characters need an engine; most globs have only stars, which do not.
  if (/[?[]/.test(glob)) return compileClassGlob(globExpression(glob));
  const pieces = glob.split("*");
  const first = pieces[0] ?? "";
  const last = pieces.at(-1) ?? "";
  const middle = pieces.slice(1, -1).filter((piece) => piece !== "");
  const shortest = first.length + last.length;
  const matches = (text: string): boolean =>
    text.length >= shortest &&
    (first === "" || text.startsWith(first)) &&
    (last === "" || text.endsWith(last)) &&
    (middle.length === 0 || holdsInOrder(text, middle, first.length, text.length - last.length));
  return { kind: "glob", literals: pieces.filter((piece) => piece !== ""), matches };
}

function compileClassGlob(source: string): TextMatcher {
  // A dot of a glob is a line end too.
  const expression = compileExpression(`(?s)${source}`);
  return { kind: "glob", literals: requiredLiterals(source), matches: (text) => expression.testExact(text) };
}

/** Taking each piece where it first occurs leaves the most room for those after it. */
function holdsInOrder(text: string, pieces: readonly string[], from: number, end: number): boolean {
  let position = from;
  for (const piece of pieces) {
    const found = text.indexOf(piece, position);
    if (found === -1 || found + piece.length > end) return false;
    position = found + piece.length;
  }
  return true;
}

/** The same as an expression. */
function globExpression(glob: string): string {
  let expression = "";
  for (let index = 0; index < glob.length; index += 1) {
    const sign = glob[index] ?? "";
    if (sign === "*") expression += ".*";
    else if (sign === "?") expression += ".";
    else if (sign !== "[") expression += RE2JS.quote(sign);
    else {
      const end = glob.indexOf("]", index + 2);
      if (end === -1) throw new PatternProblem(`a "[" in ${JSON.stringify(glob)} has no "]"`);
      const inside = glob.slice(index + 1, end);
      const isNegated = inside.startsWith("!");
      const members = (isNegated ? inside.slice(1) : inside).replaceAll(/[\\^[\]]/g, "\\$&");
      if (members === "") throw new PatternProblem(`a class in ${JSON.stringify(glob)} is empty`);
      expression += `[${isNegated ? "^" : ""}${members}]`;
      index = end;
    }
  }
  return expression;
}

/** A regular expression of RE2, found anywhere in the text unless it has anchors. */
export function compileRegex(source: string): TextMatcher {
  const expression = compileExpression(source);
  const literals = requiredLiterals(source);
  // The engine prepares itself at its first text, which costs more than all searches for literals.
  const matches = (text: string): boolean =>
    literals.every((literal) => text.includes(literal)) && expression.test(text);
  return { kind: "regex", literals, matches };
}

/** Replaces every match of a regular expression of RE2 by a text; undefined when there is none. */
export function compileReplacer(source: string): (text: string, by: string) => string | undefined {
  const expression = compileExpression(source);
  return (text, by) =>
    expression.test(text) ? expression.matcher(text).replaceAll(RE2JS.quoteReplacement(by)) : undefined;
}

function compileExpression(source: string): RE2JS {
  try {
    return RE2JS.compile(source);
  } catch (error) {
    if (!(error instanceof RE2JSException)) throw error;
    throw new PatternProblem(
      `${JSON.stringify(source)} is not a regular expression of RE2, which has no lookaround and no back references`,
    );
  }
}
