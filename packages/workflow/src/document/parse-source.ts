import type { ShapePath } from "@reprise/contracts/shape";
import { type Json, MAX_DEPTH, parseJson } from "@reprise/state";
import {
  Composer,
  type Document,
  isAlias,
  isMap,
  isScalar,
  isSeq,
  Lexer,
  LineCounter,
  type Node,
  type Pair,
  Parser,
  type YAMLError,
} from "yaml";

export type SourceFormat = "yaml" | "json";

/** A place in a text. Both count from 1. */
export interface Position {
  readonly line: number;
  readonly column: number;
}

/** Something wrong with a text before anything is known about its meaning. */
export interface SourceProblem extends Partial<Position> {
  readonly path: ShapePath;
  readonly message: string;
}

/** A text that was read, with the way back from a value to its place. */
export interface Source {
  /** Absent when there are problems. */
  readonly value?: Json;
  readonly problems: readonly SourceProblem[];
  /** The place of a value; of one that is absent, the place of what it should be in. */
  locate(path: ShapePath): Position | undefined;
}

const MAX_CHARACTERS = 8_000_000;
/** Aliases repeat what they stand for: a short text can mean a value of any size. */
const MAX_VALUES = 1_000_000;
/** The parser's stack has an entry for a list and one for its item. */
const MAX_STACK = MAX_DEPTH * 3;
const MOST_PROBLEMS = 100;

/** Reads YAML 1.2 or JSON. Never throws: what is wrong is listed. */
export function parseSource(text: string, format: SourceFormat): Source {
  if (text.length > MAX_CHARACTERS)
    return refused(`must have at most ${MAX_CHARACTERS} characters (got ${text.length})`);
  const lines = new LineCounter();
  const documents = compose(text, lines);
  if (documents === undefined) return refused(`nests deeper than ${MAX_DEPTH} levels`);
  const [document, second] = documents;
  const at = (offset: number): Position => {
    const { line, col } = lines.linePos(offset);
    return { line: Math.max(line, 1), column: Math.max(col, 1) };
  };
  if (document === undefined || document.contents === null) return refused("is empty");
  const locate = (path: ShapePath): Position | undefined => {
    const offset = findOffset(document, path);
    return offset === undefined ? undefined : at(offset);
  };
  const isJson = format === "json";
  const errors = [...document.errors, ...document.warnings].filter(({ code }) => !isJson || code === "DUPLICATE_KEY");
  const problems: SourceProblem[] = errors
    .slice(0, MOST_PROBLEMS)
    .map((error) => ({ path: [], message: sayError(error), ...at(error.pos[0]) }));
  if (second !== undefined && !isJson)
    problems.push({ path: [], message: "A file holds one document.", ...at(second.range?.[0] ?? 0) });
  if (isJson) problems.push(...findJsonProblem(text, at));
  if (problems.length > 0) return { problems, locate };
  const converted = convert(document);
  const found = converted.problems.map(({ offset, ...problem }) => ({ ...problem, ...at(offset) }));
  if (found.length > 0) return { problems: found, locate };
  return { value: isJson ? parseJson(text) : converted.value, problems: [], locate };
}

function refused(message: string): Source {
  return { problems: [{ path: [], message: `The document ${message}.` }], locate: () => undefined };
}

/** Composes documents as far as they nest reasonably: the composer calls itself for every level. */
function compose(text: string, lines: LineCounter): readonly Document.Parsed[] | undefined {
  const parser = new Parser(lines.addNewLine);
  const tokens: Parameters<Composer["next"]>[0][] = [];
  lines.addNewLine(0);
  for (const lexeme of new Lexer().lex(text)) {
    for (const token of parser.next(lexeme)) tokens.push(token);
    if (parser.stack.length > MAX_STACK) return undefined;
  }
  for (const token of parser.end()) tokens.push(token);
  const composer = new Composer({
    version: "1.2",
    schema: "core",
    strict: true,
    uniqueKeys: true,
    prettyErrors: false,
  });
  return [...composer.compose(tokens)].filter((document) => "contents" in document);
}

function sayError({ code, message }: YAMLError): string {
  if (code === "DUPLICATE_KEY") return "A key is given twice.";
  return `${message.replace(/\.?$/, "")}.`;
}

