import type { Json } from "@reprise/state";
import {
  type ArgumentPath,
  type ArgumentText,
  type ArgumentValues,
  EVERY_ITEM,
  EVERY_KEY,
  MAX_TEXT,
  type PathStep,
  UNREADABLE,
} from "./argument-values.ts";
import { compileGlob, compileRegex, exactly, isGlob, PatternProblem, type TextMatcher } from "./text-matcher.ts";

/** Whether arguments fit; undefined when they cannot be looked at. */
export type Fit = boolean | undefined;

/** A pattern over tool calls: `read_*`, `Bash(npm *)`, `/^db_/`, `send(to ~ "*@example.com", urgent = "true")`. */
export interface ToolPattern {
  readonly source: string;
  readonly tool: TextMatcher;
  /** The id of the one tool the pattern is about; absent for a glob and a regular expression. */
  readonly toolId?: string;
  readonly hasArguments: boolean;
  /** Whether every call of the tool fits, whatever its arguments. */
  readonly isUnconditional: boolean;
  /** The more a pattern says, the higher: the tool first, then the arguments. */
  readonly specificity: number;
  /** Texts that arguments must contain to fit. */
  readonly clues: readonly Clue[];
  fitsArguments(values: ArgumentValues): Fit;
}

/** A text that is in one of the values at a path, or in the primary argument, of every call that fits. */
export interface Clue {
  readonly path: ArgumentPath | undefined;
  readonly text: string;
}

/** How much a matcher says. */
const PRECISION: Readonly<Record<TextMatcher["kind"], number>> = { exact: 3, glob: 2, regex: 1 };

const MAX_PATTERN = 2_000;
const MAX_FIELDS = 50;

/** Reads a pattern. Throws `PatternProblem`. */
export function parseToolPattern(source: string): ToolPattern {
  if (source.length > MAX_PATTERN) throw new PatternProblem(`a pattern has at most ${MAX_PATTERN} characters`);
  const { toolText, inside } = splitPattern(source);
  const tool = readTool(toolText);
  const conditions = inside === undefined || inside === "*" ? [] : readConditions(inside);
  const specificity =
    PRECISION[tool.kind] * 1e7 +
    (inside === undefined ? 0 : 1e6) +
    conditions.length * 1e3 +
    conditions.reduce((sum, { matcher }) => sum + PRECISION[matcher.kind], 0);
  return {
    source,
    tool,
    ...(tool.kind === "exact" && { toolId: toolText }),
    hasArguments: inside !== undefined,
    isUnconditional: conditions.length === 0,
    specificity,
    clues: conditions.flatMap(({ path, matcher, isNegated }) =>
      isNegated ? [] : matcher.literals.map((text) => ({ path, text })),
    ),
    fitsArguments: (values) => fitsAll(conditions, values),
  };
}

/** Describes the problem with a pattern, for shapes. Undefined when the pattern is valid. */
export function findPatternProblem(source: Json): string | undefined {
  try {
    parseToolPattern(String(source));
    return undefined;
  } catch (error) {
    if (error instanceof PatternProblem) return error.message;
    throw error;
  }
}

/** One condition on arguments. */
interface Condition {
  /** Absent for the primary argument. */
  readonly path?: ArgumentPath;
  readonly matcher: TextMatcher;
  readonly isNegated: boolean;
}

/** All must fit. One that certainly does not settles it; otherwise one that cannot be looked at leaves it open. */
function fitsAll(conditions: readonly Condition[], values: ArgumentValues): Fit {
  let fit: Fit = true;
  for (const condition of conditions) {
    const one = fitsOne(condition, values);
    if (one === false) return false;
    if (one === undefined) fit = undefined;
  }
  return fit;
}

/** One value that fits is enough. A field that is missing fits no condition, not even a negated one. */
function fitsOne({ path, matcher, isNegated }: Condition, values: ArgumentValues): Fit {
  if (path === undefined) return fitsText(matcher, isNegated, values.primary());
  let fit: Fit = false;
  for (const text of values.at(path)) {
    const one = fitsText(matcher, isNegated, text);
    if (one === true) return true;
    if (one === undefined) fit = undefined;
  }
  return fit;
}

function fitsText(matcher: TextMatcher, isNegated: boolean, text: ArgumentText): Fit {
  if (text === UNREADABLE || (matcher.kind !== "exact" && text.length > MAX_TEXT)) return undefined;
  return matcher.matches(text) !== isNegated;
}

/** The tool and what stands in the parentheses after it. */
function splitPattern(source: string): { readonly toolText: string; readonly inside?: string } {
  const end = source.startsWith("/") ? endOfRegex(source) : source.indexOf("(");
  if (end === -1 || end === source.length) return { toolText: checkTool(source, source) };
  const toolText = checkTool(source, source.slice(0, end));
  if (!source.endsWith(")")) throw new PatternProblem(`${JSON.stringify(source)} does not end in ")"`);
  const inside = source.slice(end + 1, -1).trim();
  if (inside === "") throw new PatternProblem(`${JSON.stringify(source)} has empty parentheses; leave them out`);
  return { toolText, inside };
}

