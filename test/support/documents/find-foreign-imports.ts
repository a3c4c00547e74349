const IMPORTED = /(?:\bfrom|\bimport\(?)\s*"(@reprise\/[^/"]+)[^"]*"/g;

/**
 * Imports of workspace packages that a reader does not have. `npm install reprise` brings `@reprise/…` along, but pnpm hides what
 * a program did not ask for, so pages and examples import from `reprise` and its subpaths. A package's own README may import that
 * package, and any page may import a package that it tells the reader to install.
 */
export function findForeignImports(path: string, text: string): readonly string[] {
  const own = /^packages\/([^/]+)\/README\.md$/.exec(path)?.[1];
  return [...text.matchAll(IMPORTED)]
    .map(([, name = ""]) => name)
    .filter((name) => name !== `@reprise/${own}` && !new RegExp(`npm install [^\\n]*${name}\\b`).test(text))
    .map((name) => `${path} imports ${name}; its readers have "reprise" and its subpaths`);
}
