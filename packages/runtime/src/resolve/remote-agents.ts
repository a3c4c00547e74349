import { RepriseError } from "@reprise/contracts";
import { readAgentSpec } from "../spec/read-agent-spec.ts";
import { isRemote } from "./find-backend.ts";
import { createMapRegistry, type Registry } from "./registry.ts";
import type { AgentEntry } from "./registry-set.ts";

/** Somewhere else that knows of agents. */
export interface RemoteAgentSource {
  readonly id: string;
  /** Specs of agents that run elsewhere, as `readAgentSpec` takes them. */
  discover(signal?: AbortSignal): Promise<readonly unknown[]>;
}

/** Asks all sources at once. Throws `DISCOVERY_FAILED` naming those that did not answer well. */
export async function discoverAgents(
  sources: readonly RemoteAgentSource[],
  signal?: AbortSignal,
): Promise<readonly Registry<AgentEntry>[]> {
  const answers = await Promise.allSettled(sources.map((source) => discoverFrom(source, signal)));
  const failures = answers.flatMap((answer, index) =>
    answer.status === "rejected" ? [{ source: sources[index]?.id ?? "", reason: answer.reason as unknown }] : [],
  );
  if (failures.length === 0) return answers.flatMap((answer) => (answer.status === "fulfilled" ? [answer.value] : []));
  const said = failures.map(({ source, reason }) => `${source} (${reason instanceof Error ? reason.message : reason})`);
  throw new RepriseError("DISCOVERY_FAILED", `Remote agents could not be discovered from ${said.join(", ")}.`, {
    details: { sources: failures.map(({ source }) => source) },
    cause: failures[0]?.reason,
  });
}

async function discoverFrom(source: RemoteAgentSource, signal?: AbortSignal): Promise<Registry<AgentEntry>> {
  const agents = new Map<string, AgentEntry>();
  for (const given of await source.discover(signal)) {
    const spec = readAgentSpec(given);
    // Without an endpoint it would run here, with our tools, although another registry defined it.
    if (!isRemote(spec)) throw new Error(`its agent ${spec.id} has no endpoint`);
    if (agents.has(spec.id)) throw new Error(`it has two agents with the id ${spec.id}`);
    agents.set(spec.id, { spec });
  }
  return createMapRegistry(agents);
}
