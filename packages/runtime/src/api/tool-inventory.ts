import { type InterruptBehavior, ownerOf, type ToolDescriptor, type ToolOwner } from "@reprise/contracts";
import type { JsonObject } from "@reprise/state";
import type { ResolvedAgent } from "../resolve/resolved-agent.ts";
import { routeTool } from "../tools/pools/routing-class.ts";

/** A tool with everything that a page or a policy needs to know about it. */
export interface InventoryEntry {
  readonly tool_name: string;
  readonly description: string;
  readonly input_schema: JsonObject;
  readonly capabilities: readonly string[];
  /** Whether a call waits for a human by the tool's own rule; plugins may say otherwise. */
  readonly policy: "allowed" | "ask" | "ask_by_arguments";
  readonly runtime_owner: ToolOwner;
  readonly is_read_only: boolean;
  /** It may run beside other calls of the same round. */
  readonly is_concurrency_safe: boolean;
  readonly is_destructive: boolean;
  readonly interrupt_behavior: InterruptBehavior;
}

export function describeInventory(agent: ResolvedAgent): readonly InventoryEntry[] {
  const { spec, installed, tools } = agent;
  return [...tools.values()].map(({ descriptor }) => ({
    tool_name: descriptor.id,
    description: descriptor.description,
    input_schema: descriptor.parameters,
    capabilities: descriptor.capabilities,
    policy: policyOf(descriptor),
    runtime_owner: ownerOf(descriptor) ?? (installed.tools.has(descriptor.id) ? "plugin" : "local"),
    is_read_only: descriptor.class === "read_only",
    is_concurrency_safe: routeTool(descriptor, spec.tool_concurrency) !== "serial",
    is_destructive: descriptor.is_destructive,
    interrupt_behavior: descriptor.interrupt_behavior,
  }));
}

function policyOf({ needs_approval }: ToolDescriptor): InventoryEntry["policy"] {
  if (needs_approval === "by_arguments") return "ask_by_arguments";
  return needs_approval ? "ask" : "allowed";
}
