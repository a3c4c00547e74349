import type { AgentSpec } from "@reprise/contracts";
import type { Json } from "@reprise/state";
import type { MergedTools } from "./merge-tools.ts";
import type { ResolveWarning } from "./resolved-agent.ts";

const PERMISSION_SECTION = "permission";

/** Permission rules about tools that there are, but that the catalogue keeps from the agent: nothing will ever ask them. */
export function warnOfPermissions(spec: AgentSpec, { known, tools }: MergedTools): readonly ResolveWarning[] {
  const named = new Set(readRules(spec.sections[PERMISSION_SECTION]).flatMap(toolOf));
  return [...named]
    .filter((id) => known.get(id) !== undefined && !tools.has(id))
    .map((id) => ({
      kind: "orphan_permission_rule",
      agent_id: spec.id,
      subject: id,
      message: `Agent ${JSON.stringify(spec.id)}: a permission rule is about the tool ${JSON.stringify(id)}, which the agent's tool lists leave out.`,
    }));
}

/** The rules of the section, in any of the shapes people write. What the section must look like is for its plugin to say. */
function readRules(section: Json | undefined): readonly Json[] {
  if (Array.isArray(section)) return section;
  const rules = fieldOf(section, "rules");
  return Array.isArray(rules) ? rules : [];
}

/** The id of the tool a rule names; none for a rule about many. */
function toolOf(rule: Json): readonly string[] {
  const subject = fieldOf(rule, "subject") ?? rule;
  const named = [subject, ...["tool", "tool_id", "pattern"].map((key) => fieldOf(subject, key))];
  const text = named.find((value) => typeof value === "string");
  if (typeof text !== "string") return [];
  const tool = text.split("(", 1)[0] ?? "";
  return /^\/|[*?[\]]/.test(tool) ? [] : [tool];
}

function fieldOf(value: Json | undefined, key: string): Json | undefined {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return undefined;
  // Json arrays are readonly, which `isArray` does not take away.
  return (value as { readonly [key: string]: Json })[key];
}
