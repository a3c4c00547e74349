import { createHash } from "node:crypto";
import { type CatalogEntry, ownerOf, type ToolDescriptor } from "@reprise/contracts";
import type { Json } from "@reprise/state";

const POLICIES = ["available", "ask", "ask_by_arguments", "denied", "sandboxed", "unavailable"] as const;

/** How large a schema may be before an entry only names it. */
const MOST_SCHEMA_CHARS = 4_000;

/** A tool as an inventory lists it, when nothing keeps the model from using it. */
function describeTool(tool: ToolDescriptor, plugin: string | undefined): CatalogEntry {
  const { id, description, parameters, capabilities, metadata } = tool;
  const isSmall = JSON.stringify(parameters).length <= MOST_SCHEMA_CHARS;
  const isReadOnly = tool.class === "read_only";
  return {
    tool_name: id,
    description,
    ...(isSmall ? { input_schema: parameters } : { input_schema_ref: `tool:${id}#parameters` }),
    capabilities,
    policy: wordOf(POLICIES, metadata.policy) ?? policyOf(tool),
    runtime_owner: ownerOf(tool) ?? (plugin === undefined ? "local" : "plugin"),
    ...(plugin !== undefined && { plugin }),
    ...(Object.keys(metadata).length > 0 && { metadata_ref: `tool:${id}#metadata` }),
    is_read_only: isReadOnly,
    is_concurrency_safe: isReadOnly,
    is_destructive: tool.is_destructive,
    interrupt_behavior: tool.interrupt_behavior,
  };
}

function wordOf<Word extends string>(words: readonly Word[], value: Json | undefined): Word | undefined {
  return words.find((word) => word === value);
}

function policyOf({ needs_approval }: ToolDescriptor): CatalogEntry["policy"] {
  if (needs_approval === "by_arguments") return "ask_by_arguments";
  return needs_approval ? "ask" : "available";
}

/** The tools of one step. */
export interface Catalogue {
  readonly digest: string;
  readonly entries: readonly CatalogEntry[];
}

interface Described {
  readonly entries: readonly CatalogEntry[];
  readonly text: string;
  readonly byHidden: Map<string, Catalogue>;
}

// The runtime gives the same array in every step, and an agent may have thousands of tools.
const described = new WeakMap<readonly ToolDescriptor[], Described>();

/** Describes the tools that the model knows in a step, without those that plugins hid. */
export function describeCatalogue(
  tools: readonly ToolDescriptor[],
  hidden: readonly string[],
  pluginOf: (toolId: string) => string | undefined,
): Catalogue {
  let known = described.get(tools);
  if (known === undefined) {
    const entries = tools.map((tool) => describeTool(tool, pluginOf(tool.id)));
    known = { entries, text: JSON.stringify(entries), byHidden: new Map() };
    described.set(tools, known);
  }
  const key = hidden.toSorted().join("\n");
  let catalogue = known.byHidden.get(key);
  if (catalogue === undefined) {
    const denied = new Set(hidden);
    const entries = known.entries.map(
      (entry): CatalogEntry => (denied.has(entry.tool_name) ? { ...entry, policy: "denied" } : entry),
    );
    catalogue = { entries, digest: createHash("sha256").update(`${key}\n\n${known.text}`).digest("hex").slice(0, 32) };
    // Few in a run: what is hidden seldom changes.
    if (known.byHidden.size > 100) known.byHidden.clear();
    known.byHidden.set(key, catalogue);
  }
  return catalogue;
}
