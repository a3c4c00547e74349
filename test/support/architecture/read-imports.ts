import { type Token, tokenize } from "./tokenize.ts";

/** One place where a file names another module. A computed `import()` has no specifier to read. */
export interface ModuleImport {
  readonly specifier: string | undefined;
  readonly typeOnly: boolean;
  readonly line: number;
}

/** Reads `import`, `export … from`, `import()` and type imports of a TypeScript file. */
export function readImports(source: string): readonly ModuleImport[] {
  const tokens = tokenize(source);
  return tokens.flatMap((token, index) => {
    if (token.kind !== "word" || isText(tokens[index - 1], ".")) return [];
    if (token.text === "import") return readImport(tokens, index);
    if (token.text === "export") return readReExport(tokens, index);
    return [];
  });
}

function readImport(tokens: readonly Token[], index: number): readonly ModuleImport[] {
  const next = tokens[index + 1];
  if (next === undefined || isText(next, ".") || isText(next, ":")) return [];
  if (next.kind === "string") return [found(next, false)];
  if (isText(next, "(")) {
    const argument = tokens[index + 2];
    const literal = argument?.kind === "string" && [")", ","].some((end) => isText(tokens[index + 3], end));
    return literal ? [found(argument, false)] : [{ specifier: undefined, typeOnly: false, line: next.line }];
  }
  const source = sourceAfter(tokens, index);
  // `import type from "x"` is a default import that happens to be called type.
  const typeOnly = isText(next, "type") && !isText(tokens[index + 2], "from") && !isText(tokens[index + 2], ",");
  return source === undefined ? [] : [found(source, typeOnly)];
}

function readReExport(tokens: readonly Token[], index: number): readonly ModuleImport[] {
  const typeOnly = isText(tokens[index + 1], "type");
  const first = tokens[index + (typeOnly ? 2 : 1)];
  if (!isText(first, "{") && !isText(first, "*")) return [];
  const source = sourceAfter(tokens, index);
  return source === undefined ? [] : [found(source, typeOnly)];
}

/** The string after the first `from`, unless the statement ends before it. */
function sourceAfter(tokens: readonly Token[], index: number): Token | undefined {
  for (let at = index + 1; at < tokens.length; at += 1) {
    const next = tokens[at + 1];
    if (isText(tokens[at], "from") && next?.kind === "string") return next;
    if (isText(tokens[at], ";") || isText(tokens[at], "=")) return undefined;
    if (isText(tokens[at], "}") && !isText(next, "from")) return undefined;
  }
  return undefined;
}

function found(token: Token, typeOnly: boolean): ModuleImport {
  return { specifier: token.text, typeOnly, line: token.line };
}

function isText(token: Token | undefined, text: string): boolean {
  return token !== undefined && token.kind !== "string" && token.text === text;
}
