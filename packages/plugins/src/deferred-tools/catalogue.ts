import type { ToolDescriptor } from "@reprise/contracts";
import { compileGlob } from "@reprise/runtime";
import { createToolIndex, type ToolIndex } from "./tool-index.ts";

/** The limits of a catalogue, as the plugin's section has them. */
export interface CatalogueSettings {
  readonly always_visible?: readonly string[];
  readonly defer_above_tokens?: number;
  readonly max_results?: number;
  readonly max_promoted?: number;
  readonly max_promoted_tokens?: number;
}

/** The tool with which the model finds the others. */
export const SEARCH_TOOL = "tool_search";

/** The tools of an agent, divided into visible and deferred ones. */
export interface Catalogue {
  readonly index: ToolIndex;
  /** Whether deferring saves enough to be worth a search. */
  readonly isDeferred: boolean;
  /** Ids of the tools that the model always sees, `tool_search` included. */
  readonly visible: ReadonlySet<string>;
  readonly maxResults: number;
  /** Whether a deferred tool exists and is small enough to be shown to the model. */
  canLoad(id: string): boolean;
  /** Of loaded tools, those that have to go: more than allowed, or too large together. The first ones go first. */
  findEvicted(loaded: readonly string[]): readonly string[];
}

// The tools of a run are the same array in every step, and a section the same object.
const known = new WeakMap<readonly ToolDescriptor[], WeakMap<CatalogueSettings, Catalogue>>();

// An agent whose tools come from a server has another array with the same tools in every run.
const recent = new WeakMap<CatalogueSettings, Catalogue[]>();
const MOST_RECENT = 8;

/** The catalogue of these tools. It is built once, and again when the tools change. */
export function catalogueOf(tools: readonly ToolDescriptor[], settings: CatalogueSettings): Catalogue {
  let bySettings = known.get(tools);
  if (bySettings === undefined) {
    bySettings = new WeakMap();
    known.set(tools, bySettings);
  }
  let catalogue = bySettings.get(settings);
  if (catalogue === undefined) {
    const built = recent.get(settings) ?? [];
    catalogue = built.find(({ index }) => isSame(index.tools, tools)) ?? createCatalogue(tools, settings);
    recent.set(settings, [catalogue, ...built.filter((each) => each !== catalogue)].slice(0, MOST_RECENT));
    bySettings.set(settings, catalogue);
  }
  return catalogue;
}

/** Descriptors never change: the same tools have the same descriptors. */
function isSame(one: readonly ToolDescriptor[], other: readonly ToolDescriptor[]): boolean {
  return one.length === other.length && one.every((tool, position) => tool === other[position]);
}

function createCatalogue(tools: readonly ToolDescriptor[], settings: CatalogueSettings): Catalogue {
  const {
    always_visible = [],
    defer_above_tokens = 1_000,
    max_results = 5,
    max_promoted = 20,
    max_promoted_tokens = 10_000,
  } = settings;
  const globs = always_visible.map(compileGlob);
  const visible = new Set([SEARCH_TOOL]);
  const deferred = new Map<string, number>();
  let saved = 0;
  for (const tool of tools) {
    if (tool.id === SEARCH_TOOL) continue;
    if (globs.some((glob) => glob.matches(tool.id))) {
      visible.add(tool.id);
      continue;
    }
    const tokens = estimateTokens(tool);
    saved += tokens;
    deferred.set(tool.id, tokens);
  }
  const sizeOf = (id: string): number => deferred.get(id) ?? 0;
  return {
    index: createToolIndex(tools),
    isDeferred: saved > defer_above_tokens,
    visible,
    maxResults: max_results,
    canLoad: (id) => deferred.has(id) && sizeOf(id) <= max_promoted_tokens,
    findEvicted(loaded) {
      let first = 0;
      let tokens = loaded.reduce((sum, id) => sum + sizeOf(id), 0);
      while (loaded.length - first > max_promoted || tokens > max_promoted_tokens) {
        tokens -= sizeOf(loaded[first] ?? "");
        first += 1;
      }
      return loaded.slice(0, first);
    },
  };
}

// The usual rule of thumb. It decides what is worth deferring; nothing is billed by it.
const CHARACTERS_PER_TOKEN = 4;

/** About what a tool costs in every request. */
function estimateTokens({ id, description, parameters }: ToolDescriptor): number {
  return Math.ceil((id.length + description.length + JSON.stringify(parameters).length) / CHARACTERS_PER_TOKEN);
}
