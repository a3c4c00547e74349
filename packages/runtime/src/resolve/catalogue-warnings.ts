import type { AgentSpec } from "@reprise/contracts";
import { compileGlob } from "../spec/glob.ts";
import type { MergedTools } from "./merge-tools.ts";
import type { RegistrySet } from "./registry-set.ts";
import type { ResolveWarning } from "./resolved-agent.ts";

type Known = MergedTools["known"];

/**
 * Entries of the tool lists that probably do not mean what they say. `isOpen`: a plugin may bring more tools later, which a pattern
 * may be about.
 */
export function warnOfCatalogue(spec: AgentSpec, { known }: MergedTools, isOpen: boolean): readonly ResolveWarning[] {
  return [
    ...warnOfLiterals(spec, known, "allowed_tools", "allowed_tool_patterns"),
    ...warnOfLiterals(spec, known, "excluded_tools", "excluded_tool_patterns"),
    ...warnOfPatterns(spec, known, "allowed_tool_patterns", isOpen),
    ...warnOfPatterns(spec, known, "excluded_tool_patterns", isOpen),
  ];
}

/** Agents that the lists of an agent name and that there are not: their tools are hidden, and nothing else would say why. */
export function warnOfAgents(spec: AgentSpec, { agents }: Pick<RegistrySet, "agents">): readonly ResolveWarning[] {
  const known = new Set(agents.ids());
  return (["delegates", "allowed_agents", "excluded_agents"] as const).flatMap((field) =>
    (spec[field] ?? []).flatMap((entry) => {
      if (known.has(entry)) return [];
      const message = `${JSON.stringify(entry)} in \`${field}\` is the id of no agent. Add the agent, or correct the list.`;
      return warning(spec, "unknown_agent", entry, message);
    }),
  );
}

function warnOfLiterals(
  spec: AgentSpec,
  known: Known,
  field: "allowed_tools" | "excluded_tools",
  patterns: string,
): readonly ResolveWarning[] {
  return (spec[field] ?? []).flatMap((entry) => {
    if (isPermissionShaped(entry)) return permissionShaped(spec, field, entry);
    if (!entry.includes("*") || known.get(entry) !== undefined) return [];
    const message = `the * in ${JSON.stringify(entry)} is not a wildcard: \`${field}\` takes exact ids. Move the pattern to \`${patterns}\`.`;
    return warning(spec, "star_in_literal", entry, message);
  });
}

function warnOfPatterns(
  spec: AgentSpec,
  known: Known,
  field: "allowed_tool_patterns" | "excluded_tool_patterns",
  isOpen: boolean,
): readonly ResolveWarning[] {
  const patterns = spec[field] ?? [];
  if (patterns.length === 0) return [];
  const ids = known.ids();
  return patterns.flatMap((entry) => {
    if (isPermissionShaped(entry)) return permissionShaped(spec, field, entry);
    const glob = compileGlob(entry);
    if (isOpen || ids.some((id) => glob.matches(id))) return [];
    const message = `${JSON.stringify(entry)} in \`${field}\` matches no tool of the agent.`;
    return warning(spec, "unmatched_pattern", entry, message);
  });
}

/** `Bash(npm *)`: a tool with arguments, which only permissions know about. */
function isPermissionShaped(entry: string): boolean {
  const opening = entry.indexOf("(");
  return opening !== -1 && entry.lastIndexOf(")") > opening;
}

function permissionShaped(spec: AgentSpec, field: string, entry: string): ResolveWarning {
  const message = `${JSON.stringify(entry)} in \`${field}\` looks like a permission rule. Rules belong in the section \`permission\`.`;
  return warning(spec, "permission_shaped_entry", entry, message);
}

function warning({ id }: AgentSpec, kind: ResolveWarning["kind"], subject: string, message: string): ResolveWarning {
  return { kind, agent_id: id, subject, message: `Agent ${JSON.stringify(id)}: ${message}` };
}
