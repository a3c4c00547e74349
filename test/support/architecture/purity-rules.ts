import { findImpureGlobals } from "./find-globals.ts";
import { isBuiltin } from "./import-rules.ts";
import { readImports } from "./read-imports.ts";
import type { SourceFile } from "./workspace.ts";

/** A use of a global that is allowed, and why. */
export interface PurityException {
  readonly file: string;
  readonly global: string;
  readonly reason: string;
}

/** What ties a platform-pure package's files to a platform. Exceptions that excuse nothing are problems as well. */
export function findPurityProblems(files: readonly SourceFile[], exceptions: readonly PurityException[]): string[] {
  const unused = new Set(exceptions);
  const problems = files.flatMap(({ path, text }) =>
    impuritiesOf(text)
      .filter(({ what }) => {
        const exception = exceptions.find(({ file, global }) => file === path && global === what);
        if (exception !== undefined) unused.delete(exception);
        return exception === undefined;
      })
      .map(({ what, line }) => `${path}:${line} uses ${what}`),
  );
  return [
    ...problems,
    ...[...unused].map(({ file, global }) => `the exception for ${global} in ${file} is not needed`),
  ];
}

function impuritiesOf(text: string): readonly { readonly what: string; readonly line: number }[] {
  const builtins = readImports(text).flatMap(({ specifier, line }) =>
    specifier !== undefined && isBuiltin(specifier) ? [{ what: specifier, line }] : [],
  );
  const globals = findImpureGlobals(text).map(({ global, line }) => ({ what: global, line }));
  // Such a line brings in a platform's types, and then the compiler no longer objects to its globals.
  const references = text
    .split("\n")
    .flatMap((content, index) =>
      /^\s*\/\/\/\s*<reference/.test(content) ? [{ what: "/// <reference", line: index + 1 }] : [],
    );
  return [...builtins, ...globals, ...references];
}