function endOfRegex(source: string): number {
  for (let index = 1; index < source.length; index += 1) {
    if (source[index] === "\\") index += 1;
    else if (source[index] === "/" && (index + 1 === source.length || source[index + 1] === "(")) return index + 1;
  }
  throw new PatternProblem(`the regular expression in ${JSON.stringify(source)} has no closing "/"`);
}

function checkTool(source: string, tool: string): string {
  if (tool.trim() === "") throw new PatternProblem(`${JSON.stringify(source)} names no tool`);
  if (tool !== tool.trim()) throw new PatternProblem(`the tool in ${JSON.stringify(source)} has spaces around it`);
  return tool;
}

function readTool(text: string): TextMatcher {
  if (text.startsWith("/")) return compileRegex(text.slice(1, -1).replaceAll("\\/", "/"));
  return isGlob(text) ? compileGlob(text) : exactly(text);
}

/** The operators, longest first: what begins like another is tried before it. */
const OPERATORS: readonly (readonly [sign: string, isNegated: boolean, compile: (value: string) => TextMatcher])[] = [
  ["!=~", true, compileRegex],
  ["=~", false, compileRegex],
  ["!=", true, exactly],
  ["!~", true, compileGlob],
  ["~", false, compileGlob],
  ["=", false, exactly],
];

/** A field: everything up to a space or an operator. The quote after the operator tells a condition from a text with a sign in it. */
const FIELD_START = /^([^\s"~=!,()]+)\s*(!=~|=~|!=|!~|~|=)\s*"/u;

/** A condition whose quotes were forgotten. As a glob over the primary argument it would fit nothing, and a deny would deny nothing. */
const UNQUOTED = /^([^\s"~=!,()]+) (!=~|=~|!=|!~|~|=) (?!")(.*)$/su;

/** A list of conditions on fields, or one text that the primary argument must fit. */
function readConditions(inside: string): readonly Condition[] {
  const [, field, sign, value] = UNQUOTED.exec(inside) ?? [];
  if (value !== undefined)
    throw new PatternProblem(`the value of a condition must be in quotes: ${field} ${sign} ${JSON.stringify(value)}`);
  if (!FIELD_START.test(inside)) return [{ matcher: compileGlob(inside), isNegated: false }];
  const conditions: Condition[] = [];
  for (let rest = inside; ; ) {
    const [start, field = "", sign] = FIELD_START.exec(rest) ?? [];
    const operator = OPERATORS.find(([each]) => each === sign);
    if (start === undefined || operator === undefined)
      throw new PatternProblem(`${JSON.stringify(rest)} must be a condition like field = "value"`);
    const value = readQuoted(rest.slice(start.length));
    const [, isNegated, compile] = operator;
    conditions.push({ path: readPath(field), matcher: compile(value.text), isNegated });
    if (conditions.length > MAX_FIELDS) throw new PatternProblem(`a pattern has at most ${MAX_FIELDS} conditions`);
    if (value.rest === "") return conditions;
    if (!value.rest.startsWith(","))
      throw new PatternProblem(
        `conditions must be separated by commas; after a value there is ${JSON.stringify(value.rest)}`,
      );
    rest = value.rest.slice(1).trim();
  }
}

/** A text up to its closing quote. `\"` and `\\` are escapes; any other backslash stands for itself. */
function readQuoted(text: string): { readonly text: string; readonly rest: string } {
  let value = "";
  for (let index = 0; index < text.length; index += 1) {
    const sign = text[index] ?? "";
    if (sign === '"') return { text: value, rest: text.slice(index + 1).trim() };
    const next = text[index + 1];
    if (sign === "\\" && (next === '"' || next === "\\")) {
      value += next;
      index += 1;
    } else value += sign;
  }
  throw new PatternProblem(`a value in ${JSON.stringify(text)} has no closing quote`);
}

const STEP = /^(?:\.?([^.[\]]+)|\[(\d+|\*)\])/u;

function readPath(source: string): ArgumentPath {
  const steps: PathStep[] = [];
  for (let rest = source; rest !== ""; ) {
    const [whole, key, index] = STEP.exec(rest) ?? [];
    if (whole === undefined || (steps.length === 0 && rest.startsWith(".")))
      throw new PatternProblem(`${JSON.stringify(source)} is not a path like to.address or files[*].name`);
    if (key !== undefined) steps.push(key === "*" ? EVERY_KEY : key);
    else steps.push(index === "*" ? EVERY_ITEM : Number(index));
    rest = rest.slice(whole.length);
  }
  return { source, steps };
}
