import type { Composition, LanguageModel, ProgramSpec, RemoteEndpoint, ToolDescriptor } from "@reprise/contracts";
import type { JsonObject } from "@reprise/state";
import type { ResolvedRunPlan, ResolveWarning } from "../resolve/resolved-agent.ts";
import { ModelRoute } from "../route/model-route.ts";
import { STOP_PLUGIN_ID } from "../stop/stop-plugin.ts";
import { describeInventory, type InventoryEntry } from "./tool-inventory.ts";

/** An agent as it was resolved, for people and user interfaces. */
export interface AgentInfo {
  readonly id: string;
  readonly name: string;
  readonly description: string;
  /** Absent for an agent that runs elsewhere. */
  readonly model?: string;
  /** The size of the model's window in tokens, where it is known. */
  readonly context_window?: number;
  /** The ids of the models that a client may choose instead; absent unless the agent has `client_overrides`. */
  readonly models?: readonly string[];
  /** Whom its requests go to, in order, and how often each is asked; of a pool, as one of its threads would ask. */
  readonly route: readonly RouteStop[];
  readonly plugins: readonly string[];
  readonly tools: readonly ToolDescriptor[];
  /** The same tools, for pages that show or govern them. */
  readonly inventory: readonly InventoryEntry[];
  readonly warnings: readonly ResolveWarning[];
  /** JSON Schema of its answer, when that is JSON. */
  readonly output_schema?: JsonObject;
  /** Where it runs, when that is not here; without what it is reached with. */
  readonly endpoint?: Pick<RemoteEndpoint, "backend" | "url">;
  /** The agents that it is made of, when it is a composed one. */
  readonly compose?: Composition;
  /** The kind of its program and what that runs, when it is run by one. */
  readonly program?: ProgramSpec;
  /** Changes when anything a run works with changes. */
  readonly definition?: string;
}

/** One model that may be asked. */
export interface RouteStop {
  readonly provider: string;
  readonly model: string;
  readonly max_attempts: number;
}

export function describePlan(plan: ResolvedRunPlan, models: readonly string[]): AgentInfo {
  const spec = plan.kind === "local" ? plan.agent.spec : plan.spec;
  const { id, name, description } = spec;
  const nothing = { route: [], plugins: [], tools: [], inventory: [], warnings: [] };
  if (plan.kind === "composed") {
    return { id, name, description, ...nothing, ...(spec.compose !== undefined && { compose: spec.compose }) };
  }
  if (plan.kind === "program") {
    const { program, output_schema } = spec;
    const { definition } = plan;
    return {
      id,
      name,
      description,
      ...nothing,
      ...(program !== undefined && { program }),
      ...(output_schema !== undefined && { output_schema }),
      definition,
    };
  }
  if (plan.kind === "backend") {
    const { url = "", backend = "a2a" } = spec.endpoint ?? {};
    return { id, name, description, ...nothing, endpoint: { url, backend } };
  }
  const { agent } = plan;
  return {
    id,
    name,
    description,
    model: agent.modelSpec?.id ?? agent.model.id,
    ...(agent.modelSpec?.context_window !== undefined && { context_window: agent.modelSpec.context_window }),
    ...(spec.client_overrides && { models }),
    route: describeRoute(agent.model),
    plugins: agent.installed.plugins.map((plugin) => plugin.id).filter((plugin) => plugin !== STOP_PLUGIN_ID),
    tools: [...agent.tools.values()].map(({ descriptor }) => descriptor),
    inventory: describeInventory(agent),
    warnings: agent.warnings,
    ...(spec.output_schema !== undefined && { output_schema: spec.output_schema }),
    definition: agent.definition,
  };
}

function describeRoute(model: LanguageModel): readonly RouteStop[] {
  if (!(model instanceof ModelRoute)) return [{ provider: model.id, model: model.id, max_attempts: 1 }];
  return model
    .entries("")
    .map(({ provider, modelId, retry }) => ({ provider, model: modelId, max_attempts: retry.maxAttempts }));
}
