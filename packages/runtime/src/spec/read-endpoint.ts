import type { ShapeProblem } from "@reprise/contracts/shape";
import type { Json } from "@reprise/state";

type Fields = { readonly [name: string]: Json };

export interface ReadEndpoint {
  readonly endpoint?: Json;
  readonly problems: readonly ShapeProblem[];
}

const FLAT = ["remote_agent_id", "poll_interval_ms", "auth"] as const;

/** Puts an endpoint together: a url or an object, with what stands beside it. */
export function readEndpoint(agentId: Json, { endpoint, ...fields }: Fields): ReadEndpoint {
  const flat = Object.fromEntries(FLAT.flatMap((name) => (fields[name] === undefined ? [] : [[name, fields[name]]])));
  if (endpoint === undefined) {
    const problems = Object.keys(flat).map((name) => ({ path: [name], says: " needs `endpoint`" }));
    return { problems: fields.kind === "a2a" ? [...problems, ofKind("a2a needs `endpoint`")] : problems };
  }
  const given: Fields = typeof endpoint === "string" ? { url: endpoint } : (endpoint as Fields);
  const twice = Object.keys(flat).filter((name) => given[name] !== undefined);
  return {
    endpoint: { remote_agent_id: agentId, ...given, ...flat },
    problems: [
      ...twice.map((name) => ({ path: [name], says: " stands inside `endpoint` and beside it; give one of them" })),
      ...(fields.kind === "local" ? [ofKind("local and `endpoint` contradict each other")] : []),
      ...(fields.kind === "a2a" && (given.backend ?? "a2a") !== "a2a"
        ? [ofKind("a2a and `endpoint.backend` differ")]
        : []),
    ],
  };
}

function ofKind(says: string): ShapeProblem {
  return { path: ["kind"], says: ` ${says}` };
}
