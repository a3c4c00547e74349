/** A piece of TypeScript that is neither space nor comment. Strings carry what is between the quotes. */
export interface Token {
  readonly kind: "word" | "string" | "template" | "number" | "regex" | "punctuation";
  readonly text: string;
  readonly line: number;
}

const SKIPPED = /\s+|\/\/[^\n]*|\/\*[\s\S]*?(?:\*\/|$)|^#![^\n]*/y;
const WORD = /[#@]?[\p{ID_Start}$_][\p{ID_Continue}$]*/uy;
const NUMBER = /\.?\d[\w.]*/y;
// An open quote ends with its line, so that an apostrophe in JSX text cannot swallow the rest of the file.
const STRING = /"(?:[^"\\\n]|\\[\s\S])*"?|'(?:[^'\\\n]|\\[\s\S])*'?/y;
const TEMPLATE_TEXT = /(?:[^`\\$]|\\[\s\S]|\$(?!\{))*/y;
const REGEX = /\/(?:[^/\\[\n]|\\.|\[(?:[^\]\\\n]|\\.)*\])+\/\w*/y;
const PUNCTUATION = /\.\.\.|\?\.(?!\d)|=>|[\s\S]/uy;

/** After one of these words a slash begins a regular expression; after any other word it divides. */
const BEFORE_EXPRESSION = new Set(["return", "typeof", "case", "in", "of", "delete", "void", "throw", "new", "await"]);

/**
 * Splits TypeScript into tokens, well enough to find imports and globals: TypeScript 7 has no parser to call.
 * One guess is made: a slash after `)`, `]` or `}` divides.
 */
export function tokenize(source: string): readonly Token[] {
  const tokens: Token[] = [];
  /** How many braces are open inside each `${` that is open. */
  const openBraces: number[] = [];
  let position = 0;
  let line = 1;

  const take = (pattern: RegExp): string | undefined => {
    pattern.lastIndex = position;
    const text = pattern.exec(source)?.[0];
    if (text === undefined || text === "") return undefined;
    position += text.length;
    line += text.split("\n").length - 1;
    return text;
  };
  const push = (kind: Token["kind"], text: string, at: number): void => {
    tokens.push({ kind, text, line: at });
  };
  const takeTemplate = (isOpening: boolean): void => {
    const at = line;
    position += 1;
    const text = take(TEMPLATE_TEXT) ?? "";
    const hasGap = source.startsWith("${", position);
    position += hasGap ? 2 : 1;
    if (hasGap) openBraces.push(0);
    // A template without gaps is as good as a string, for instance in `import()`.
    push(isOpening && !hasGap ? "string" : "template", text, at);
  };
  const takeToken = (): void => {
    const at = line;
    const word = take(WORD);
    if (word !== undefined) return push("word", word, at);
    const number = take(NUMBER);
    if (number !== undefined) return push("number", number, at);
    const string = take(STRING);
    if (string !== undefined) return push("string", string.replace(/^["']|["']$/g, ""), at);
    const regex = startsExpression(tokens.at(-1)) ? take(REGEX) : undefined;
    if (regex !== undefined) return push("regex", regex, at);
    const mark = take(PUNCTUATION) ?? "";
    const change = { "{": 1, "}": -1 }[mark] ?? 0;
    if (openBraces.length > 0) openBraces.push((openBraces.pop() ?? 0) + change);
    push("punctuation", mark, at);
  };

  while (position < source.length) {
    if (take(SKIPPED) !== undefined) continue;
    const closesGap = source[position] === "}" && openBraces.at(-1) === 0;
    if (closesGap) openBraces.pop();
    if (closesGap || source[position] === "`") takeTemplate(!closesGap);
    else takeToken();
  }
  return tokens;
}

/** Whether a slash after this token can only begin a regular expression. */
function startsExpression(before: Token | undefined): boolean {
  if (before === undefined) return true;
  if (before.kind === "word") return BEFORE_EXPRESSION.has(before.text);
  return before.kind === "punctuation" && ![")", "]", "}"].includes(before.text);
}
