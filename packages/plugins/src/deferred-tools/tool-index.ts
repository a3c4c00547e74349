import type { ToolDescriptor } from "@reprise/contracts";

/** A query of `tool_search`. */
export type ToolQuery =
  /** `select:a,b`: these ids. */
  | { readonly kind: "select"; readonly ids: readonly string[] }
  /** `+must words`: every word with a plus must match, and the others rank. */
  | { readonly kind: "words"; readonly must: readonly string[]; readonly words: readonly string[] };

const MOST_WORDS = 32;
const MOST_IDS = 50;

export function parseToolQuery(query: string): ToolQuery {
  const select = /^\s*select:(.*)$/su.exec(query)?.[1];
  if (select !== undefined) {
    const ids = select.split(/[\s,]+/u).filter((id) => id !== "");
    return { kind: "select", ids: ids.slice(0, MOST_IDS) };
  }
  const terms = query.split(/\s+/u).filter((term) => term !== "");
  const wordsOf = (given: readonly string[]): readonly string[] => given.flatMap(splitWords).slice(0, MOST_WORDS);
  return {
    kind: "words",
    must: wordsOf(terms.filter((term) => term.startsWith("+"))),
    words: wordsOf(terms.filter((term) => !term.startsWith("+"))),
  };
}

/** The words of a text: `createIssue`, `create_issue` and `create-issue` are two each. */
function splitWords(text: string): readonly string[] {
  // Nearly all texts are ASCII, and cheaper to read.
  const words = /^[\x20-\x7e]*$/.test(text)
    ? text
        .replaceAll(/([a-z0-9])([A-Z])/g, "$1 $2")
        .toLowerCase()
        .match(/[a-z0-9]+/g)
    : text
        .normalize("NFKC")
        .replaceAll(/(\p{Ll}|\p{N})(\p{Lu})/gu, "$1 $2")
        .toLowerCase()
        .match(/[\p{L}\p{N}]+/gu);
  return (words ?? []).map(stem);
}

/** One word for singular and plural is worth more here than grammar. */
function stem(word: string): string {
  return word.length > 3 && word.endsWith("s") && !word.endsWith("ss") ? word.slice(0, -1) : word;
}

/** A catalogue that can be searched. It is built once, because a catalogue may have thousands of tools and every step asks. */
export interface ToolIndex {
  readonly tools: readonly ToolDescriptor[];
  get(id: string): ToolDescriptor | undefined;
  /** Ids that match, best first. */
  search(query: Extract<ToolQuery, { readonly kind: "words" }>): readonly string[];
}

// A description may be a page long; what a tool is about stands at its beginning.
const READ_CHARACTERS = 2_000;
const READ_PARAMETERS = 50;
const NAME_WEIGHT = 4;

/** The words of a tool, each with how much it says about the tool. */
function weighWords({ id, name, description, parameters }: ToolDescriptor): ReadonlyMap<string, number> {
  const weights = new Map<string, number>();
  const { properties } = parameters;
  const fields = typeof properties === "object" && properties !== null ? Object.keys(properties) : [];
  for (const word of splitWords(fields.slice(0, READ_PARAMETERS).join(" "))) weights.set(word, 1);
  for (const word of splitWords(description.slice(0, READ_CHARACTERS))) weights.set(word, 1);
  for (const word of splitWords(`${id} ${name}`)) weights.set(word, NAME_WEIGHT);
  return weights;
}

// A word of the query also matches words that begin with it.
const SHORTEST_PREFIX = 3;
const MOST_EXPANSIONS = 50;
const PREFIX_WEIGHT = 0.5;

/** The words of a catalogue, sorted, and for each the tools that have it, by position, each followed by the word's weight. */
interface IndexedWords {
  readonly vocabulary: readonly string[];
  readonly postings: ReadonlyMap<string, readonly number[]>;
}

function indexWords(tools: readonly ToolDescriptor[]): IndexedWords {
  const postings = new Map<string, number[]>();
  for (const [position, tool] of tools.entries()) {
    for (const [word, weight] of weighWords(tool)) {
      const list = postings.get(word);
      if (list === undefined) postings.set(word, [position, weight]);
      else list.push(position, weight);
    }
  }
  return { vocabulary: [...postings.keys()].sort(), postings };
}

export function createToolIndex(tools: readonly ToolDescriptor[]): ToolIndex {
  const byId = new Map(tools.map((tool) => [tool.id, tool]));
  // Most runs never search.
  let indexed: IndexedWords | undefined;

  /** How well each tool matches one word, by position. A rare word says more than a frequent one. */
  const match = (word: string): Float64Array => {
    indexed ??= indexWords(tools);
    const { vocabulary, postings } = indexed;
    const scores = new Float64Array(tools.length);
    const add = (found: string, factor: number): void => {
      const list = postings.get(found) ?? [];
      const rarity = Math.log(1 + tools.length / Math.max(1, list.length / 2)) * factor;
      for (let at = 0; at < list.length; at += 2) {
        const position = list[at] ?? 0;
        scores[position] = Math.max(scores[position] ?? 0, (list[at + 1] ?? 0) * rarity);
      }
    };
    add(word, 1);
    if (word.length < SHORTEST_PREFIX) return scores;
    const start = firstFrom(vocabulary, word);
    for (const longer of vocabulary.slice(start, start + MOST_EXPANSIONS)) {
      if (!longer.startsWith(word)) break;
      if (longer !== word) add(longer, PREFIX_WEIGHT);
    }
    return scores;
  };

  return {
    tools,
    get: (id) => byId.get(id),
    search({ must, words }) {
      const needed = must.map(match);
      const totals = new Float64Array(tools.length);
      for (const scores of [...needed, ...words.map(match)]) {
        for (let position = 0; position < totals.length; position++) {
          totals[position] = (totals[position] ?? 0) + (scores[position] ?? 0);
        }
      }
      const found: number[] = [];
      for (const [position, total] of totals.entries()) {
        if (total > 0 && needed.every((scores) => (scores[position] ?? 0) > 0)) found.push(position);
      }
      // Equal matches stay in the order of the catalogue.
      found.sort((left, right) => (totals[right] ?? 0) - (totals[left] ?? 0));
      return found.map((position) => tools[position]?.id ?? "");
    },
  };
}

/** The position of the first word that is not before another, in a sorted list. */
function firstFrom(sorted: readonly string[], word: string): number {
  let low = 0;
  let high = sorted.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((sorted[middle] ?? "") < word) low = middle + 1;
    else high = middle;
  }
  return low;
}
