import { type ExecutionBackend, RepriseError } from "@reprise/contracts";
import { type Agent, readAgentSpec } from "@reprise/runtime";
import { writtenAs } from "./agent-references.ts";
import type { Config } from "./config.ts";
import type { ConfigPorts } from "./config-ports.ts";
import { type ConfigProblem, problemAt } from "./config-problem.ts";

/** Plugins that configurations name and that an installation may lack. Any other name is a mistake. */
const DESCRIBED: ReadonlySet<string> = new Set();

/** The protocol remote agents are spoken to in, unless an endpoint says otherwise. */
const REMOTE = "a2a";

/** Whether a plugin is one that is not installed, rather than misspelt. */
export function isDescribedPlugin(id: string): boolean {
  return DESCRIBED.has(id.replaceAll("-", "_"));
}

/** An agent without the plugins that are not installed. */
export function withoutMissing(agent: Agent, installed: readonly string[]): Agent {
  const plugin_ids = agent.spec.plugin_ids.filter((id) => installed.includes(id) || !isDescribedPlugin(id));
  return plugin_ids.length === agent.spec.plugin_ids.length ? agent : { ...agent, spec: { ...agent.spec, plugin_ids } };
}

/** Stands where nothing speaks to remote agents: they are listed, and their runs fail with the reason. */
export const missingBackend: ExecutionBackend = {
  id: REMOTE,
  check: () => undefined,
  run: async ({ id }) => {
    throw new RepriseError(
      "UNSUPPORTED_REMOTE_BACKEND",
      `Agent ${JSON.stringify(id)} runs elsewhere, and the backend ${JSON.stringify(REMOTE)} is not installed. Give one in code.`,
      { details: { id: REMOTE } },
    );
  },
};

/** What a configuration names and this installation lacks, each where it stands. */
export function findNotInstalled(
  config: Config,
  { plugins = [], backends = [] }: ConfigPorts,
): readonly ConfigProblem[] {
  const installed = new Set(plugins.map(({ id }) => id));
  const isMissing = (id: string): boolean => !installed.has(id) && isDescribedPlugin(id);
  const hasRemote = backends.some(({ id }) => id === REMOTE);
  const ofAgents = config.agents.flatMap((entry, index) => {
    const { id, plugin_ids, sections, endpoint } = readAgentSpec(entry);
    const at = (field: string): readonly (string | number)[] => ["agents", index, writtenAs(config, index, field)];
    const named = plugin_ids.flatMap((plugin, item) =>
      isMissing(plugin) ? [problemAt([...at("plugin_ids"), item], says(plugin, `agent ${id} runs without it`))] : [],
    );
    const unread = Object.keys(sections).flatMap((section) =>
      isMissing(section) ? [problemAt([...at("sections"), section], says(section, "nothing reads its section"))] : [],
    );
    const isRemote = endpoint !== undefined && (endpoint.backend ?? REMOTE) === REMOTE;
    const remote = ` needs the backend ${JSON.stringify(REMOTE)}, which is not installed: runs of agent ${id} fail`;
    return [...named, ...unread, ...(isRemote && !hasRemote ? [problemAt(at("endpoint"), remote)] : [])];
  });
  const shared = Object.keys(config.plugins ?? {}).flatMap((id) =>
    isMissing(id) ? [problemAt(["plugins", id], says(id, "nothing reads its sections"))] : [],
  );
  return [...ofAgents, ...shared];
}

function says(plugin: string, effect: string): string {
  return ` names the plugin ${JSON.stringify(plugin)}, which is not installed: ${effect}`;
}
