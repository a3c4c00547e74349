import { RepriseError } from "@reprise/contracts";
import type { Json } from "@reprise/state";
import { freezeDeep } from "../json/freeze-deep.ts";
import type { ResolvedAgent } from "./resolved-agent.ts";

/** A section of an agent's spec, for the plugin that declared it. */
export function readSection(
  { spec, installed }: Pick<ResolvedAgent, "spec" | "installed">,
  plugin: string | undefined,
  key: string,
): Json | undefined {
  const owner = installed.plugins.find(({ id }) => id === plugin);
  if (owner === undefined || !Object.hasOwn(owner.sections, key)) {
    const reader = plugin === undefined ? "A tool that no plugin brought" : `Plugin ${plugin}`;
    const message = `${reader} reads the section ${key}, which it did not declare.`;
    throw new RepriseError("INVALID_ACTION", message, { details: { ...(plugin !== undefined && { plugin }), key } });
  }
  return Object.hasOwn(spec.sections, key) ? freezeDeep(spec.sections[key]) : undefined;
}
