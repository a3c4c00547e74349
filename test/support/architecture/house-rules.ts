import { basename } from "node:path";
import { type Token, tokenize } from "./tokenize.ts";
import type { SourceFile } from "./workspace.ts";

const NAMELESS = /^(utils?|helpers?|common|manager|base)\.(ts|tsx|mjs|js)$/;

/** Names that say nothing about what is inside. */
export function findNamelessFiles(paths: readonly string[]): readonly string[] {
  return paths.filter((path) => NAMELESS.test(basename(path)));
}

/** An `index.ts` is a list of names: `export { … } from "…"`, besides the check of the Node version. */
export function findIndexProblems(file: SourceFile): string[] {
  return splitStatements(tokenize(file.text))
    .filter((statement) => !isListedExport(statement) && !isVersionCheck(statement))
    .map((statement) => `${file.path}:${statement[0]?.line} is more than a list of exports`);
}

function splitStatements(tokens: readonly Token[]): readonly (readonly Token[])[] {
  const statements: Token[][] = [[]];
  for (const token of tokens) {
    if (token.text === ";" && token.kind === "punctuation") statements.push([]);
    else statements.at(-1)?.push(token);
  }
  return statements.filter((statement) => statement.length > 0);
}

function isListedExport(statement: readonly Token[]): boolean {
  const words = statement.map(({ text }) => text);
  const opening = words[1] === "type" ? 2 : 1;
  const closing = words.indexOf("}");
  return (
    words[0] === "export" && words[opening] === "{" && words[closing + 1] === "from" && words.length === closing + 3
  );
}

function isVersionCheck(statement: readonly Token[]): boolean {
  return statement.length === 2 && statement[0]?.text === "import" && statement[1]?.text === "./require-node.ts";
}
