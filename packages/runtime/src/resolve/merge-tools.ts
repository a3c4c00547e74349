import type { AgentSpec, RepriseError, Tool } from "@reprise/contracts";
import type { CatalogueFilter } from "./catalogue-filter.ts";
import { createCompositeRegistry } from "./composite-registry.ts";
import { createMapRegistry, type Registry } from "./registry.ts";
import { unresolvable } from "./resolve-errors.ts";

/** Who brings tools besides the registry: the agent itself, a delegate or a plugin. */
export interface ToolOrigin {
  readonly name: string;
  readonly tools: readonly Tool[];
  /** Whether its tools need to be allowed. None is exempt from exclusion. */
  readonly needsAllowance: boolean;
}

export interface ToolOrigins {
  /** What is registered for everybody, and always needs to be allowed. Its ids are unique, so it is never copied. */
  readonly registered: Registry<Tool>;
  /** The others, in their order. */
  readonly others: readonly ToolOrigin[];
}

export interface MergedTools {
  /** Every tool there is for the agent, the filtered ones included. */
  readonly known: Registry<Tool>;
  readonly tools: ReadonlyMap<string, Tool>;
}

/**
 * Puts the tools of all sources together, in their order. Two different tools with one id are refused even if only one is
 * allowed, so that a change of the allow lists never changes which tool an id means. Where the id is excluded there is no
 * such tool, and nothing to refuse.
 */
export function mergeTools(spec: AgentSpec, sources: ToolOrigins, filter: CatalogueFilter): MergedTools {
  const { registered, others } = sources;
  const tools = new Map<string, Tool>();
  for (const tool of registered.list()) {
    const { id } = tool.descriptor;
    if (filter.admits(id)) tools.set(id, tool);
  }
  const brought = new Map<string, Tool>();
  for (const source of others) {
    for (const tool of source.tools) {
      const { id } = tool.descriptor;
      const earlier = registered.get(id) ?? brought.get(id);
      if (earlier !== undefined && earlier !== tool && !filter.excludes(id)) throw conflict(spec, id, sources);
      brought.set(id, earlier ?? tool);
      if (source.needsAllowance ? filter.admits(id) : !filter.excludes(id)) tools.set(id, tool);
    }
  }
  return { known: createCompositeRegistry([registered, createMapRegistry(brought)]), tools };
}

function conflict(spec: AgentSpec, toolId: string, { registered, others }: ToolOrigins): RepriseError {
  const bringers = others.flatMap(({ name, tools }) =>
    tools.flatMap(({ descriptor: { id } }) => (id === toolId ? name : [])),
  );
  const [first = "", second = ""] =
    registered.get(toolId) === undefined ? bringers : ["the tool registry", ...bringers];
  const problem = `${first} and ${second} each bring a tool with the id ${JSON.stringify(toolId)}.`;
  return unresolvable("TOOL_ID_CONFLICT", spec.id, `${problem} Rename one of them, or exclude the id.`, {
    tool_id: toolId,
    source_a: first,
    source_b: second,
  });
}
