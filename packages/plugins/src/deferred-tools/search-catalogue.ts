import type { ToolDescriptor } from "@reprise/contracts";
import type { JsonObject } from "@reprise/state";
import type { Catalogue } from "./catalogue.ts";
import { parseToolQuery } from "./tool-index.ts";

/** Finds tools for a query: their ids, best first. `tools` are those that the model could load. */
export type SearchTools = (
  query: string,
  tools: readonly ToolDescriptor[],
) => readonly string[] | Promise<readonly string[]>;

export interface CatalogueSearch {
  readonly catalogue: Catalogue;
  readonly query: string;
  /** Tools that other plugins keep from the model: a search does not find them. */
  readonly excluded: readonly string[];
  /** Stands in for the built-in search of words. */
  readonly search?: SearchTools | undefined;
}

export interface CatalogueAnswer {
  /** The answer for the model. Its size is bounded for every catalogue. */
  readonly answer: JsonObject;
  /** The tools that the model may call from now on. */
  readonly loaded: readonly string[];
}

/** Answers one query: with groups of tools when it is empty, with tools otherwise. */
export async function searchCatalogue(asked: CatalogueSearch): Promise<CatalogueAnswer> {
  const { catalogue, query, search } = asked;
  const denied = new Set(asked.excluded);
  const isKnown = (id: string): boolean => catalogue.index.get(id) !== undefined && !denied.has(id);
  const isHidden = (id: string): boolean => isKnown(id) && !catalogue.visible.has(id);
  const hidden = (): readonly ToolDescriptor[] => catalogue.index.tools.filter(({ id }) => isHidden(id));
  if (query.trim() === "") return { answer: listGroups(hidden()), loaded: [] };

  const parsed = parseToolQuery(query);
  if (parsed.kind === "select") {
    const ids = [...new Set(parsed.ids)];
    const unknown = ids.filter((id) => !isKnown(id));
    return answerWith(catalogue, ids.filter(isKnown), unknown);
  }
  const found = search === undefined ? catalogue.index.search(parsed) : await search(query, hidden());
  return answerWith(catalogue, [...new Set(found)].filter(isHidden), []);
}

function answerWith(catalogue: Catalogue, found: readonly string[], unknown: readonly string[]): CatalogueAnswer {
  const named = found.slice(0, catalogue.maxResults);
  const more = found.length - named.length;
  return {
    answer: {
      tools: named.map((id) => describe(catalogue, id)),
      ...(more > 0 && { more_matches: more }),
      ...(unknown.length > 0 && { unknown_ids: unknown.map((id) => clip(id, LONGEST_ID)) }),
      ...(found.length === 0 && { hint: "No tool matches. Try other words, or an empty query for an overview." }),
    },
    loaded: named.filter(catalogue.canLoad),
  };
}

const LONGEST_ID = 128;
const LONGEST_DESCRIPTION = 300;

function describe(catalogue: Catalogue, id: string): JsonObject {
  const description = clip(catalogue.index.get(id)?.description ?? "", LONGEST_DESCRIPTION);
  const isUsable = catalogue.visible.has(id) || catalogue.canLoad(id);
  return { id, description, ...(!isUsable && { problem: "The description of this tool is too large to be loaded." }) };
}

function clip(text: string, length: number): string {
  return text.length <= length ? text : `${text.slice(0, length - 1).toWellFormed()}…`;
}

const MOST_GROUPS = 40;

/** The groups of a catalogue, the largest first: an overview that does not grow with the catalogue. */
function listGroups(tools: readonly ToolDescriptor[]): JsonObject {
  const sizes = new Map<string, number>();
  for (const { id } of tools) {
    const group = groupOf(id);
    sizes.set(group, (sizes.get(group) ?? 0) + 1);
  }
  const groups = [...sizes].sort(([left, many], [right, few]) => few - many || (left < right ? -1 : 1));
  const more = groups.length - MOST_GROUPS;
  return {
    tools: tools.length,
    groups: groups.slice(0, MOST_GROUPS).map(([name, count]) => ({ name, tools: count })),
    ...(more > 0 && { more_groups: more }),
  };
}

/** `mcp__github__create_issue` is of `mcp__github`, `github_create_issue` and `github.create` are of `github`. */
function groupOf(id: string): string {
  const end = id.lastIndexOf("__");
  if (end > 0) return id.slice(0, end);
  return id.split(/[_.:-]/u, 1)[0] || id;
}
