import type {
  AgentSpec,
  EffectHandler,
  ExecutionBackend,
  LanguageModel,
  MediaModel,
  ModelSpec,
  Phase,
  PhaseHook,
  Plugin,
  RequestTransform,
  RunProgram,
  ScheduledHandler,
  StopPolicy,
  Tool,
} from "@reprise/contracts";
import type { StateRegistry } from "@reprise/state";

/** Something a plugin brought, with the plugin's id: for filters, diagnostics and the source of every change. */
export interface Owned<Value> {
  readonly plugin: string;
  readonly value: Value;
}

export type HookTable = { readonly [In in Phase]?: readonly Owned<PhaseHook<In>>[] };

/** Everything the plugins of one agent contribute. Made anew by every resolve. */
export interface InstalledPlugins {
  /** A phase without hooks is absent: the loop skips it. */
  readonly hooks: HookTable;
  readonly scheduled: ReadonlyMap<string, Owned<ScheduledHandler>>;
  readonly effects: ReadonlyMap<string, Owned<EffectHandler>>;
  readonly transforms: readonly Owned<RequestTransform>[];
  readonly states: StateRegistry;
  readonly tools: ReadonlyMap<string, Owned<Tool>>;
  readonly plugins: readonly Plugin[];
}

/** Something odd that does not stop an agent from running. */
export interface ResolveWarning {
  readonly kind:
    | "unclaimed_section"
    | "setting_without_plugin"
    | "unmatched_pattern"
    | "star_in_literal"
    | "permission_shaped_entry"
    | "orphan_permission_rule"
    | "unknown_agent";
  readonly agent_id: string;
  readonly subject: string;
  readonly message: string;
}

/** What an agent asks of its streams instead of the runtime's limits. */
export interface StreamLimits {
  /** How often a broken stream is asked to continue. */
  readonly streamRetries?: number;
  /** A model that says nothing for this long has stalled. */
  readonly idleTimeoutMs?: number;
}

/** An agent with everything it needs to run here. Frozen; holds nothing of any run. */
export interface ResolvedAgent {
  readonly spec: AgentSpec;
  readonly model: LanguageModel;
  /** What is known of the model; absent for one given by value. */
  readonly modelSpec?: ModelSpec;
  /** What makes the media, when the model is a generative one; there is a `modelSpec` then. */
  readonly media?: MediaModel;
  readonly streamLimits?: StreamLimits;
  /** How long a run waits in all while no model can be asked. */
  readonly patienceMs: number;
  readonly installed: InstalledPlugins;
  readonly tools: ReadonlyMap<string, Tool>;
  readonly stopPolicies: readonly StopPolicy[];
  readonly warnings: readonly ResolveWarning[];
  /** Hash of what the agent is: prompt, model, plugins, sections, tools with their versions. */
  readonly definition: string;
}

/** How a run of an agent is to be executed. */
export type ResolvedRunPlan =
  | { readonly kind: "local"; readonly agent: ResolvedAgent }
  | { readonly kind: "backend"; readonly spec: AgentSpec; readonly backend: ExecutionBackend }
  /** Made of other agents. */
  | { readonly kind: "composed"; readonly spec: AgentSpec }
  /** Run by a program. */
  | { readonly kind: "program"; readonly spec: AgentSpec; readonly program: RunProgram; readonly definition: string };
