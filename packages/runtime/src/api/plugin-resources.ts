import { describeThrown } from "@reprise/contracts";
import { NEVER, withTimeout } from "../effects/with-timeout.ts";
import type { Services } from "../loop/services.ts";
import { sourceCaller } from "../phases/refresh-tools.ts";
import { prepareSources } from "../resolve/tool-sources.ts";

type Hosting = Pick<Services, "agents" | "env" | "limits" | "store">;

/** Connects the tool sources of an agent, for requests that name a tool by its id. A source that fails lists what it knows. */
export async function prepareTools(services: Hosting, tenant: string, agentId: string): Promise<void> {
  const { agents, env, limits, store } = services;
  const plan = agents.plan(agentId);
  if (plan.kind !== "local") return;
  try {
    await withTimeout(env.clock, NEVER, limits.hookTimeoutMs, async (signal) =>
      prepareSources(plan.agent, sourceCaller({ env, store: store.forTenant(tenant) }, tenant, signal)),
    );
  } catch (error) {
    env.log("warn", "a tool source failed", { agent_id: agentId, problem: describeThrown(error) });
  }
}

/** Has plugins and backends end what they hold, now that no run needs them. */
export async function closeResources({ agents, env, limits }: Hosting): Promise<void> {
  const holders = [...agents.closing, ...agents.registries.backends.list()];
  const closing = holders.map(async (holder) => {
    try {
      await withTimeout(env.clock, NEVER, limits.hookTimeoutMs, async () => holder.close?.());
    } catch (error) {
      env.log("error", "a plugin or a backend could not be closed", { id: holder.id, problem: describeThrown(error) });
    }
  });
  await Promise.all(closing);
}
