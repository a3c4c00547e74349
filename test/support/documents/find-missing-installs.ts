import type { Snippet } from "./read-blocks.ts";

const IMPORTED = /^(?:import|export)\b[^;]*?\bfrom "([^".][^"]*)"|\bimport\("([^".][^"]*)"\)|^import "([^".][^"]*)"/gm;
/** The pages that say how to install `reprise`, also before it is on the registry, and install `zod` with it. */
const INSTALL_PAGE = /\]\([^)]*\b(?:01-)?first-agent\.md/;

/**
 * Packages that the programs of a page import although the page does not say how to install them: by an `npm install` with their
 * names, or by a link to a page that begins with the installation.
 */
export function findMissingInstalls(page: string, text: string, snippets: readonly Snippet[]): readonly string[] {
  const imported = snippets
    .filter(({ file }) => file === page)
    .flatMap(({ code }) => [...code.matchAll(IMPORTED)].map(([, from, dynamic, bare]) => from ?? dynamic ?? bare ?? ""))
    .filter((name) => !name.startsWith("node:"))
    .map((name) =>
      name
        .split("/")
        .slice(0, name.startsWith("@") ? 2 : 1)
        .join("/"),
    );
  const installed = new Set(
    [...text.matchAll(/\bnpm install ([^\n`#]+)/g)].flatMap(([, names = ""]) => names.trim().split(/\s+/)),
  );
  if (INSTALL_PAGE.test(text)) for (const name of ["reprise", "zod"]) installed.add(name);
  return [...new Set(imported)]
    .filter((name) => !installed.has(name))
    .map((name) => `${page} imports ${name} and does not say "npm install ${name}"`);
}
