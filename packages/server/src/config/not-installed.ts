import { type ExecutionBackend, RepriseError } from "@reprise/contracts";
import { readAgentSpec } from "@reprise/runtime";
import { writtenAs } from "./agent-references.ts";
import type { Config } from "./config.ts";
import type { ConfigPorts } from "./config-ports.ts";
import { type ConfigProblem, problemAt } from "./config-problem.ts";

/** The protocol remote agents are spoken to in, unless an endpoint says otherwise. */
const REMOTE = "a2a";

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

/** Agents of a configuration that run elsewhere although nothing speaks to them, each where it stands. */
export function findNotInstalled(config: Config, { backends = [] }: ConfigPorts): readonly ConfigProblem[] {
  if (backends.some(({ id }) => id === REMOTE)) return [];
  return config.agents.flatMap((entry, index) => {
    const { id, endpoint } = readAgentSpec(entry);
    if (endpoint === undefined || (endpoint.backend ?? REMOTE) !== REMOTE) return [];
    const says = ` needs the backend ${JSON.stringify(REMOTE)}, which is not installed: runs of agent ${id} fail`;
    return [problemAt(["agents", index, writtenAs(config, index, "endpoint")], says)];
  });
}
