import {
  addSystemContext,
  changeState,
  excludeTool,
  includeOnlyTools,
  operatorText,
  type Plugin,
  type Tool,
} from "@reprise/contracts";
import { listOf, nonEmptyText, objectOf, optional, wholeNumberFrom } from "@reprise/contracts/shape";
import { definePlugin, defineTool } from "@reprise/runtime";
import { defineState } from "@reprise/state";
import { definePluginSettings, type PluginSettings } from "../settings/plugin-settings.ts";
import { type CatalogueSettings, catalogueOf, SEARCH_TOOL } from "./catalogue.ts";
import { type SearchTools, searchCatalogue } from "./search-catalogue.ts";

export interface DeferredToolsOptions {
  /** Ids, or patterns with `*`, of tools that the model always sees. */
  readonly alwaysVisible?: readonly string[];
  /** Tools are deferred only when that saves more than this, in estimated tokens per request. 1,000 unless given. */
  readonly deferAboveTokens?: number;
  /** How many tools one search loads. 5 unless given. */
  readonly maxResults?: number;
  /** How many loaded tools stay visible; the one that was not used for longest is unloaded first. 20 unless given. */
  readonly maxPromoted?: number;
  /** How large all loaded tools together may be, in estimated tokens. 10,000 unless given. */
  readonly maxPromotedTokens?: number;
  /** Replaces the built-in search of words. Its answers are recorded with the run. Only in code. */
  readonly search?: SearchTools;
}

const SHAPE = objectOf<CatalogueSettings>({
  always_visible: optional(listOf(nonEmptyText)),
  defer_above_tokens: optional(wholeNumberFrom(0)),
  max_results: optional(wholeNumberFrom(1)),
  max_promoted: optional(wholeNumberFrom(1)),
  max_promoted_tokens: optional(wholeNumberFrom(1)),
});

const PLUGIN = "deferred_tools";

/** The tools that searches loaded; the one used last stands last. They stay visible for the rest of the thread. */
const promoted = defineState({
  path: "deferred_tools.promoted",
  initial: (): string[] => [],
  actions: {
    promote: (ids, added: string[]) => [...ids.filter((id) => !added.includes(id)), ...added],
    demote: (ids, removed: string[]) => ids.filter((id) => !removed.includes(id)),
  },
});

/** The tools that plugins excluded when the model asked for a search: the search does not find them, also after a restart. */
const excluded = defineState({
  path: "deferred_tools.excluded",
  scope: "run",
  initial: (): string[] => [],
  actions: { set: (_, ids: string[]) => ids },
});

const ADVICE = `Load it with ${SEARCH_TOOL} first, for example with the query "select:" and its id.`;

const HINT = operatorText`There are more tools than the ones listed. Before you say that something cannot be done, look for a tool with tool_search. An empty query lists the groups of tools.`;

/** Keeps a large catalogue of tools out of the prompt: the model sees a few tools, and loads others with `tool_search`. */
export function deferredTools(options: DeferredToolsOptions = {}): Plugin {
  const { search, ...given } = options;
  const settings = definePluginSettings(PLUGIN, SHAPE, given);
  return definePlugin({
    id: PLUGIN,
    sections: settings.sections,
    states: [promoted, excluded],
    tools: [createSearchTool(settings, search)],
    hooks: {
      beforeInference(context) {
        const catalogue = catalogueOf(context.tools, settings.read(context));
        if (!catalogue.isDeferred) return [excludeTool(SEARCH_TOOL)];
        const loaded = context.state.get(promoted).filter(catalogue.canLoad);
        return [includeOnlyTools([...catalogue.visible, ...loaded], { advice: ADVICE }), addSystemContext(HINT)];
      },
      afterInference({ calls, excludedTools, state }) {
        if (!calls.some(({ toolId }) => toolId === SEARCH_TOOL)) return undefined;
        const known = state.get(excluded);
        const isSame = known.length === excludedTools.length && known.every((id, at) => id === excludedTools[at]);
        return isSame ? undefined : [changeState(excluded.set([...excludedTools]))];
      },
      afterToolExecute({ call, state }) {
        const ids = state.get(promoted);
        const isOlder = ids.includes(call.toolId) && ids.at(-1) !== call.toolId;
        return isOlder ? [changeState(promoted.promote([call.toolId]))] : undefined;
      },
    },
  });
}

function createSearchTool(settings: PluginSettings<CatalogueSettings>, search: SearchTools | undefined): Tool {
  return defineTool({
    id: SEARCH_TOOL,
    description:
      'Finds and loads tools that are not listed. Query forms: keywords ("create calendar event"); "+word" for words that must match ("+github issue"); "select:id1,id2" for known ids; empty for an overview of all groups. Loaded tools can be called from your next turn on.',
    inputSchema: {
      type: "object",
      properties: { query: { type: "string", maxLength: 500 } },
      required: ["query"],
      additionalProperties: false,
    },
    // It changes the state, so it waits for its turn; running it again loads the same tools.
    idempotent: true,
    async execute({ query }: { readonly query: string }, context) {
      const { state, tools } = context;
      const catalogue = catalogueOf(tools, settings.read(context));
      const recorded: SearchTools | undefined =
        search && ((asked, able) => context.record("search", async () => [...(await search(asked, able))]));
      const found = await searchCatalogue({ catalogue, query, excluded: state.get(excluded), search: recorded });
      const before = state.get(promoted);
      if (found.loaded.length > 0) state.apply(promoted.promote([...found.loaded]));
      const evicted = catalogue.findEvicted(state.get(promoted));
      if (evicted.length > 0) state.apply(promoted.demote([...evicted]));
      const unloaded = evicted.filter((id) => before.includes(id));
      return unloaded.length === 0 ? found.answer : { ...found.answer, unloaded };
    },
  });
}
