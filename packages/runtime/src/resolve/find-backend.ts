import type { AgentSpec, ExecutionBackend, RemoteEndpoint } from "@reprise/contracts";
import type { RegistrySet } from "./registry-set.ts";
import { sayKnown, unresolvable } from "./resolve-errors.ts";

const DEFAULT_BACKEND = "a2a";

/** An agent that runs elsewhere. */
export type RemoteAgentSpec = AgentSpec & { readonly endpoint: RemoteEndpoint };

export function isRemote(spec: AgentSpec): spec is RemoteAgentSpec {
  return spec.endpoint !== undefined;
}

/** The backend that runs an agent with an endpoint; refuses an endpoint it could not work with. */
export function findBackend({ backends }: RegistrySet, spec: RemoteAgentSpec): ExecutionBackend {
  const { backend: id = DEFAULT_BACKEND } = spec.endpoint;
  const backend = backends.get(id);
  if (backend === undefined) {
    const problem = `no registered backend has the id ${JSON.stringify(id)}.${sayKnown(id, backends.ids())}`;
    throw unresolvable("UNSUPPORTED_REMOTE_BACKEND", spec.id, `${problem} Register it with withBackend.`, { id });
  }
  const problem = findEndpointProblem(backend, spec);
  if (problem === undefined) return backend;
  throw unresolvable("INVALID_REMOTE_ENDPOINT", spec.id, `its endpoint cannot be used: ${problem}.`, { backend: id });
}

/** The address itself stays out of messages: it may hold a password. */
function findEndpointProblem(backend: ExecutionBackend, spec: RemoteAgentSpec): string | undefined {
  if (!URL.canParse(spec.endpoint.url)) return "its url is not one";
  try {
    return backend.check(spec);
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}
