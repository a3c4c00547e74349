import { compileGlob, type Glob } from "../spec/glob.ts";

/** The four lists by which an agent chooses among what there is: tools, skills or other agents. */
export interface CatalogueLists {
  readonly allowed?: readonly string[] | undefined;
  readonly allowedPatterns?: readonly string[] | undefined;
  readonly excluded: readonly string[];
  readonly excludedPatterns: readonly string[];
}

/** Decides on one id at a time. */
export interface CatalogueFilter {
  /** Allowed, and not excluded. */
  admits(id: string): boolean;
  /** Excluded by name or by pattern: not even what needs no allowance gets past this. */
  excludes(id: string): boolean;
}

/** Neither allow list given: everything is allowed. An allow list that is empty allows nothing. */
export function createCatalogueFilter(lists: CatalogueLists): CatalogueFilter {
  const { allowed, allowedPatterns, excluded, excludedPatterns } = lists;
  const excludes = matcherOf(excluded, excludedPatterns);
  if (allowed === undefined && allowedPatterns === undefined) {
    return { admits: (id) => !excludes(id), excludes };
  }
  const allows = matcherOf(allowed ?? [], allowedPatterns ?? []);
  return { admits: (id) => allows(id) && !excludes(id), excludes };
}

function matcherOf(literals: readonly string[], patterns: readonly string[]): (id: string) => boolean {
  const known = new Set(literals);
  const globs: readonly Glob[] = patterns.map(compileGlob);
  if (globs.length === 0) return known.size === 0 ? () => false : (id) => known.has(id);
  return (id) => {
    if (known.has(id)) return true;
    // Not `some`: this runs for every tool there is, in every resolve.
    for (const glob of globs) if (glob.matches(id)) return true;
    return false;
  };
}