/** Whether it is JSON as such: YAML allows much more. */
function findJsonProblem(text: string, at: (offset: number) => Position): readonly SourceProblem[] {
  try {
    parseJson(text);
    return [];
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    const [, offset] = /at position (\d+)/.exec(message) ?? [];
    const place = offset === undefined ? (/end of JSON/.test(message) ? at(text.length) : {}) : at(Number(offset));
    return [{ path: [], message: `${message.replace(/ at position \d+.*$/s, "")}.`, ...place }];
  }
}

interface Converted {
  readonly value: Json;
  readonly problems: readonly (SourceProblem & { readonly offset: number })[];
}

/** Makes JSON of a parsed document. Values that an alias repeats are counted again each time. */
function convert(document: Document.Parsed): Converted {
  const problems: (SourceProblem & { readonly offset: number })[] = [];
  let count = 0;
  let aliases = 0;
  const anchors = new Map<string, Node>();
  const open = new Set<Node>();
  const refuse = (path: ShapePath, node: Node, message: string): null => {
    if (problems.length < MOST_PROBLEMS) problems.push({ path, message, offset: node.range?.[0] ?? 0 });
    return null;
  };
  const visit = (node: Node | null | undefined, path: ShapePath): Json => {
    if (node === null || node === undefined) return null;
    count += 1;
    if (count > MAX_VALUES) {
      return count === MAX_VALUES + 1
        ? refuse(
            path,
            node,
            `The document has more than ${MAX_VALUES} values; aliases count as often as they are used.`,
          )
        : null;
    }
    if (path.length > MAX_DEPTH) return refuse(path, node, `The document nests deeper than ${MAX_DEPTH} levels.`);
    if (isAlias(node)) {
      const target = anchors.get(node.source);
      if (target === undefined) return refuse(path, node, `There is no anchor &${node.source}.`);
      if (open.has(target)) return refuse(path, node, `The alias *${node.source} contains itself.`);
      aliases += 1;
      const repeated = visit(target, path);
      aliases -= 1;
      return repeated;
    }
    // An alias means the last anchor of its name before it. What an alias repeats defines nothing anew.
    if (node.anchor !== undefined && aliases === 0) anchors.set(node.anchor, node);
    if (isScalar(node)) return isJsonScalar(node.value) ? node.value : refuse(path, node, "This value is not JSON.");
    open.add(node);
    const value = isSeq<Node>(node)
      ? node.items.map((item, index) => visit(item, [...path, index]))
      : visitMap(node, path);
    open.delete(node);
    return value;
  };
  const visitMap = (node: Node, path: ShapePath): Json => {
    if (!isMap<Node, Node | null>(node)) return refuse(path, node, "This value is not JSON.");
    const entries: [string, Json][] = [];
    for (const { key, value } of node.items) {
      const name = keyOf(key);
      if (name === undefined) refuse(path, key, "A key must be a string.");
      else if (name === "__proto__") refuse([...path, name], key, "The key `__proto__` is not allowed.");
      else entries.push([name, visit(value, [...path, name])]);
    }
    return Object.fromEntries(entries);
  };
  return { value: visit(document.contents, []), problems };
}

/** Keys that look like numbers or booleans mean the text they are written as. */
function keyOf(key: Node): string | undefined {
  if (!isScalar(key) || key.value === null) return undefined;
  return typeof key.value === "string" ? key.value : (key.source ?? String(key.value));
}

/** JSON has no bytes and no infinities. */
function isJsonScalar(value: unknown): value is string | number | boolean | null {
  return value === null || typeof value === "string" || typeof value === "boolean" || Number.isFinite(value);
}

/** Where a value begins; of a field the key, so that a mark stands at its name. */
function findOffset(document: Document.Parsed, path: ShapePath): number | undefined {
  let node: Node | null | undefined = document.contents;
  let offset = node?.range?.[0];
  for (const part of path) {
    if (isAlias(node)) node = node.resolve(document);
    if (isMap<Node, Node | null>(node)) {
      const pair: Pair<Node, Node | null> | undefined = node.items.find(({ key }) => keyOf(key) === String(part));
      if (pair === undefined) return offset;
      offset = pair.key.range?.[0] ?? offset;
      node = pair.value;
    } else if (isSeq<Node>(node) && typeof part === "number") {
      node = node.items[part];
      if (node === undefined) return offset;
      offset = node.range?.[0] ?? offset;
    } else return offset;
  }
  return offset;
}
