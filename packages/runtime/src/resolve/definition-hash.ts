import { type AgentSpec, canonicalJson, type Env, type Plugin, type Tool } from "@reprise/contracts";
import { toolVersion } from "./tool-version.ts";

export interface DefinitionParts {
  readonly spec: AgentSpec;
  readonly modelId: string;
  readonly plugins: readonly Plugin[];
  readonly tools: ReadonlyMap<string, Tool>;
}

/** What an agent is, as one hash: a run that resumes under another has to notice. */
export function definitionHash(env: Env, { spec, modelId, plugins, tools }: DefinitionParts): string {
  const signatures: string[] = [];
  for (const tool of tools.values()) signatures.push(signatureOf(env, tool));
  const rest = canonicalJson([spec.system_prompt, modelId, plugins.map(pluginName), spec.sections]);
  return env.hash(`${rest}${JSON.stringify(signatures.sort())}`);
}

/** A plugin's id with the versions of its states, where there has been more than one. */
function pluginName({ id, states }: Plugin): string {
  const versions = states.filter(({ version }) => version > 1).map(({ name, version }) => ` ${name}@${version}`);
  return `${id}${versions.join("")}`;
}

// A tool never changes, and an agent may have a thousand.
const signatures = new WeakMap<Tool, string>();

/** A tool's id with its version. */
function signatureOf(env: Env, tool: Tool): string {
  const known = signatures.get(tool);
  if (known !== undefined) return known;
  const signature = JSON.stringify([tool.descriptor.id, toolVersion(env, tool)]);
  signatures.set(tool, signature);
  return signature;
}
